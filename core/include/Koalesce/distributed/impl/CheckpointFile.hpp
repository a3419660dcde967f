// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_CHECKPOINT_FILE_HPP
#define KOALESCE_DISTRIBUTED_IMPL_CHECKPOINT_FILE_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/GatherBlocks.hpp>

#include <Kokkos_Core.hpp>

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#ifndef H5_HAVE_PARALLEL
#error "<Koalesce/Checkpoint.hpp> needs an HDF5 that was built for MPI"
#endif

/// Checkpoints as parallel HDF5 writes and reads them.
namespace Koalesce::Impl {

/// An object of HDF5, closed when it goes.
class Hdf5 {
 public:
  /// Throws where HDF5 could not make it. \param[in] what  could not be done.
  Hdf5(hid_t id, herr_t (*closes)(hid_t), std::string const& what) : m_id(id), m_close(closes) {
    if (id < 0) throw Error(what);
  }
  ~Hdf5() {
    if (m_id >= 0) m_close(m_id);
  }
  Hdf5(Hdf5 const&)            = delete;
  Hdf5& operator=(Hdf5 const&) = delete;

  operator hid_t() const { return m_id; }

  /// Whether it could be closed without an error.
  bool close() {
    bool const closed = m_close(m_id) >= 0;
    m_id              = -1;
    return closed;
  }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

/// HDF5 prints no errors of its own.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }
  QuietHdf5(QuietHdf5 const&)            = delete;
  QuietHdf5& operator=(QuietHdf5 const&) = delete;

 private:
  H5E_auto2_t m_function = nullptr;
  void* m_data           = nullptr;
};

inline herr_t keep_open(hid_t) { return 0; }

/// HDF5's type of elements: numbers as such, all else as bytes.
template <class T>
Hdf5 element_type(std::string const& what) {
  auto const number = [&](hid_t id) { return Hdf5(id, keep_open, what); };
  if constexpr (std::is_same_v<T, double>) return number(H5T_NATIVE_DOUBLE);
  else if constexpr (std::is_same_v<T, float>) return number(H5T_NATIVE_FLOAT);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
    return number(std::is_signed_v<T> ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 2)
    return number(std::is_signed_v<T> ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return number(std::is_signed_v<T> ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return number(std::is_signed_v<T> ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64);
  else return Hdf5(H5Tcreate(H5T_OPAQUE, sizeof(T)), H5Tclose, what);
}

/// A file that all processes of a communicator write or read together. Errors are of this process.
class CheckpointFile {
 public:
  enum Mode { create, open };

  CheckpointFile(Mode mode, std::filesystem::path const& path, MPI_Comm comm)
      : m_mode(mode), m_path(path.string()), m_file(open_file(mode, path, comm), H5Fclose, text_of("opened")) {}

  void write_step(std::int64_t step) {
    Hdf5 const space(H5Screate(H5S_SCALAR), H5Sclose, text_of("written"));
    Hdf5 const attribute(H5Acreate2(m_file, "step", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         text_of("written"));
    check(H5Awrite(attribute, H5T_NATIVE_INT64, &step), "written");
  }

  std::int64_t read_step() {
    std::int64_t step = 0;
    Hdf5 const attribute(H5Aopen(m_file, "step", H5P_DEFAULT), H5Aclose,
                         "the file " + m_path + " has no step; it is no checkpoint, so give one");
    check(H5Aread(attribute, H5T_NATIVE_INT64, &step), "read");
    return step;
  }

  /// Writes this process' part of a field.
  template <class Block, int Rank>
  void write(std::string const& name, Block const& block, Domain<Rank> const& domain) {
    auto const type = element_type<typename Block::value_type>(text_of("written"));
    Hdf5 const grid(space_of(domain.global_extents()), H5Sclose, text_of("written"));
    Hdf5 const data(H5Dcreate2(m_file, name.c_str(), type, grid, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                    text_of("written"));
    Hdf5 const part(space_of(domain.extents()), H5Sclose, text_of("written"));
    select(grid, domain);
    Hdf5 const by = transfer();
    check(H5Dwrite(data, type, part, grid, by, block.data()), "written");
  }

  /// Reads it.
  template <class Block, int Rank>
  void read(std::string const& name, Block const& block, Domain<Rank> const& domain) {
    Hdf5 const data(H5Dopen2(m_file, name.c_str(), H5P_DEFAULT), H5Dclose,
                    "the file " + m_path + " has no field \"" + name + "\"; give a name that was written");
    Hdf5 const grid(H5Dget_space(data), H5Sclose, text_of("read"));
    Hdf5 const written(H5Dget_type(data), H5Tclose, text_of("read"));
    auto const type = element_type<typename Block::value_type>(text_of("read"));
    if (H5Tget_class(written) != H5Tget_class(type) || H5Tget_size(written) != H5Tget_size(type) ||
        (H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(written) != H5Tget_sign(type)))
      throw Error("field \"" + name + "\" of the file " + m_path +
                  " has elements of another type; give a View of those that were written");
    check_extents_of(name, grid, domain.global_extents());
    Hdf5 const part(space_of(domain.extents()), H5Sclose, text_of("read"));
    select(grid, domain);
    Hdf5 const by = transfer();
    check(H5Dread(data, type, part, grid, by, block.data()), "read");
  }

  void close() {
    if (!m_file.close()) throw Error(text_of("completed"));
  }

 private:
  std::string text_of(char const* what) const {
    return "the file " + m_path + " could not be " + what +
           (m_mode == create ? "; see whether the folder is there, writable and not full"
                             : "; see whether it is there, readable, and a checkpoint");
  }

  void check(herr_t status, char const* what) const {
    if (status < 0) throw Error(text_of(what));
  }

  hid_t open_file(Mode mode, std::filesystem::path const& path, MPI_Comm comm) {
    Hdf5 const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, text_of("opened"));
    check(H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL), "opened");
    return mode == create ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)
                          : H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  }

  /// How processes write and read. With Open MPI each on its own: in collective writes its MPI-IO (4.1.4, of four
  /// processes on two busy cores) put bytes into the file that had not come from their process yet, in one of some ten
  /// files; ROMIO did not.
  Hdf5 transfer() const {
    hid_t const id = H5Pcreate(H5P_DATASET_XFER);
#ifdef OPEN_MPI
    constexpr auto mode = H5FD_MPIO_INDEPENDENT;
#else
    constexpr auto mode = H5FD_MPIO_COLLECTIVE;
#endif
    if (id >= 0) H5Pset_dxpl_mpio(id, mode);
    return Hdf5(id, H5Pclose, text_of("opened"));
  }

  template <class Extents>
  static std::vector<hsize_t> sizes(Extents const& extents) {
    std::vector<hsize_t> all;
    for (int d = 0; d < int(extents.size()); ++d) all.push_back(hsize_t(extents[d]));
    return all;
  }

  template <class Extents>
  static hid_t space_of(Extents const& extents) {
    return H5Screate_simple(int(extents.size()), sizes(extents).data(), nullptr);
  }

  template <int Rank>
  void select(hid_t grid, Domain<Rank> const& domain) const {
    check(H5Sselect_hyperslab(grid, H5S_SELECT_SET, sizes(domain.offset()).data(), nullptr,
                              sizes(domain.extents()).data(), nullptr),
          "opened");
  }

  template <class Extents>
  void check_extents_of(std::string const& name, hid_t grid, Extents const& extents) const {
    auto found = sizes(extents);
    std::string text;
    bool same = H5Sget_simple_extent_ndims(grid) == int(found.size());
    if (same) H5Sget_simple_extent_dims(grid, found.data(), nullptr);
    for (auto const size : found) text += (text.empty() ? "" : " x ") + std::to_string(size);
    if (!same || found != sizes(extents))
      throw Error("field \"" + name + "\" of the file " + m_path + " has " +
                  (same ? text + " points" : "another number of dimensions") +
                  ", unlike the domain's grid; give a domain of the grid that was written");
  }

  QuietHdf5 m_quiet;
  Mode m_mode;
  std::string m_path;
  Hdf5 m_file;
};

/// A field's interior on the host.
template <class Exec, int Rank, class View>
auto block_of(Exec const& space, Domain<Rank> const& domain, View const& view) {
  auto const block = block_buffer(domain, view);
  copy_block(space, interior_of(domain, view), block, true);
  return block;
}

template <class Exec, int Rank, class... Fields>
void check_checkpoint(std::string const& where, Domain<Rank> const& domain, Fields const&... fields) {
  std::string text;
  ((text +=
    "; \"" + fields.name + "\", " + std::to_string(sizeof(typename decltype(fields.view)::value_type)) + " bytes"),
   ...);
  domain.state()->agree_always(where, text, [&] {
    std::vector<std::string> const names{fields.name...};
    for (auto const& name : names) {
      if (name.empty() || name == ".")
        fail(where, "a field has the name \"", name, "\", which no dataset of a file can have; give it another");
      if (name.find('/') != std::string::npos)
        fail(where, "a field has the name \"", name, "\"; the file has no folders, so give a name without a slash");
      if (std::count(names.begin(), names.end(), name) > 1)
        fail(where, "two fields have the name \"", name, "\"; give each one its own");
    }
    int number = 0;
    (check_field(where, InteriorPolicy<Exec, Rank>{domain.extents()}, fields.view, "the", number++,
                 [](int) { return 0; }),
     ...);
  });
}

/// write(path) on all processes, of a file that takes another's place when it is complete.
template <int Rank, class Write>
void replace_file(std::string const& where, Domain<Rank> const& domain, std::filesystem::path const& path,
                  Write const& write) {
  auto const part = std::filesystem::path(path.string() + ".part");
  std::error_code ignored;
  try {
    domain.state()->agree_always(where, "", [&] { write(part); });
    domain.state()->agree_always(where, "", [&] {
      std::error_code error;
      if (domain.state()->rank() == 0) std::filesystem::rename(part, path, error);
      if (error)
        fail(where, "the file could not take its name: ", error.message(), "; give a name in a writable folder");
    });
  } catch (Error const&) {
    if (domain.state()->rank() == 0) std::filesystem::remove(part, ignored);
    throw;
  }
}

}  // namespace Koalesce::Impl

#endif
