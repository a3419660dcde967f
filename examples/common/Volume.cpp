// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Volume.hpp"

#include "InputFile.hpp"

#include <nifti1_io.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace examples {

struct NiftiHeader {
  nifti_image* image;
  explicit NiftiHeader(nifti_image* i) : image(i) {}
  NiftiHeader(NiftiHeader const&)            = delete;
  NiftiHeader& operator=(NiftiHeader const&) = delete;
  ~NiftiHeader() { nifti_image_free(image); }
};

namespace {

// Voxels that are read, converted and written at a time.
constexpr std::int64_t chunk = 1 << 20;

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& problem) {
  throw std::runtime_error(file.string() + ": " + problem);
}

std::string reason() { return errno != 0 ? std::strerror(errno) : "unknown error"; }

/// A file of niftiio's own layer over zlib, closed in any case.
class ZnzFile {
 public:
  ZnzFile(std::filesystem::path const& name, char const* mode, bool compressed) {
    errno  = 0;
    m_file = znzopen(name.c_str(), mode, compressed);
  }
  ~ZnzFile() {
    if (m_file != nullptr) znzclose(m_file);
  }
  ZnzFile(ZnzFile const&)            = delete;
  ZnzFile& operator=(ZnzFile const&) = delete;

  bool is_open() const { return m_file != nullptr; }
  bool close() { return znzclose(m_file) == 0; }
  bool seek(std::int64_t offset) { return znzseek(m_file, offset, SEEK_SET) >= 0; }
  std::size_t read(void* to, std::size_t bytes) { return znzread(to, 1, bytes, m_file); }
  bool write(void const* from, std::size_t bytes) { return znzwrite(from, 1, bytes, m_file) == bytes; }

 private:
  znzFile m_file = nullptr;
};

/// Whether a gzip file is whole, with the checksums and lengths at the end of its members. What reading it through a
/// gzFile tells of those differs from version to version of zlib. A file that is not compressed passes.
bool is_whole_gzip(std::filesystem::path const& file) {
  std::ifstream input(file, std::ios::binary);
  std::vector<unsigned char> from(1 << 16), to(1 << 16);
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return false;  // gzip alone
  int state = Z_STREAM_END;
  for (;;) {
    if (stream.avail_in == 0) {
      input.read(reinterpret_cast<char*>(from.data()), from.size());
      stream.next_in  = from.data();
      stream.avail_in = static_cast<unsigned>(input.gcount());
      if (stream.avail_in == 0) break;
    }
    if (state == Z_STREAM_END) {  // another member, or what gzip ignores, or, at the beginning, no gzip file
      if (*stream.next_in != 0x1f) break;
      inflateReset(&stream);
    }
    stream.next_out  = to.data();
    stream.avail_out = static_cast<unsigned>(to.size());
    state            = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) break;
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END;
}

/// Calls f with a value of the C++ type of a NIfTI datatype; false if it is one that this program does not know.
template <class F>
bool with_type(int datatype, F const& f) {
  switch (datatype) {
    case DT_INT8: f(std::int8_t()); return true;
    case DT_UINT8: f(std::uint8_t()); return true;
    case DT_INT16: f(std::int16_t()); return true;
    case DT_UINT16: f(std::uint16_t()); return true;
    case DT_INT32: f(std::int32_t()); return true;
    case DT_UINT32: f(std::uint32_t()); return true;
    case DT_FLOAT32: f(float()); return true;
    case DT_FLOAT64: f(double()); return true;
    default: return false;
  }
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// What the file itself says of its dimensions: niftiio would repair impossible ones silently.
void check_dimensions(std::filesystem::path const& file) {
  int swapped            = 0;
  auto* const raw_header = nifti_read_header(file.c_str(), &swapped, 0);
  if (raw_header == nullptr) fail(file, "not a NIfTI-1 file, or damaged");
  auto const header = *raw_header;
  std::free(raw_header);

  auto const* dim = header.dim;
  if (dim[0] < 1 || dim[0] > 7) fail(file, "not a NIfTI-1 file, or damaged");
  for (int d = 1; d <= dim[0]; ++d)
    if (dim[d] < 1) fail(file, "has " + std::to_string(dim[d]) + " points in dimension " + std::to_string(d));
  for (int d = 4; d <= dim[0]; ++d)
    if (dim[d] > 1) fail(file, "has " + std::to_string(d) + " dimensions; only 3-D volumes are supported");
  if (dim[0] < 3) fail(file, "has " + std::to_string(dim[0]) + " dimension(s); only 3-D volumes are supported");
}

/// Right, front and top of the patient in terms of the file's axes.
std::array<Volume::Direction, 3> directions(nifti_image const& image) {
  std::array<Volume::Direction, 3> patient{{{0, false}, {1, false}, {2, false}}};
  if (image.sform_code <= 0 && image.qform_code <= 0) return patient;
  int axis[3] = {};
  nifti_mat44_to_orientation(image.sform_code > 0 ? image.sto_xyz : image.qto_xyz, &axis[0], &axis[1], &axis[2]);
  auto found = patient;
  bool seen[3]{};
  for (int a = 0; a < 3; ++a) {
    int const to = axis[a] == NIFTI_L2R || axis[a] == NIFTI_R2L   ? 0
                   : axis[a] == NIFTI_P2A || axis[a] == NIFTI_A2P ? 1
                                                                  : 2;
    found[to]    = {a, axis[a] == NIFTI_R2L || axis[a] == NIFTI_A2P || axis[a] == NIFTI_S2I};
    seen[to]     = true;
  }
  return seen[0] && seen[1] && seen[2] ? found : patient;
}

}  // namespace

bool is_nifti_name(std::filesystem::path const& file, bool& compressed) {
  auto const name = lower_case(file.filename().string());
  compressed      = name.ends_with(".nii.gz");
  return (compressed && name.size() > 7) || (name.ends_with(".nii") && name.size() > 4);
}

Volume read_nifti(std::filesystem::path const& file) {
  nifti_set_debug_level(0);  // messages are ours

  check_input(file);
  check_dimensions(file);
  auto* const image = nifti_image_read(file.c_str(), 0);
  if (image == nullptr) fail(file, "not a NIfTI-1 file, or damaged");
  auto const header = std::make_shared<NiftiHeader const>(image);
  if (image->nifti_type == NIFTI_FTYPE_ASCII) fail(file, "ASCII NIfTI is not supported");

  Volume volume;
  volume.header   = header;
  volume.size     = {image->nx, image->ny, image->nz};
  volume.spacing  = {image->dx, image->dy, image->dz};
  volume.patient  = directions(*image);
  volume.datatype = lower_case(nifti_datatype_string(image->datatype));
  for (auto& spacing : volume.spacing) {
    spacing = std::abs(spacing);
    if (!std::isfinite(spacing) || spacing == 0) spacing = 1;
  }
  double const slope = image->scl_slope != 0 && std::isfinite(image->scl_slope) ? image->scl_slope : 1;
  double const inter = image->scl_slope != 0 && std::isfinite(image->scl_inter) ? image->scl_inter : 0;

  std::filesystem::path const data = image->iname;
  ZnzFile input(data, "rb", nifti_is_gzfile(image->iname));
  if (!input.is_open()) fail(data, "cannot be opened: " + reason());
  auto const count = volume.size[0] * volume.size[1] * volume.size[2];
  if (image->iname_offset < 0 || !input.seek(image->iname_offset)) fail(data, "the file is truncated");

  bool const known = with_type(image->datatype, [&](auto value) {
    using T = decltype(value);
    std::vector<T> raw(std::min(chunk, count));
    // The header may promise more than there is: memory is taken as the data come.
    for (std::int64_t done = 0; done < count; done += std::ssize(raw)) {
      raw.resize(std::min(chunk, count - done));
      if (input.read(raw.data(), raw.size() * sizeof(T)) != raw.size() * sizeof(T))
        fail(data, "the file is truncated or damaged: " + std::to_string(count) + " voxels expected");
      if (sizeof(T) > 1 && image->byteorder != nifti_short_order())
        nifti_swap_Nbytes(raw.size(), sizeof(T), raw.data());
      for (T const v : raw) {
        auto const real   = static_cast<float>(v * slope + inter);
        bool const usable = std::abs(real) <= Volume::largest;  // not so NaN
        if (!usable) ++volume.not_finite;
        volume.voxels.push_back(usable ? real : 0);
      }
    }
  });
  if (!known) fail(file, "datatype " + volume.datatype + " is not supported");
  if (nifti_is_gzfile(image->iname) && !is_whole_gzip(data)) fail(data, "the file is truncated or damaged");
  return volume;
}

void write_nifti(Volume const& volume, std::filesystem::path const& file, bool compressed, bool as_float,
                 std::string const& description) {
  nifti_image image   = *volume.header->image;  // a shallow copy: the extensions and names stay the original's
  bool const is_float = as_float || image.datatype == DT_FLOAT32 || image.datatype == DT_FLOAT64;
  double const slope  = image.scl_slope != 0 && std::isfinite(image.scl_slope) ? image.scl_slope : 1;
  double const inter  = image.scl_slope != 0 && std::isfinite(image.scl_inter) ? image.scl_inter : 0;
  if (is_float) {
    image.datatype  = DT_FLOAT32;
    image.scl_slope = 1;
    image.scl_inter = 0;
  }
  nifti_datatype_sizes(image.datatype, &image.nbyper, &image.swapsize);
  image.nifti_type   = NIFTI_FTYPE_NIFTI1_1;  // one file, whatever the input was
  image.iname_offset = 352;
  for (int e = 0; e < image.num_ext; ++e) image.iname_offset += image.ext_list[e].esize;
  std::snprintf(image.descrip, sizeof(image.descrip), "%s", description.c_str());

  ZnzFile output(file, "wb", compressed);
  auto const write = [&](void const* from, std::size_t bytes) {
    errno = 0;
    if (!output.write(from, bytes)) fail(file, "cannot be written: " + reason());
  };
  if (!output.is_open()) fail(file, "cannot be created: " + reason());
  auto header       = nifti_convert_nim2nhdr(&image);
  header.vox_offset = static_cast<float>(image.iname_offset);
  write(&header, sizeof(header));
  char const extender[4] = {static_cast<char>(image.num_ext > 0), 0, 0, 0};
  write(extender, sizeof(extender));
  for (int e = 0; e < image.num_ext; ++e) {
    auto const& extension = image.ext_list[e];
    write(&extension.esize, 4);
    write(&extension.ecode, 4);
    write(extension.edata, extension.esize - 8);
  }

  with_type(image.datatype, [&](auto value) {
    using T = decltype(value);
    std::vector<T> raw;
    for (std::int64_t done = 0; done < std::ssize(volume.voxels); done += chunk) {
      raw.resize(std::min(chunk, std::ssize(volume.voxels) - done));
      std::transform(
          volume.voxels.begin() + done, volume.voxels.begin() + done + std::ssize(raw), raw.begin(), [&](double real) {
            if constexpr (std::is_floating_point_v<T>) {
              return static_cast<T>(real);
            } else {
              using Limits = std::numeric_limits<T>;
              return static_cast<T>(
                  std::clamp(std::round((real - inter) / slope), double(Limits::min()), double(Limits::max())));
            }
          });
      write(raw.data(), raw.size() * sizeof(T));
    }
  });
  errno = 0;
  if (!output.close()) fail(file, "cannot be written: " + reason());
}

}  // namespace examples
