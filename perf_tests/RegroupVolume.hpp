// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_VOLUME_HPP
#define KOALESCE_PERF_REGROUP_VOLUME_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "Measure.hpp"

/// The volume that rays are marched through.
namespace perf::regroup {

using Voxels = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;  // z, y, x; 0 to 1

/// A head of ten ellipsoids, n^3 voxels: L. A. Shepp, B. F. Logan, IEEE Trans. Nucl. Sci. 21 (1974) 21, in three
/// dimensions and with the contrasts of P. A. Toft's thesis (1996).
inline void fill_phantom(Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> const& voxels) {
  struct Ellipsoid {
    double value, a, b, c, x, y, z, degrees;
  };
  constexpr Ellipsoid ellipsoids[] = {
      {1, .69, .92, .81, 0, 0, 0, 0},        {-.8, .6624, .874, .78, 0, -.0184, 0, 0},
      {-.2, .11, .31, .22, .22, 0, 0, -18},  {-.2, .16, .41, .28, -.22, 0, 0, 18},
      {.1, .21, .25, .41, 0, .35, -.15, 0},  {.1, .046, .046, .05, 0, .1, .25, 0},
      {.1, .046, .046, .05, 0, -.1, .25, 0}, {.1, .046, .023, .05, -.08, -.605, 0, 0},
      {.1, .023, .023, .02, 0, -.606, 0, 0}, {.1, .023, .046, .02, .06, -.605, 0, 0},
  };
  int const n = int(voxels.extent(0));
  for (auto const& e : ellipsoids) {
    double const turn = e.degrees * 3.14159265358979 / 180, cosine = std::cos(turn), sine = std::sin(turn);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          double const x = (2. * i + 1) / n - 1 - e.x, y = (2. * j + 1) / n - 1 - e.y, z = (2. * k + 1) / n - 1 - e.z;
          double const u = (x * cosine + y * sine) / e.a, v = (y * cosine - x * sine) / e.b, w = z / e.c;
          if (u * u + v * v + w * w <= 1) voxels(k, j, i) += float(e.value);
        }
  }
}

/// \brief Reads a NIfTI-1 file of 8-bit voxels, uncompressed and in this machine's byte order.
/// \throws std::runtime_error if it is none.
inline Voxels read_volume(std::string const& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> const bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  auto const number = [&]<class T>(std::size_t at, T value) {
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  std::int16_t const type = number(70, std::int16_t(0));
  std::size_t const begin = std::size_t(number(108, 0.F));
  std::array<std::size_t, 3> n{};
  for (std::size_t d = 0; d < 3; ++d)
    n[d] = std::size_t(std::max(number(42 + 2 * d, std::int16_t(0)), std::int16_t(0)));
  std::size_t const voxels = n[0] * n[1] * n[2];
  if (number(0, 0) != 348 || type != 2 || voxels == 0 || begin + voxels > bytes.size())
    throw std::runtime_error("'" + file +
                             "', which KOALESCE_PERF_VOLUME names, is no uncompressed NIfTI-1 file of "
                             "8-bit voxels; give one, or leave the variable out");
  Voxels const volume("volume", n[2], n[1], n[0]);
  auto const host   = Kokkos::create_mirror_view(Kokkos::HostSpace(), volume);
  auto const data   = reinterpret_cast<unsigned char const*>(bytes.data()) + begin;
  double const most = *std::max_element(data, data + voxels);
  for (std::size_t i = 0; i < voxels; ++i) host.data()[i] = float(data[i] / std::max(most, 1.));
  Kokkos::deep_copy(volume, host);
  return volume;
}

/// The file that the environment variable KOALESCE_PERF_VOLUME names, or none.
inline char const* volume_file() { return std::getenv("KOALESCE_PERF_VOLUME"); }

inline Voxels make_volume() {
  if (char const* const file = volume_file()) return read_volume(file);
  int const n = on_host ? 96 : 256;
  Voxels const volume("volume", n, n, n);
  auto const host = Kokkos::create_mirror_view(Kokkos::HostSpace(), volume);
  fill_phantom(host);
  Kokkos::deep_copy(volume, host);
  return volume;
}

}  // namespace perf::regroup

#endif
