// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

#include <cstdint>

namespace Koalesce::Test {
namespace {

template <class P>
class MakeField : public ::testing::Test {};

TYPED_TEST_SUITE(MakeField, NativePath::types, PathNames);

template <class View>
auto& element(View const& view, Index<View::rank()> const& at) {
  if constexpr (View::rank() == 1) return view(at[0]);
  else if constexpr (View::rank() == 2) return view(at[0], at[1]);
  else if constexpr (View::rank() == 3) return view(at[0], at[1], at[2]);
  else return view(at[0], at[1], at[2], at[3]);
}

/// What the address of a field's first interior point in any row is a multiple of.
template <class View, bool Blocks>
constexpr std::size_t alignment =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible ? 64
    : Blocks                                                                               ? 32
                                                                                           : 128;

/// A View of its extents without gaps: Kokkos copies no others between host and device.
template <class View>
auto without_gaps(View const& view) {
  Kokkos::LayoutRight layout;
  for (std::size_t d = 0; d < View::rank(); ++d) layout.dimension[d] = view.extent(d);
  return Kokkos::View<typename View::non_const_data_type, Kokkos::LayoutRight, typename View::memory_space>("plain",
                                                                                                            layout);
}

template <class View>
auto on_host_copy(View const& view) {
  auto const plain = without_gaps(view);
  Kokkos::deep_copy(plain, view);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain);
}

template <class T, class Policy>
void check_field_of(Policy const& policy, typename Policy::extents_type const& halo) {
  constexpr int rank = Policy::field_rank, first = rank - Policy::rank;
  auto const field = make_field<T>("field", policy, halo);
  using View       = std::decay_t<decltype(field)>;
  static_assert(std::is_same_v<typename View::memory_space, typename Policy::execution_space::memory_space>);
  static_assert(std::is_same_v<typename View::value_type, T>);
  SCOPED_TRACE("interior " + to_string<Policy::rank>(policy.extents()) + ", halo " + to_string<Policy::rank>(halo));

  EXPECT_EQ(field.label(), "field");
  EXPECT_EQ(field.stride(rank - 1), 1u);
  if constexpr (first > 0) {
    EXPECT_EQ(std::int64_t(field.extent(0)), policy.domain().blocks());
  }
  for (int d = 0; d < Policy::rank; ++d)
    EXPECT_EQ(std::int64_t(field.extent(d + first)), policy.extents()[d] + 2 * halo[d]);
  if (field.size() == 0) return;

  auto const row                  = reinterpret_cast<std::uintptr_t>(field.data() + halo[Policy::rank - 1]);
  constexpr std::size_t multiples = alignment<View, (first > 0)>;
  EXPECT_EQ(row % multiples, 0u);
  for (int d = 0; d + 1 < rank; ++d) EXPECT_EQ(field.stride(d) * sizeof(T) % multiples, 0u);

  auto const host = on_host_copy(field);
  Index<rank> all;
  for (int d = 0; d < rank; ++d) all[d] = std::int64_t(field.extent(d));
  for_each_index<rank>({}, all, [&](Index<rank> const& p) { EXPECT_EQ(element(host, p), T()); });
}

TYPED_TEST(MakeField, rows_of_the_interior_are_aligned) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  for_each_seed([&](Rng& rng) {
    for (int k = 0; k < 12; ++k) {
      auto const n = random_extents<3>(rng, 4000);
      auto const h = random_halo<3>(rng, 5);
      check_field_of<double>(StencilPolicy<Exec, Star<1, 1, 1>>(exec, n), h);
      check_field_of<float>(StencilPolicy<Exec, Star<1, 1>>(exec, n[0], n[1]), {h[0], h[1]});
      check_field_of<signed char>(StencilPolicy<Exec, Star<1>>(exec, n[2]), {h[2]});
      check_field_of<double>(StencilPolicy<Exec, Star<1, 1, 1>>(exec, n[0] % 8, n[1] % 9, n[2]).with_blocks(k), h);
      check_field_of<float>(StencilPolicy<Exec, Star<1>>(exec, n[2]).with_blocks(3), {h[2]});
      check_field_of<Kokkos::complex<double>>(StencilPolicy<Exec, Star<1, 1>>(exec, n[1], n[2]), {h[1], h[2]});
    }
  });
}

TYPED_TEST(MakeField, has_the_halo_that_the_shape_reads) {
  using Exec = typename TypeParam::exec;
  StencilPolicy<Exec, Staged<Star<1, 2, 1>, Box<0, 2, 1>>> const policy(Exec(), 5, 6, 7);
  auto const field = make_field<float>("staged", policy);
  EXPECT_EQ(field.extent(0), 5u + 2);
  EXPECT_EQ(field.extent(1), 6u + 8);
  EXPECT_EQ(field.extent(2), 7u + 4);
}

TYPED_TEST(MakeField, stencils_take_it) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  for_each_seed([&](Rng& rng) {
    LinearStencil<double, Star<1, 2, 3>> const weights([](int z, int y, int x) { return 4 + z - 2 * y + 3 * x; });
    for (int k = 0; k < 6; ++k) {
      StencilPolicy<Exec, Star<1, 2, 3>> const policy(exec, random_extents<3>(rng, 4000));
      auto const u = make_field<double>("u", policy), next = make_field<double>("next", policy);
      auto const plain = without_gaps(u);
      auto const host  = Kokkos::create_mirror_view(plain);
      for_each_index<3>({}, {std::int64_t(u.extent(0)), std::int64_t(u.extent(1)), std::int64_t(u.extent(2))},
                        [&](Index<3> const& p) { element(host, p) = double(random_int(rng, -9, 9)); });
      Kokkos::deep_copy(plain, host);
      Kokkos::deep_copy(u, plain);
      parallel_stencil("made", policy, u, next, weights);
      exec.fence();

      auto const result = on_host_copy(next);
      for_each_index<3>({}, policy.extents(), [&](Index<3> const& p) {
        double sum = 0;
        for (int z = -1; z <= 1; ++z)
          for (int y = -2; y <= 2; ++y)
            for (int x = -3; x <= 3; ++x)
              if (Star<1, 2, 3>::contains(z, y, x))
                sum += weights(z, y, x) * host(p[0] + 1 + z, p[1] + 2 + y, p[2] + 3 + x);
        EXPECT_EQ(result(p[0] + 1, p[1] + 2, p[2] + 3), sum);
      });
    }
  });
}

TYPED_TEST(MakeField, refuses_negative_numbers) {
  using Exec = typename TypeParam::exec;
  EXPECT_THROW(make_field<double>("u", StencilPolicy<Exec, Star<1, 1>>(Exec(), 4, -1)), Error);
  EXPECT_THROW(make_field<double>("u", StencilPolicy<Exec, Star<1, 1>>(Exec(), 4, 4), {1, -1}), Error);
}

}  // namespace
}  // namespace Koalesce::Test
