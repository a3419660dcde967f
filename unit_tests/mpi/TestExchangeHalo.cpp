// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BoundaryOracle.hpp"
#include "RankSupport.hpp"

#include <complex>

/// Halos that come from other processes, and fields that go to rank 0 and back.
namespace Koalesce::Test {
namespace {

template <class P>
class ExchangeHalo : public ::testing::Test {};
TYPED_TEST_SUITE(ExchangeHalo, NativePath::types, PathNames);

/// Every halo point of the whole grid, or beyond a period, holds its value; others stay as they were.
template <class Exec, class T, int R, class Layout>
void try_exchange(Rng& rng) {
  Index<R> const halo = random_halo<R>(rng, 3);
  Kokkos::Array<bool, R> periodic{};
  for (int d = 0; d < R; ++d) periodic[d] = random_int(rng, 0, 1) == 1;
  auto const domain = random_domain<R>(rng, halo, periodic);
  Exec const exec;
  for (int again = 0; again < 2; ++again) {
    WholeAndPart<Exec, T, R, Layout> field(domain, halo, halo, rng), other(domain, Index<R>{}, halo, rng);
    field.fill(domain, rng);
    // Beyond a period: as fill_halo fills it, where it does, dimension after dimension.
    Index<R> begin{}, end = field.whole.interior();
    for (int d = 0; d < R; ++d) {
      std::int64_t const n = field.whole.interior()[d];
      if (!periodic[d]) continue;
      begin[d] -= halo[d];
      end[d] += halo[d];
      for_each_index<R>(begin, end, [&](Index<R> const& p) {
        Index<R> q = p;
        q[d]       = ((p[d] % n) + n) % n;
        if (p[d] < 0 || p[d] >= n) field.whole(p) = field.whole(q);
      });
    }
    field.whole.upload();
    // What lies beyond faces is poison on every process, so that nothing but what is exchanged is compared.
    for_each_index<R>(field.whole.low(), field.whole.high(), [&](Index<R> const& p) {
      for (int d = 0; d < R; ++d)
        if (!periodic[d] && (p[d] < 0 || p[d] >= field.whole.interior()[d])) field.whole(p) = poison<T>();
    });
    field.whole.upload();
    field.part.poison_all();
    for_each_index<R>({}, field.part.interior(), [&](Index<R> const& p) {
      Index<R> q = p;
      for (int d = 0; d < R; ++d) q[d] += domain.offset()[d];
      field.part(p) = field.whole(q);
    });
    field.part.upload();
    other.fill(domain, rng);
    exchange_halo(exec, domain, field.part.view(), other.part.view());
    EXPECT_TRUE(field.agrees(halo)) << domain;
    EXPECT_TRUE(other.agrees()) << domain;
  }
}

TYPED_TEST(ExchangeHalo, brings_what_others_have) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 5; ++i) {
      try_exchange<Exec, double, 3, Kokkos::LayoutRight>(rng);
      try_exchange<Exec, float, 3, Kokkos::LayoutLeft>(rng);
      try_exchange<Exec, signed char, 3, Kokkos::LayoutStride>(rng);
      try_exchange<Exec, double, 2, Kokkos::LayoutLeft>(rng);
      try_exchange<Exec, Vec3<double>, 2, Kokkos::LayoutRight>(rng);
      try_exchange<Exec, std::int16_t, 1, Kokkos::LayoutRight>(rng);
    }
  });
}

TYPED_TEST(ExchangeHalo, checks_its_arguments) {
  using Exec     = typename TypeParam::exec;
  using View     = Kokkos::View<double**, typename Exec::memory_space>;
  int const size = size_of_world();
  Domain const domain(MPI_COMM_WORLD, {4 * size, 5}, {.ranks = {size, 1}, .time_limit = 40});
  Exec const exec;
  EXPECT_NE(error_of([&] { exchange_halo(exec, domain, View("u", 5, 5)); }).find("does not match"), std::string::npos);
  EXPECT_NE(error_of([&] { exchange_halo(exec, domain, View()); }).find("does not match"), std::string::npos);
  if (size > 1) {
    EXPECT_NE(error_of([&] { exchange_halo(exec, domain, View("u", 14, 5)); }).find("takes a halo of 5"),
              std::string::npos);
    // One process alone has another argument: all throw.
    int const width = domain.state()->rank() == size - 1 ? 1 : 2;
    EXPECT_NE(error_of([&] { exchange_halo(exec, domain, View("u", 4 + 2 * width, 7)); }).find("but rank 0"),
              std::string::npos);
    std::size_t const n = domain.state()->rank() == size - 1 ? 7 : 6;
    auto const text     = error_of([&] { exchange_halo(exec, domain, View("u", n, 9)); });
    EXPECT_NE(text.find("does not match"), std::string::npos) << text;
    EXPECT_NE(text.find("(on rank " + std::to_string(size - 1) + ")"), std::string::npos) << text;
  }
  View const u("u", 6, 7);
  exchange_halo(exec, domain, u);  // all agree again
}

template <class Exec, class T, int R, class Layout>
void try_gather(Rng& rng) {
  auto const domain = random_domain<R>(rng, Index<R>{}, {});
  WholeAndPart<Exec, T, R, Layout> field(domain, Index<R>{}, random_halo<R>(rng, 2), rng), back = field;
  field.fill(domain, rng);
  back.part        = Field<Exec, T, R, Layout>(domain.extents(), random_halo<R>(rng, 2), rng);
  bool const first = domain.state()->rank() == 0;
  Field<Kokkos::DefaultHostExecutionSpace, T, R, Kokkos::LayoutLeft> all(first ? domain.global_extents() : Index<R>{},
                                                                         Index<R>{}, rng);
  Exec const exec;
  gather(exec, domain, field.part.view(), all.view());
  if (first) {
    for_each_index<R>({}, domain.global_extents(), [&](Index<R> const& p) { all(p) = field.whole(p); });
    EXPECT_TRUE(all.device_matches());
  }
  scatter(exec, domain, all.view(), back.part.view());
  back.whole = field.whole;
  EXPECT_TRUE(back.agrees());
}

TYPED_TEST(ExchangeHalo, gathers_and_scatters) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    try_gather<Exec, double, 3, Kokkos::LayoutRight>(rng);
    try_gather<Exec, float, 3, Kokkos::LayoutLeft>(rng);
    try_gather<Exec, Vec3<float>, 2, Kokkos::LayoutStride>(rng);
    try_gather<Exec, signed char, 1, Kokkos::LayoutRight>(rng);
  });
}

}  // namespace
}  // namespace Koalesce::Test
