// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_READ_ORACLE_HPP
#define KOALESCE_TEST_READ_ORACLE_HPP

#include "TransposeOracle.hpp"

namespace Koalesce::Test {

/// The kernels' names: "Koalesce::<backend>::<label> [<step>]".
template <class P>
std::string read_kernel(std::string const& label, std::string const& step) {
  return std::string("Koalesce::") + P::backend::name + "::" + label + " [" + step + "]";
}

// ---- Index maps ----

/// A map that nobody can look into.
template <class Map>
struct Opaque {
  Map map;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return map(item); }
};

using Indices = std::vector<std::int64_t>;

/// Any map at all: from a table that begins at an item.
template <class Memory>
struct Table {
  Table(Indices const& indices, std::int64_t first) : at("table", indices.size()), begin(first) {
    auto const host = Kokkos::create_mirror_view(at);
    std::copy(indices.begin(), indices.end(), host.data());
    Kokkos::deep_copy(at, host);
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return at(item - begin); }

  Kokkos::View<std::int64_t*, Memory> at;
  std::int64_t begin;
};

/// The indices that a map has for a range of items.
template <class Map>
Indices indices_of(Map const& map, std::int64_t begin, std::int64_t end) {
  Indices indices;
  for (auto item = begin; item < end; ++item) indices.push_back(map(item));
  return indices;
}

// ---- Consumers ----

/// Keeps what it is given, and how often.
template <class T, class Memory>
struct Keep {
  Keep(std::int64_t first, std::int64_t items)
      : value(Kokkos::view_alloc("value", Kokkos::WithoutInitializing), items),
        times("times", items + 1),
        begin(first) {}

  KOKKOS_FUNCTION void operator()(std::int64_t item, T const& v) const {
    std::int64_t const i = item - begin, items = value.extent(0);
    bool const known = i >= 0 && i < items;
    Kokkos::atomic_inc(&times(known ? i : items));
    if (known) value(i) = v;
  }

  /// Whether each item came once, with the element at its index.
  template <class Elements>
  ::testing::AssertionResult holds(Indices const& indices, Elements const& elements) const {
    auto const v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), value);
    auto const t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), times);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (t(i) != 1) return ::testing::AssertionFailure() << "item " << i << " came " << t(i) << " times";
      if (!(v(i) == elements[indices[i]])) return ::testing::AssertionFailure() << "item " << i << " has a wrong value";
    }
    if (t(indices.size()) == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "items out of the range came";
  }

  Kokkos::View<T*, Memory> value;
  Kokkos::View<int*, Memory> times;
  std::int64_t begin;
};

KOKKOS_FUNCTION inline std::uint64_t number(double v) { return std::uint64_t(std::int64_t(v)); }
template <class R>
KOKKOS_FUNCTION std::uint64_t number(Kokkos::complex<R> const& v) {
  return number(double(v.real()));
}
template <class R>
KOKKOS_FUNCTION std::uint64_t number(Vec3<R> const& v) {
  return number(double(v.x));
}

/// A number that hardly any other pair of item and value has.
template <class T>
KOKKOS_FUNCTION std::uint64_t mixed(std::int64_t item, T const& value) {
  std::uint64_t x = std::uint64_t(item) * 0x9e3779b97f4a7c15u + number(value) * 0xbf58476d1ce4e5b9u;
  x               = (x ^ (x >> 31)) * 0x94d049bb133111ebu;
  return x ^ (x >> 29);
}

/// The sum of all, which wraps around.
struct Sum {
  template <class T>
  KOKKOS_FUNCTION void operator()(std::int64_t item, T const& value, std::uint64_t& sum) const {
    sum += mixed(item, value);
  }
};

// ---- The matrix ----

/// A batch of matrices within a field: its elements by index.
template <class F>
std::vector<typename F::value_type> elements_of(F const& field) {
  std::vector<typename F::value_type> elements;
  for_each_index<F::rank>({}, field.interior(), [&](auto const& p) { elements.push_back(field(p)); });
  return elements;
}

template <class Elements>
std::uint64_t sum_of(Indices const& indices, std::int64_t begin, Elements const& elements) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) Sum()(begin + std::int64_t(i), elements[indices[i]], sum);
  return sum;
}

template <int Rank>
ColumnOrder column_order(Index<Rank> const& n) {
  return ColumnOrder(n[Rank - 2], n[Rank - 1], Rank == 3 ? n[0] : 1);
}

/// Reads a matrix by a map and compares with the plain loop.
template <class P, class A, class Map, class Elements>
void check_read(A const& a, Map const& map, Indices const& indices, std::int64_t begin, Elements const& elements) {
  using Exec = typename P::exec;
  using Tag  = typename P::backend;
  Exec const exec;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(exec, begin, begin + indices.size());
  Keep<typename A::value_type, typename Exec::memory_space> const keep(begin, indices.size());
  parallel_read<Tag>("read", items, a, map, keep);
  exec.fence();
  EXPECT_TRUE(keep.holds(indices, elements));
}

template <class P, class A, class Map, class Elements>
void check_reduce(A const& a, Map const& map, Indices const& indices, std::int64_t begin, Elements const& elements) {
  using Exec = typename P::exec;
  using Tag  = typename P::backend;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(begin, begin + indices.size());
  std::uint64_t sum = 1;
  parallel_read_reduce<Tag>("sum", items, a, map, Sum(), sum);
  EXPECT_EQ(sum, sum_of(indices, begin, elements));
}

/// Both, three times each: at first, again, and after the original was modified. One transposes at once.
template <class P, class F, class Map>
void check_reads(F& field, Rng& rng, Map const& map, Indices const& indices, std::int64_t begin = 0) {
  ShadowView const a(window(field), ShadowBuild::first_read), b(window(field));
  for (int time = 0; time < 3; ++time) {
    SCOPED_TRACE("read number " + std::to_string(time));
    if (time == 2) {
      fill_for_transpose(field, rng);
      a.invalidate();
      b.invalidate();
    }
    auto const elements = elements_of(field);
    check_read<P>(a, map, indices, begin, elements);
    check_reduce<P>(b, map, indices, begin, elements);
  }
  EXPECT_TRUE(field.device_matches()) << "the original was written";
}

}  // namespace Koalesce::Test

#endif
