// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BitOracle.hpp"

/// Known weights give the same bits before a functor, with a boundary, at active points, in blocks, and reduced.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilBitsCalls : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBitsCalls, DefaultPaths::types, PathNames);

/// The weights' sum as it is.
struct SameSum {
  template <class T, class... I>
  KOKKOS_FUNCTION T operator()(T sum, I...) const {
    return sum;
  }
};

KOKKOS_FUNCTION inline std::uint64_t bits_of(double v) { return Kokkos::bit_cast<std::uint64_t>(v); }
KOKKOS_FUNCTION inline std::uint64_t bits_of(float v) { return Kokkos::bit_cast<std::uint32_t>(v); }

/// And the sum of all bits, which wraps around, and so depends on no order.
struct AddBits {
  template <class T>
  KOKKOS_FUNCTION T operator()(T sum, std::int64_t, std::int64_t, std::int64_t, std::uint64_t& bits) const {
    bits += bits_of(sum);
    return sum;
  }
};

/// A field's values as if it were repeated beyond its ends.
template <class TestField>
struct Repeated {
  TestField const& field;

  auto operator()(Index<3> p) const {
    for (int d = 0; d < 3; ++d) p[d] = (p[d] + field.interior()[d]) % field.interior()[d];
    return field(p);
  }
};

/// No dimension has fewer points than the widest radius.
Index<3> some_extents(Rng& rng) {
  auto n = random_extents<3>(rng, 4000);
  for (auto d = 0; d < 3; ++d) n[d] = std::max<std::int64_t>(n[d], 4);
  return n;
}

template <class P, class Weights>
Weights weights_of(Rng& rng) {
  return Weights([&](auto...) { return RandomNumber<typename Weights::weight_type>::make(rng); });
}

/// Runs call(taps) with all taps and compares.
template <class P, class Out, class Call>
void compare_calls(char const* what, Out& out, Call const& call) {
  SCOPED_TRACE(what);
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    // Time chooses in the first calls.
    for (int n = 0; n < (taps == StencilTaps::automatic ? 3 : 1); ++n) {
      out.poison_device();
      call(taps);
      typename P::exec().fence();
      EXPECT_TRUE(out.device_matches(SameBits()));
    }
  }
}

template <class P, class Weights, class T, class Layout>
void try_calls(Rng& rng) {
  using Shape     = typename Weights::shape_type;
  using Exec      = typename P::exec;
  using TestField = Field<Exec, T, 3, Layout>;
  auto const n    = some_extents(rng);
  SCOPED_TRACE("interior " + to_string<3>(n));
  TestField in(n, halo_for<Shape>(rng, 1), rng), out(n, some_halo<3>(rng), rng);
  in.fill(rng, [](Rng& r) { return RandomNumber<T>::make(r); });
  auto const weights = weights_of<P, Weights>(rng);
  typename SumOf<Exec, Weights>::type const sum{weights, marches_last(out.view())};
  StencilPolicy<Exec, Shape, typename P::backend> const policy(Exec(), n);

  std::uint64_t expected = 0;
  for_each_index<3>({}, n, [&](Index<3> const& p) {
    out(p) = T(sum(ValuesAround<3, TestField>{in, p}));
    expected += bits_of(out(p));
  });
  compare_calls<P>("then", out, [&](StencilTaps taps) {
    parallel_stencil("then", policy.with_taps(taps), in.view(), out.view(), weights, SameSum());
  });
  compare_calls<P>("reduce", out, [&](StencilTaps taps) {
    std::uint64_t bits = 1;
    parallel_stencil_reduce("reduce", policy.with_taps(taps), in.view(), out.view(), weights, AddBits(), bits);
    EXPECT_EQ(bits, expected);
  });

  Field<Exec, int, 3, Layout> mask(n, {}, rng);
  mask.fill(rng, [](Rng& r) { return int(r() % 2); });
  ActivePoints const active(policy, mask.view());
  for_each_index<3>({}, n, [&](Index<3> const& p) {
    if (mask(p) == 0) out(p) = poison<T>();
  });
  compare_calls<P>("active", out, [&](StencilTaps taps) {
    parallel_stencil("active", policy.with_taps(taps).with_active(active), in.view(), out.view(), weights, SameSum());
  });

  Repeated<TestField> const repeated{in};
  for_each_index<3>({}, n, [&](Index<3> const& p) {
    out(p) = T(sum(ValuesAround<3, Repeated<TestField>>{repeated, p}));
  });
  auto const periodic = policy.with_boundary(Periodic());
  compare_calls<P>("boundary", out, [&](StencilTaps taps) {
    parallel_stencil("boundary", periodic.with_taps(taps), in.view(), out.view(), weights);
  });
  compare_calls<P>("boundary, then", out, [&](StencilTaps taps) {
    parallel_stencil("boundary, then", periodic.with_taps(taps), in.view(), out.view(), weights, SameSum());
  });
}

template <class P, class Weights, class T>
void try_blocks(Rng& rng) {
  using Shape     = typename Weights::shape_type;
  using Exec      = typename P::exec;
  using TestField = Field<Exec, T, 4>;
  auto const n    = some_extents(rng);
  SCOPED_TRACE("interior " + to_string<3>(n));
  auto const h = halo_for<Shape>(rng, 1);
  Index<4> const blocks{3, n[0], n[1], n[2]};
  TestField in(blocks, {0, h[0], h[1], h[2]}, rng), out(blocks, {}, rng);
  in.fill(rng, [](Rng& r) { return RandomNumber<T>::make(r); });
  auto const weights = weights_of<P, Weights>(rng);
  typename SumOf<Exec, Weights>::type const sum{weights, false};
  for_each_index<4>({}, blocks, [&](Index<4> const& p) {
    auto const block = [&](Index<3> const& q) { return in({p[0], q[0], q[1], q[2]}); };
    out(p)           = T(sum(ValuesAround<3, decltype(block)>{block, {p[1], p[2], p[3]}}));
  });
  StencilPolicy<Exec, Shape, typename P::backend> const policy(Exec(), n);
  compare_calls<P>("blocks", out, [&](StencilTaps taps) {
    parallel_stencil("blocks", policy.with_taps(taps).with_blocks(3), in.view(), out.view(), weights, SameSum());
  });
}

template <class P, class Weights, class T, class Layout>
void try_all() {
  for_each_seed([](Rng& rng) {
    for (int round = 0; round < 3; ++round) {
      try_calls<P, Weights, T, Layout>(rng);
      try_blocks<P, Weights, T>(rng);
    }
  });
}

TYPED_TEST(StencilBitsCalls, star421_left) {
  try_all<TypeParam, LinearStencil<double, Star<4, 2, 1>>, double, Kokkos::LayoutLeft>();
}
TYPED_TEST(StencilBitsCalls, symmetric_box111) {
  try_all<TypeParam, SymmetricStencil<float, Box<1, 1, 1>>, float, Kokkos::LayoutRight>();
}

}  // namespace
}  // namespace Koalesce::Test
