// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COLUMN_STATISTICS_KERNELS_HPP
#define COLUMN_STATISTICS_KERNELS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Two passes: the means, then the products of what is left without them. Sums of squares less squares of sums, in one
/// pass, would lose the deviation of columns whose mean is large. For the same reason a column's first value, its
/// `shift`, is subtracted before anything is added up; `offset` is the mean of what remains.
namespace examples::columns {

using Exec = Kokkos::DefaultExecutionSpace;
/// As a file has it: a sample's values lie next to each other.
using Matrix  = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Columns = Kokkos::View<double*, Exec>;

/// What parallel_reduce_columns calls for every value: adds its share of the column's mean.
struct AddToMean {
  Columns shift;
  double inverse_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t column, double value, double& mean) const {
    mean += (value - shift(column)) * inverse_rows;
  }
};

/// The same without Koalesce: a team takes a column of the original.
struct PlainMean {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;

  Matrix a;
  Columns shift, offset;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const column = team.league_rank(), rows = std::int64_t(a.extent(0));
    double const first = shift(column);
    double sum         = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, rows),
        [&](std::int64_t sample, double& update) { update += a(sample, column) - first; }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&] { offset(column) = sum / double(rows); });
  }
};

/// Sums of products of a few columns with a few others.
struct Products {
  static constexpr int tile = 4;

  double value[tile][tile] = {};

  KOKKOS_FUNCTION Products& operator+=(Products const& other) {
    for (int i = 0; i < tile; ++i)
      for (int j = 0; j < tile; ++j) value[i][j] += other.value[i][j];
    return *this;
  }
};

/// \brief Dot products of all pairs of columns without their means, on and above the diagonal. A team takes a tile of
/// pairs, its threads go down the columns.
///
/// \tparam View the original, or what by_column returned: the kernel is the same.
template <class View>
struct DotProducts {
  using Member              = Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int tile = Products::tile;

  View a;
  Columns shift, offset;
  Matrix products;

  static std::int64_t tiles(std::int64_t columns) { return (columns + tile - 1) / tile; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const rows = std::int64_t(a.extent(0)), columns = std::int64_t(a.extent(1));
    std::int64_t const across = (columns + tile - 1) / tile;
    std::int64_t const i0 = team.league_rank() / across * tile, j0 = team.league_rank() % across * tile;
    if (j0 < i0) return;

    // At the edge the last column stands in for those that are missing.
    std::int64_t column[2][tile];
    double first[2][tile], mean[2][tile];
    for (int k = 0; k < tile; ++k) {
      column[0][k] = Kokkos::min(i0 + k, columns - 1);
      column[1][k] = Kokkos::min(j0 + k, columns - 1);
      for (int side = 0; side < 2; ++side) {
        first[side][k] = shift(column[side][k]);
        mean[side][k]  = offset(column[side][k]);
      }
    }
    Products sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, rows),
        [&](std::int64_t sample, Products& update) {
          double x[2][tile];
          for (int side = 0; side < 2; ++side)
            for (int k = 0; k < tile; ++k) x[side][k] = a(sample, column[side][k]) - first[side][k] - mean[side][k];
          for (int i = 0; i < tile; ++i)
            for (int j = 0; j < tile; ++j) update.value[i][j] += x[0][i] * x[1][j];
        },
        Kokkos::Sum<Products>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int i = 0; i < tile && i0 + i < columns; ++i)
        for (int j = 0; j < tile && j0 + j < columns; ++j) products(i0 + i, j0 + j) = sum.value[i][j];
    });
  }
};

}  // namespace examples::columns

template <>
struct Kokkos::reduction_identity<examples::columns::Products> {
  KOKKOS_FUNCTION static examples::columns::Products sum() { return {}; }
};

#endif
