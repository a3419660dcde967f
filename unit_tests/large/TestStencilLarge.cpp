// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LargeSupport.hpp"

/// More than 2^31 points. Fields of one byte an element: 2 GiB each.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilLarge : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLarge, DefaultPaths::types, PathNames);

using Byte = std::int8_t;

/// What the field holds at an element, and the stencil makes of it.
struct Value {
  KOKKOS_FUNCTION Byte operator()(std::int64_t i) const { return Byte((i ^ (i >> 13) ^ (i >> 29)) & 63); }
};

struct Line {
  template <class U>
  KOKKOS_FUNCTION Byte operator()(U const& u, std::int64_t i) const {
    return Byte(u(1) - u(-1) + (i & 1));
  }
};

struct Plane {
  template <class U>
  KOKKOS_FUNCTION Byte operator()(U const& u, std::int64_t, std::int64_t, std::int64_t x) const {
    return Byte(u(1, 0, 0) - u(0, 0, -1) + (x & 1));
  }
};

/// The element at a point of a field of extents n (and no halo), and what the stencil is to write there.
template <int Rank>
struct Expected {
  Index<Rank> n;  // extents of the input, halo included

  KOKKOS_FUNCTION Byte operator()(std::int64_t i) const {
    Value const value;
    if constexpr (Rank == 1) {
      return Byte(value(i + 2) - value(i) + (i & 1));
    } else {
      std::int64_t const x = i % (n[2] - 2), y = i / (n[2] - 2) % (n[1] - 2), z = i / (n[2] - 2) / (n[1] - 2);
      std::int64_t const plane = n[1] * n[2], center = (z + 1) * plane + (y + 1) * n[2] + x + 1;
      return Byte(value(center + plane) - value(center - 1) + (x & 1));
    }
  }
};

template <class View>
struct Fill {
  View view;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { view.data()[i] = Value()(i); }
};

template <class View, int Rank>
struct CountWrong {
  View view;
  Expected<Rank> expected;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const { wrong += view.data()[i] != expected(i); }
};

/// \param[in] n interior points.
template <class P, class Shape, class Functor>
void try_large(Index<Shape::rank> const& n, Functor const& functor) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  using Range        = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using View         = Kokkos::View<DataType<Byte, rank>, Kokkos::LayoutRight, typename Exec::memory_space>;
  Exec const exec;
  Index<rank> with_halo = n;
  for (int d = 0; d < rank; ++d) with_halo[d] += 2;
  auto const make = [&](std::string const& label, Index<rank> const& e) {
    auto const alloc = Kokkos::view_alloc(Kokkos::WithoutInitializing, label);
    if constexpr (rank == 1) return View(alloc, e[0]);
    else return View(alloc, e[0], e[1], e[2]);
  };
  View const in = make("in", with_halo), out = make("out", n);
  ASSERT_GT(out.size(), std::size_t(1) << 31);

  Kokkos::parallel_for("fill", Range(exec, 0, in.size()), Fill<View>{in});
  parallel_stencil("large", StencilPolicy<Exec, Shape, typename P::backend>(exec, n), in, out, functor);
  std::int64_t wrong = -1;
  Kokkos::parallel_reduce("check", Range(exec, 0, out.size()), CountWrong<View, rank>{out, {with_halo}}, wrong);
  EXPECT_EQ(wrong, 0);
}

template <class P, class Shape, class Functor>
void try_where_it_fits(Index<Shape::rank> const& n, Functor const& functor) {
  constexpr bool on_host = std::is_same_v<typename P::exec::memory_space, Kokkos::HostSpace>;
  if (on_host && !host_has_gib(8)) GTEST_SKIP() << "needs 8 GiB of free memory";
  try_large<P, Shape>(n, functor);
}

TYPED_TEST(StencilLarge, line) { try_where_it_fits<TypeParam, Box<1>>({(std::int64_t(1) << 31) + 77}, Line()); }

TYPED_TEST(StencilLarge, planes) { try_where_it_fits<TypeParam, Star<1, 1, 1>>({3, 26755, 26757}, Plane()); }

}  // namespace
}  // namespace Koalesce::Test
