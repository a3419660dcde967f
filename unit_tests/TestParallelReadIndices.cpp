// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadOracle.hpp"

/// Consumers that take an element's indices in place of the item's number.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ParallelReadIndices : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadIndices, DefaultPaths::types, PathNames);

/// Counts how often each element came, and how often with a value that is not its own.
template <class Memory>
struct CountIndices {
  CountIndices(Index<3> const& n) : extent(n), expected("expected", n[0] * n[1] * n[2]), times("times", size() + 1) {}

  std::int64_t size() const { return extent[0] * extent[1] * extent[2]; }

  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t i, std::int64_t j, double v) const {
    std::int64_t const at = (b * extent[1] + i) * extent[2] + j;
    bool const known =
        b >= 0 && i >= 0 && i < extent[1] && j >= 0 && j < extent[2] && at < std::int64_t(expected.size());
    Kokkos::atomic_inc(&times(known && expected(at) == v ? at : std::int64_t(expected.size())));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, double v) const { (*this)(0, i, j, v); }

  void expect(std::vector<double> const& elements) const {
    auto const host = Kokkos::create_mirror_view(expected);
    std::copy(elements.begin(), elements.end(), host.data());
    Kokkos::deep_copy(expected, host);
    Kokkos::deep_copy(times, 0);
  }

  ::testing::AssertionResult holds(Indices const& indices) const {
    auto const t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), times);
    std::vector<int> wanted(t.size());
    for (auto const index : indices) ++wanted[index];
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (t(i) != wanted[i]) return ::testing::AssertionFailure() << "element " << i << " came " << t(i) << " times";
    return ::testing::AssertionSuccess();
  }

  Index<3> extent;
  Kokkos::View<double*, Memory> expected;
  Kokkos::View<int*, Memory> times;
};

/// A sum that tells which element came with which value.
struct SumIndices {
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t i, std::int64_t j, double v, std::uint64_t& sum) const {
    sum += mixed((b * 1000 + i) * 1000 + j, v);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, double v, std::uint64_t& sum) const {
    (*this)(0, i, j, v, sum);
  }
};

template <int Rank>
std::uint64_t sum_of_indices(Index<Rank> const& n, Indices const& indices, std::vector<double> const& elements) {
  std::uint64_t sum    = 0;
  std::int64_t const m = n[Rank - 2], columns = n[Rank - 1];
  for (auto const index : indices)
    SumIndices()(index / columns / m, index / columns % m, index % columns, elements[index], sum);
  return sum;
}

/// Both kinds of call: at first, again, and for a part of the items.
template <class P, int Rank, class Layout, class Map>
void check_indices(Rng& rng, Index<Rank> const& n, Map const& map) {
  using Exec = typename P::exec;
  using Tag  = typename P::backend;
  Field<Exec, double, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  ShadowView const a(window(field), ShadowBuild::first_read), c(window(field));
  if (rng() % 2 == 0) a.template by_column<Tag>(Exec());
  if (rng() % 2 == 0) a.template by_row<Tag>(Exec());
  auto const elements = elements_of(field);
  CountIndices<typename Exec::memory_space> const count({Rank == 3 ? n[0] : 1, n[Rank - 2], n[Rank - 1]});
  std::int64_t const size = std::int64_t(elements.size()), middle = random_int(rng, 0, size);
  for (auto const& [begin, end] : {std::pair(std::int64_t(0), size), {std::int64_t(0), size}, {middle, size}}) {
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(begin, end);
    auto const indices = indices_of(map, begin, end);
    count.expect(elements);
    parallel_read<Tag>("indices", items, a, map, count);
    Exec().fence();
    EXPECT_TRUE(count.holds(indices)) << to_string<Rank>(n);
    std::uint64_t sum = 0;
    parallel_read_reduce<Tag>("sum", items, c, map, SumIndices(), sum);
    EXPECT_EQ(sum, sum_of_indices<Rank>(n, indices, elements));
  }
}

/// Any order of the items that has nothing to do with rows or columns.
struct Scattered {
  std::int64_t size;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return item * 7919 % size; }
};

/// Half of the half-warps go down a column, so that each decides by itself.
struct HalfDown {
  ColumnOrder down;
  std::int64_t size;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const {
    return item / 16 % 2 == 0 ? down(item) : item * 7919 % size;
  }
};

template <class P, int Rank, class Layout>
void check_maps() {
  for_each_seed([](Rng& rng) {
    auto const n      = random_extents<Rank>(rng, 20000);
    auto const down   = column_order<Rank>(n);
    std::int64_t size = 1;
    for (int d = 0; d < Rank; ++d) size *= n[d];
    check_indices<P, Rank, Layout>(rng, n, down);
    check_indices<P, Rank, Layout>(rng, n, Opaque<ColumnOrder>{down});
    check_indices<P, Rank, Layout>(rng, n, RowOrder());
    check_indices<P, Rank, Layout>(rng, n, Opaque<RowOrder>{});
    check_indices<P, Rank, Layout>(rng, n, Scattered{size});
    check_indices<P, Rank, Layout>(rng, n, HalfDown{down, size});
  });
}

TYPED_TEST(ParallelReadIndices, of_row_major_matrices) { check_maps<TypeParam, 2, LayoutRight>(); }
TYPED_TEST(ParallelReadIndices, of_column_major_matrices) { check_maps<TypeParam, 2, LayoutLeft>(); }
TYPED_TEST(ParallelReadIndices, of_strided_batches) { check_maps<TypeParam, 3, LayoutStride>(); }

}  // namespace
}  // namespace Koalesce::Test
