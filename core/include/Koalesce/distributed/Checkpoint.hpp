// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_CHECKPOINT_HPP
#define KOALESCE_DISTRIBUTED_CHECKPOINT_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/CheckpointFile.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>

namespace Koalesce {

/// \brief A field and its name in a checkpoint, as named() makes it.
template <class View>
struct Named {
  std::string name;  ///< of the dataset
  View view;         ///< the field
};

/// \brief Names a field: `write_checkpoint(exec, domain, "wave.h5", step, named("u", u), named("previous", previous))`.
template <class View>
Named<View> named(std::string const& name, View const& view) {
  return {name, view};
}

/// \brief Writes fields to an HDF5 file, from which read_checkpoint() goes on, with any number of processes.
///
/// The file has one dataset of the whole grid's extents per field, in the order of the View's indices, and the
/// attribute `step`. It is written beside an earlier one of this name and takes its place when it is complete, so that
/// there is always a whole one. Halos are not part of it.
///
/// Waits for the instance, and until the file is complete. Collective.
///
/// \param[in] space   the instance whose earlier work the fields are the result of.
/// \param[in] domain  as for exchange_halo().
/// \param[in] path    of the file.
/// \param[in] step    any number that says how far the run is.
/// \param[in] fields  as named() makes them; Views of numbers, or of any trivially copyable type.
/// \throws Error on all processes: extents that do not match, a View without memory, or a file that cannot be written;
///         then an earlier one is still there.
template <class Exec, int Rank, class... Views>
void write_checkpoint(Exec const& space, Domain<Rank> const& domain, std::filesystem::path const& path,
                      std::int64_t step, Named<Views> const&... fields) {
  static_assert(sizeof...(Views) > 0, "Koalesce::write_checkpoint: give at least one field, as named(\"u\", u)");
  std::string const where = Impl::call_text("Koalesce::write_checkpoint", path.string());
  Impl::check_checkpoint<Exec>(where, domain, fields...);
  Impl::replace_file(where, domain, path, [&](std::filesystem::path const& part) {
    Impl::CheckpointFile file(Impl::CheckpointFile::create, part, domain.comm());
    file.write_step(step);
    (file.write(fields.name, Impl::block_of(space, domain, fields.view), domain), ...);
    file.close();
  });
}

/// \brief Reads the fields of a checkpoint, and returns its step.
///
/// \param[in] space   the instance whose later work sees the fields.
/// \param[in] domain  of the same grid, over any number of processes.
/// \param[in] path    of a file that write_checkpoint() wrote.
/// \param[out] fields  their interiors; their types are those that were written.
/// \return the number that write_checkpoint() was given.
/// \throws Error on all processes: as write_checkpoint(), a file that is not there or cannot be read, or has no field
///         of this name, extents or type. Fields may then be read in part.
template <class Exec, int Rank, class... Views>
std::int64_t read_checkpoint(Exec const& space, Domain<Rank> const& domain, std::filesystem::path const& path,
                             Named<Views> const&... fields) {
  static_assert((!std::is_const_v<typename Views::value_type> && ...),
                "Koalesce::read_checkpoint: a field is const, so it cannot be read into");
  std::string const where = Impl::call_text("Koalesce::read_checkpoint", path.string());
  Impl::check_checkpoint<Exec>(where, domain, fields...);
  std::int64_t step = 0;
  domain.state()->agree_always(where, "", [&] {
    Impl::CheckpointFile file(Impl::CheckpointFile::open, path, domain.comm());
    step            = file.read_step();
    auto const read = [&](auto const& field) {
      auto const block = Impl::block_buffer(domain, field.view);
      file.read(field.name, block, domain);
      Impl::copy_block(space, Impl::interior_of(domain, field.view), block, false);
    };
    (read(fields), ...);
    file.close();
  });
  return step;
}

}  // namespace Koalesce

#endif
