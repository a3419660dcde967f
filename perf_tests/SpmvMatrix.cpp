// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpmvMatrix.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace perf::spmv {
namespace {

/// The engine is the same everywhere; the library's distributions are not.
class Random {
 public:
  /// In [0, 1).
  double number() { return double(m_engine() >> 11) * 0x1p-53; }
  /// In [begin, end).
  int between(int begin, int end) { return begin + int(number() * (end - begin)); }

 private:
  std::mt19937_64 m_engine{7};
};

int draw_length(Lengths lengths, Random& random) {
  constexpr int most = 4096;
  if (lengths == Lengths::uniform) return random.between(6, 11);
  if (lengths == Lengths::two_lengths) return random.number() < 1. / 8 ? 64 : 4;
  return int(std::min(1 / (1 - random.number()), double(most)));
}

std::vector<int> draw_offsets(Lengths lengths, Random& random) {
  int const entries = 1 << (on_host ? 22 : 26);
  std::vector<int> offsets{0};
  while (offsets.back() < entries) offsets.push_back(offsets.back() + draw_length(lengths, random));
  return offsets;
}

std::vector<int> draw_columns(std::vector<int> const& offsets, Random& random) {
  constexpr int near = 2048;
  int const rows     = int(offsets.size()) - 1;
  std::vector<int> columns(offsets.back());
  for (int row = 0; row < rows; ++row) {
    auto const begin = columns.begin() + offsets[row], end = columns.begin() + offsets[row + 1];
    std::generate(begin, end, [&] {
      if (random.number() < 1. / 4) return random.between(0, rows);
      return random.between(std::max(row - near, 0), std::min(row + near, rows));
    });
    std::sort(begin, end);
  }
  return columns;
}

template <class T>
Kokkos::View<T*, Exec> on_device(std::string const& name, std::vector<T> const& data) {
  Kokkos::View<T*, Exec> const view(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), data.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace>(data.data(), data.size()));
  return view;
}

}  // namespace

Matrix make_matrix(Lengths lengths) {
  Random random;
  auto const offsets = draw_offsets(lengths, random);
  auto const columns = draw_columns(offsets, random);
  int const rows     = int(offsets.size()) - 1;
  std::vector<double> values(columns.size()), x(rows), expected(rows);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1 + value_at<double>(std::int64_t(k));
  for (int row = 0; row < rows; ++row) x[row] = 1 + value_at<double>(row);
  int longest = 0;
  for (int row = 0; row < rows; ++row) {
    for (int k = offsets[row]; k < offsets[row + 1]; ++k) expected[row] += values[k] * x[columns[k]];
    longest = std::max(longest, offsets[row + 1] - offsets[row]);
  }
  return {lengths,
          longest,
          on_device("offsets", offsets),
          on_device("columns", columns),
          on_device("values", values),
          on_device("x", x),
          Numbers("y", rows),
          on_device("expected", expected)};
}

}  // namespace perf::spmv
