// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_ITEMS_HPP
#define KOALESCE_PERF_REGROUP_ITEMS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "Measure.hpp"

/// The items of the loops that branch, and which path each takes.
namespace perf::regroup {

using Index = std::int64_t;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;

/// How many items take which path.
enum class Shares { equal, first_97 };  ///< the same for all; 97 % the first, and the others the rest, the same for all

/// Which items take one path: any, runs whose lengths are geometrically distributed, or all that follow each other.
enum class Order { random, clustered, by_path };

struct Shape {
  int paths;
  Shares shares;
  Order order;
  Index items;
};

/// What an item brings: a number, or a block of them.
struct Block {
  static constexpr int size = 32;

  double values[size];
};
template <int Bytes>
struct ItemOf;
template <>
struct ItemOf<8> {
  using type = double;
};
template <>
struct ItemOf<256> {
  using type = Block;
};

/// Where the predictor looks: an item's path, four bytes of its own.
using Kinds = Kokkos::View<int*, Exec>;

/// In [0, 1), without a pattern.
KOKKOS_INLINE_FUNCTION double random_at(Index i, std::uint64_t stream) {
  std::uint64_t hash = (std::uint64_t(i) + 1) * 0x9E3779B97F4A7C15u + stream * 0xD1B54A32D192ED03u;
  hash               = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
  hash               = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
  return double((hash ^ hash >> 31) >> 11) * 0x1p-53;
}

/// Draws the paths. A scan, for an item of a run has the path that was drawn where the run begins.
struct DrawKinds {
  using value_type = Index;

  static constexpr double run_length = 4096;  // on average

  Shape shape;
  Kinds kind;

  KOKKOS_FUNCTION void init(Index& begin) const { begin = 0; }
  KOKKOS_FUNCTION void join(Index& begin, Index const& other) const { begin = Kokkos::max(begin, other); }
  KOKKOS_FUNCTION void operator()(Index i, Index& begin, bool is_final) const {
    if (shape.order != Order::clustered || random_at(i, 1) * run_length < 1) begin = i;
    if (!is_final) return;
    double const u = shape.order == Order::by_path ? double(i) / double(shape.items) : random_at(begin, 2);
    kind(i)        = Kokkos::min(path(u), shape.paths - 1);
  }

 private:
  KOKKOS_FUNCTION int path(double u) const {
    constexpr double first = 0.97;
    if (shape.shares == Shares::equal) return int(u * shape.paths);
    return u < first ? 0 : 1 + int((u - first) / (1 - first) * (shape.paths - 1));
  }
};

/// Items, their paths, and zeros where the results go.
template <int Bytes>
struct Items {
  using Item = typename ItemOf<Bytes>::type;

  explicit Items(Shape const& s)
      : shape(s),
        kind(Kokkos::view_alloc("kind", Kokkos::WithoutInitializing), s.items),
        x(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), s.items),
        y("y", s.items),
        expected("expected", s.items) {
    fill(Kokkos::View<double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(reinterpret_cast<double*>(x.data()),
                                                                              s.items * (Bytes / 8)));
    Kokkos::parallel_scan("draw", Range(0, s.items), DrawKinds{s, kind});
    Kokkos::fence();
  }

  double bytes() const { return double(shape.items) * (Bytes + sizeof(int) + sizeof(double)); }

  Shape shape;
  Kinds kind;
  Kokkos::View<Item*, Exec> x;
  Kokkos::View<double*, Exec> y;
  Kokkos::View<double*, Exec> expected;  // what the plain loop makes of y
};

struct Mismatch {
  Kokkos::View<double*, Exec> result, expected;

  KOKKOS_FUNCTION void operator()(Index i, Index& wrong) const {
    if (!(Kokkos::abs(result(i) - expected(i)) <= 1e-12)) ++wrong;
  }
};

}  // namespace perf::regroup

#endif
