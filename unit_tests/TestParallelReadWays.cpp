// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "ReadOracle.hpp"

#include <map>

/// The result is that of the plain loop on every way: from the original, while transposing, from the shadow, and mixed.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ParallelReadWays : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadWays, DefaultPaths::types, PathNames);

/// How often kernels went each way.
template <class P>
class Ways {
 public:
  int operator()(std::string const& way) const {
    auto const names = m_record.kernel_names();
    return int(std::count(names.begin(), names.end(), read_kernel<P>("read", way)) +
               std::count(names.begin(), names.end(), read_kernel<P>("sum", way)));
  }

 private:
  KernelRecorder m_record;
};

/// A matrix, or a batch, of random elements in which all is read.
template <class P, int Rank, class Layout>
struct Matrix {
  using Exec  = typename P::exec;
  using Table = Test::Table<typename Exec::memory_space>;

  Matrix(Rng& rng, Index<Rank> const& n)
      : field(n, random_halo<Rank>(rng, 2), rng), down(column_order<Rank>(n)), extents(n) {
    fill_for_transpose(field, rng);
    elements = elements_of(field);
    size     = std::int64_t(elements.size());
  }

  auto shadow_view(std::size_t max_bytes = std::size_t(-1)) const {
    return ShadowView(window(field), max_bytes, ShadowBuild::first_read);
  }

  /// Reads the items that the indices are for, into memory or into a sum.
  template <bool sum, class A, class Map>
  void check(A const& a, Map const& map, Indices const& indices, std::int64_t begin = 0) const {
    if constexpr (sum) check_reduce<P>(a, map, indices, begin, elements);
    else check_read<P>(a, map, indices, begin, elements);
  }

  template <class A>
  void build(A const& a) const {
    a.template by_column<typename P::backend>(Exec());
    a.template by_row<typename P::backend>(Exec());
  }

  Field<Exec, float, Rank, Layout> field;
  ColumnOrder down;
  Index<Rank> extents;
  std::vector<float> elements;
  std::int64_t size;
};

// ---- Known maps ----

template <bool sum, class M, class Map>
void check_known_map(Rng& rng, M const& m, Map const& map) {
  auto const all   = indices_of(map, 0, m.size);
  auto const begin = random_int(rng, 0, m.size - 1), end = random_int(rng, begin, m.size);
  auto const part = indices_of(map, begin, end);
  auto const none = m.shadow_view(0), fresh = m.shadow_view(), built = m.shadow_view();
  m.build(built);
  for (int time = 0; time < 2; ++time) {
    for (auto const& a : {none, built, fresh}) {
      m.template check<sum>(a, map, all);
      m.template check<sum>(a, map, part, begin);
    }
  }
}

template <class P, int Rank, class Layout>
void check_known_maps(Rng& rng, Index<Rank> const& n) {
  SCOPED_TRACE(to_string<Rank>(n));
  Matrix<P, Rank, Layout> const m(rng, n);
  Ways<P> const ways;
  check_known_map<false>(rng, m, Opaque<ColumnOrder>{m.down});
  check_known_map<true>(rng, m, m.down);
  check_known_map<false>(rng, m, RowOrder());
  check_known_map<true>(rng, m, Opaque<RowOrder>{});
  for (auto const* way : {"original", "transposing", "shadow"}) EXPECT_GT(ways(way), 0) << way;
}

TYPED_TEST(ParallelReadWays, known_orders_of_matrices_and_batches) {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<2>{2, 3}, {70, 90}, {33, 129}}) {
      check_known_maps<TypeParam, 2, LayoutLeft>(rng, n);
    }
    for (auto const& n : {Index<3>{2, 3, 4}, {1, 40, 50}, {2, 33, 65}, {60, 7, 5}}) {
      check_known_maps<TypeParam, 3, LayoutRight>(rng, n);
      check_known_maps<TypeParam, 3, LayoutStride>(rng, n);
    }
  });
}

// ---- Tables: what one was found to be is what the next is taken for ----

struct NamedIndices {
  std::string name;
  Indices indices;
};

template <class M>
std::vector<NamedIndices> tables_of(Rng& rng, M const& m) {
  Indices const columns = indices_of(m.down, 0, m.size), rows = indices_of(RowOrder(), 0, m.size);
  Indices random = columns, columns_mixed = columns, rows_mixed = rows;
  std::shuffle(random.begin(), random.end(), rng);
  std::shuffle(columns_mixed.begin() + m.size / 2, columns_mixed.end(), rng);
  std::shuffle(rows_mixed.begin() + m.size / 2, rows_mixed.end(), rng);
  Indices const part(columns.begin(), columns.begin() + m.size / 3);
  return {{"columns", columns},     {"rows", rows},
          {"random", random},       {"columns and random", columns_mixed},
          {"part", part},           {"rows and random", rows_mixed},
          {"one", Indices(2000, 1)}};
}

/// Every table, on every way that a table of its type can be taken for.
template <class P, int Rank, class Layout>
void check_tables(Rng& rng, Index<Rank> const& n) {
  SCOPED_TRACE(to_string<Rank>(n));
  Matrix<P, Rank, Layout> const m(rng, n);
  auto const tables = tables_of(rng, m);
  Ways<P> const ways;
  for (auto const& seen : tables) {
    if (seen.name == "part") continue;
    for (auto const& later : tables) {
      SCOPED_TRACE(later.name + " after " + seen.name);
      auto const a = m.shadow_view();
      m.build(a);
      using Table = typename decltype(m)::Table;
      m.template check<false>(a, Table(seen.indices, 0), seen.indices);
      m.template check<true>(a, Table(seen.indices, 0), seen.indices);
      m.template check<false>(a, Table(later.indices, 0), later.indices);
      m.template check<true>(a, Table(later.indices, 0), later.indices);
      a.invalidate();
      m.template check<false>(a, Table(later.indices, 0), later.indices);
      m.template check<true>(a, Table(later.indices, 0), later.indices);
      m.template check<false>(a, Table(later.indices, 0), later.indices);
      m.template check<true>(a, Table(later.indices, 0), later.indices);
    }
  }
  for (auto const* way : {"original", "transposing", "shadow", "mixed"}) EXPECT_GT(ways(way), 0) << way;
}

TYPED_TEST(ParallelReadWays, tables_of_one_type) {
  for_each_seed([](Rng& rng) {
    check_tables<TypeParam, 2, LayoutLeft>(rng, {70, 50});
    check_tables<TypeParam, 3, LayoutRight>(rng, {3, 33, 31});
    check_tables<TypeParam, 3, LayoutStride>(rng, {3, 33, 31});
  });
}

// ---- Size ----

/// On CPUs so much is written past the caches, in pieces that begin where cache lines do.
TYPED_TEST(ParallelReadWays, more_than_16_mebibytes) {
  Rng rng(3);
  Matrix<TypeParam, 2, LayoutRight> const m(rng, {2063, 2161});
  Opaque<ColumnOrder> const opaque{m.down};
  auto const indices = indices_of(m.down, 0, m.size);
  Ways<TypeParam> const ways;
  auto const a = m.shadow_view(), b = m.shadow_view();
  m.template check<false>(a, m.down, indices);
  m.template check<false>(b, opaque, indices);
  EXPECT_EQ(ways("transposing"), 2);
  m.template check<true>(a, m.down, indices);
  m.template check<false>(a, opaque, indices);
  EXPECT_EQ(ways("shadow"), 2);
}

// ---- Forgetting ----

/// Only the way depends on it.
TYPED_TEST(ParallelReadWays, table_of_a_type_that_was_seen_is_looked_at_when_classifications_are_forgotten) {
  Rng rng(1);
  Matrix<TypeParam, 2, LayoutRight> const m(rng, {200, 200});
  auto const tables = tables_of(rng, m);
  using Table       = typename decltype(m)::Table;
  Table const columns(tables[0].indices, 0), random(tables[2].indices, 0);
  auto const a      = m.shadow_view();
  auto const kernel = [&](Table const& table, Indices const& indices) {
    KernelRecorder const record;
    check_read<TypeParam>(a, table, indices, 0, m.elements);
    Strings reads;
    for (auto const& name : record.kernel_names())
      if (name.find("::read [") != std::string::npos) reads.push_back(name);
    return reads;
  };
  auto const named = [](std::string const& way) { return read_kernel<TypeParam>("read", way); };
  EXPECT_EQ(kernel(random, tables[2].indices), (Strings{named("classification"), named("original")}));
  EXPECT_EQ(kernel(columns, tables[0].indices), Strings{named("original")}) << "it was taken for the first one";
  a.forget_classifications();
  EXPECT_EQ(kernel(columns, tables[0].indices), (Strings{named("classification"), named("transposing")}));
  EXPECT_EQ(kernel(random, tables[2].indices), Strings{named("shadow")}) << "it was taken for the one before";
  a.forget_classifications();
  EXPECT_TRUE(a.has_shadow());
  EXPECT_EQ(kernel(random, tables[2].indices), (Strings{named("classification"), named("original")}));
}

}  // namespace
}  // namespace Koalesce::Test
