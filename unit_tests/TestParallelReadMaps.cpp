// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadOracle.hpp"

#include <numeric>

/// Whatever the index map: each item is consumed once, with its element.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ParallelReadMaps : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadMaps, DefaultPaths::types, PathNames);

/// Makes a table of a traversal by column and the number of elements.
using Make = Indices (*)(Rng&, ColumnOrder const&, std::int64_t);

template <class P, class T, int Rank, class Layout>
void check_table(Rng& rng, Index<Rank> const& n, Make make, std::int64_t begin = 0) {
  Field<typename P::exec, T, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  std::int64_t size = 1;
  for (int d = 0; d < Rank; ++d) size *= n[d];
  Indices const indices = make(rng, column_order<Rank>(n), size);
  SCOPED_TRACE(to_string<Rank>(n) + ", " + std::to_string(indices.size()) + " items from " + std::to_string(begin));
  check_reads<P>(field, rng, Table<typename P::exec::memory_space>(indices, begin), indices, begin);
}

/// Matrices and batches of every layout.
template <class P>
void check_layouts(Make make) {
  for_each_seed([&](Rng& rng) {
    for (int i = 0; i < 3; ++i) {
      check_table<P, float, 2, LayoutRight>(rng, random_extents<2>(rng, 20000), make);
      check_table<P, float, 2, LayoutLeft>(rng, random_extents<2>(rng, 20000), make);
      check_table<P, float, 3, LayoutStride>(rng, random_extents<3>(rng, 20000), make);
    }
  });
}

Indices columns(Rng&, ColumnOrder const& down, std::int64_t size) { return indices_of(down, 0, size); }

TYPED_TEST(ParallelReadMaps, by_column) { check_layouts<TypeParam>(columns); }

TYPED_TEST(ParallelReadMaps, by_row) {
  check_layouts<TypeParam>([](Rng&, ColumnOrder const&, std::int64_t size) { return indices_of(RowOrder(), 0, size); });
}

/// Few enough defects for a sample of the half-warps to pass as by column, and more.
TYPED_TEST(ParallelReadMaps, by_column_with_defects) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const& down, std::int64_t size) {
    auto indices = columns(rng, down, size);
    for (auto defects = size / random_int(rng, 20, 2000) + 1; defects > 0; --defects)
      indices[rng() % size] = random_int(rng, 0, size - 1);
    return indices;
  });
}

TYPED_TEST(ParallelReadMaps, by_column_with_neighbors_swapped) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const& down, std::int64_t size) {
    auto indices = columns(rng, down, size);
    for (auto swaps = size / 400 + 1; swaps > 0 && size > 1; --swaps) {
      auto const i = rng() % (size - 1);
      std::swap(indices[i], indices[i + 1]);
    }
    return indices;
  });
}

TYPED_TEST(ParallelReadMaps, by_column_in_a_random_order_of_columns) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const& down, std::int64_t size) {
    Indices order(size / down.rows()), indices;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    for (auto const c : order)
      for (std::int64_t i = 0; i < down.rows(); ++i) indices.push_back(down(c * down.rows() + i));
    return indices;
  });
}

TYPED_TEST(ParallelReadMaps, by_column_backward) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const& down, std::int64_t size) {
    auto indices = columns(rng, down, size);
    std::reverse(indices.begin(), indices.end());
    return indices;
  });
}

TYPED_TEST(ParallelReadMaps, with_a_stride) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const&, std::int64_t size) {
    Indices indices;
    std::int64_t const stride = random_int(rng, 2, 40), items = size + random_int(rng, -size, 500);
    for (std::int64_t k = 0; k < items; ++k) indices.push_back(k * stride % size);
    return indices;
  });
}

TYPED_TEST(ParallelReadMaps, one_element_again_and_again) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const&, std::int64_t size) {
    return Indices(std::size_t(random_int(rng, 1, 5000)), random_int(rng, 0, size - 1));
  });
}

TYPED_TEST(ParallelReadMaps, at_random) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const&, std::int64_t size) {
    Indices indices(std::size_t(random_int(rng, 0, 3) == 0 ? size : random_int(rng, 0, 20000)));
    for (auto& index : indices) index = random_int(rng, 0, size - 1);
    return indices;
  });
}

/// Runs by column, by row and backward, of all lengths: half-warps of every kind next to each other.
TYPED_TEST(ParallelReadMaps, in_runs_of_all_kinds) {
  check_layouts<TypeParam>([](Rng& rng, ColumnOrder const& down, std::int64_t size) {
    Indices indices;
    while (std::int64_t(indices.size()) < size) {
      auto const length = random_int(rng, 1, std::min<std::int64_t>(size, 100)),
                 from   = random_int(rng, 0, size - length);
      auto const kind   = rng() % 3;
      for (std::int64_t i = 0; i < length; ++i)
        indices.push_back(kind == 0 ? from + i : down(kind == 1 ? from + i : from + length - 1 - i));
    }
    return indices;
  });
}

// ---- Ranges ----

/// A part of a traversal by column, also where a shadow of the whole exists.
template <class P, class Map, class Layout>
void check_parts(Rng& rng, Index<3> const& n) {
  using Tag = typename P::backend;
  typename P::exec const exec;
  Field<typename P::exec, float, 3, Layout> field(n, random_halo<3>(rng, 1), rng);
  fill_for_transpose(field, rng);
  auto const elements = elements_of(field);
  ColumnOrder const order(n[1], n[2], n[0]);
  std::int64_t const size = elements.size();
  // Memory for all columns, or for some.
  auto const all = std::size_t(size) * sizeof(float), most = rng() % 2 == 0 ? 2 * all : all / 2;
  ShadowView const a(window(field), most, rng() % 2 == 0 ? ShadowBuild::first_read : ShadowBuild::second_read);
  for (int i = 0; i < 12; ++i) {
    auto const begin = random_int(rng, 0, size), end = random_int(rng, begin, size);
    SCOPED_TRACE(to_string<3>(n) + " from " + std::to_string(begin) + " to " + std::to_string(end));
    check_read<P>(a, Map{order}, indices_of(order, begin, end), begin, elements);
    check_reduce<P>(a, Map{order}, indices_of(order, begin, end), begin, elements);
    if (i == 7) a.template by_column<Tag>(exec);
    if (i == 9) a.template by_row<Tag>(exec);
  }
}

TYPED_TEST(ParallelReadMaps, parts_of_a_traversal) {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<3>{1, 70, 50}, {5, 33, 31}, {3, 16, 64}, {40, 5, 3}}) {
      check_parts<TypeParam, ColumnOrder, LayoutRight>(rng, n);
      check_parts<TypeParam, Opaque<ColumnOrder>, LayoutStride>(rng, n);
    }
  });
}

/// Items that begin late are no places in the matrix, of which memory holds a part.
TYPED_TEST(ParallelReadMaps, late_ranges_where_memory_is_limited) {
  for_each_seed([](Rng& rng) {
    Index<3> const n{2, 64, 64};
    Field<typename TypeParam::exec, float, 3, Kokkos::LayoutRight> field(n, {}, rng);
    fill_for_transpose(field, rng);
    auto const elements = elements_of(field);
    auto const indices  = indices_of(column_order<3>(n), 0, std::int64_t(elements.size()));
    for (std::int64_t const begin : {std::int64_t(0), std::int64_t(100), std::int64_t(elements.size())}) {
      SCOPED_TRACE("from " + std::to_string(begin));
      ShadowView const a(window(field), 64 * 32 * sizeof(float), ShadowBuild::first_read);
      Table<typename TypeParam::exec::memory_space> const table(indices, begin);
      for (int time = 0; time < 3; ++time) {
        check_read<TypeParam>(a, table, indices, begin, elements);
        check_reduce<TypeParam>(a, table, indices, begin, elements);
      }
    }
  });
}

/// Items that begin late, and more of them than elements: the traversal starts over.
TYPED_TEST(ParallelReadMaps, ranges_that_begin_late_and_go_on_for_long) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 10; ++i) {
      Make const repeated = [](Rng& r, ColumnOrder const& down, std::int64_t size) {
        Indices indices(std::size_t(random_int(r, 0, 3 * size)));
        for (std::size_t k = 0; k < indices.size(); ++k) indices[k] = down(std::int64_t(k) % size);
        return indices;
      };
      auto const begin = std::int64_t(1) << random_int(rng, 0, 40);
      check_table<TypeParam, float, 2, LayoutRight>(rng, random_extents<2>(rng, 10000), repeated, begin);
      check_table<TypeParam, float, 3, LayoutStride>(rng, random_extents<3>(rng, 10000), repeated, begin + 5);
    }
  });
}

}  // namespace
}  // namespace Koalesce::Test
