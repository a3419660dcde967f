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

/// The part knows its interior alone, the whole every value that an exchange brings.
template <class Exec, class T, int R, class Layout>
WholeAndPart<Exec, T, R, Layout> before_exchange(Domain<R> const& domain, Kokkos::Array<bool, R> const& periodic,
                                                 Index<R> const& halo, Rng& rng) {
  WholeAndPart<Exec, T, R, Layout> field(domain, halo, halo, rng);
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
  return field;
}

/// Every halo point of the whole grid, or beyond a period, holds its value; others stay as they were.
template <class Exec, class T, int R, class Layout>
void try_exchange(Rng& rng) {
  Index<R> const halo = random_halo<R>(rng, 3), other_halo = random_halo<R>(rng, 3);
  Index<R> widest;
  Kokkos::Array<bool, R> periodic{};
  for (int d = 0; d < R; ++d) {
    periodic[d] = random_int(rng, 0, 1) == 1;
    widest[d]   = std::max(halo[d], other_halo[d]);
  }
  auto const domain = random_domain<R>(rng, widest, periodic);
  Exec const exec;
  for (int again = 0; again < 2; ++again) {
    auto const field = before_exchange<Exec, T, R, Layout>(domain, periodic, halo, rng);
    auto const other = before_exchange<Exec, std::int16_t, R, Kokkos::LayoutRight>(domain, periodic, other_halo, rng);
    exchange_halo(exec, domain, field.part.view(), other.part.view());
    EXPECT_TRUE(field.agrees(halo)) << domain;
    EXPECT_TRUE(other.agrees(other_halo)) << domain;
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
  WholeAndPart<Exec, T, R, Layout> field(domain, Index<R>{}, random_halo<R>(rng, 2), rng);
  Field<Exec, T, R, Layout> back(domain.extents(), random_halo<R>(rng, 2), rng);
  field.fill(domain, rng);
  bool const first = domain.state()->rank() == 0;
  Field<Kokkos::DefaultHostExecutionSpace, T, R, Kokkos::LayoutLeft> all(first ? domain.global_extents() : Index<R>{},
                                                                         Index<R>{}, rng);
  Exec const exec;
  gather(exec, domain, field.part.view(), all.view());
  if (first) {
    for_each_index<R>({}, domain.global_extents(), [&](Index<R> const& p) { all(p) = field.whole(p); });
    EXPECT_TRUE(all.device_matches());
  }
  scatter(exec, domain, all.view(), back.view());
  for_each_index<R>({}, back.interior(), [&](Index<R> const& p) {
    Index<R> q = p;
    for (int d = 0; d < R; ++d) q[d] += domain.offset()[d];
    back(p) = field.whole(q);
  });
  EXPECT_TRUE(back.device_matches()) << "its halo stays as it was";
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

/// Also after calls that succeeded, and nothing of them comes late.
TYPED_TEST(ExchangeHalo, errors_of_gather_and_scatter_are_those_of_all) {
  using Exec     = typename TypeParam::exec;
  using View     = Kokkos::View<int*, typename Exec::memory_space>;
  int const size = size_of_world();
  Domain const domain(MPI_COMM_WORLD, {3 * size}, {.ranks = {size}, .time_limit = 40});
  int const rank = domain.coordinates()[0];
  Exec const exec;
  View const block("block", 3), wrong("wrong", 2);
  Kokkos::View<int*, Kokkos::HostSpace> const all("all", rank == 0 ? 3 * size : 0);
  Kokkos::View<int*, Kokkos::HostSpace> const few("few", 1);
  for (int call = 0; call < 6; ++call) {
    bool const fails   = call == 2 || call == 4;
    auto const& mine   = call == 2 && rank == size - 1 ? wrong : block;
    auto const& theirs = call == 4 && rank == 0 ? few : all;
    Kokkos::deep_copy(block, 10 * call + rank);
    EXPECT_EQ(error_of([&] { gather(exec, domain, mine, theirs); }) == "none", !fails);
    for (int i = 0; rank == 0 && !fails && i < 3 * size; ++i) EXPECT_EQ(all(i), 10 * call + i / 3);
    if (rank == 0) Kokkos::deep_copy(all, call);
    EXPECT_EQ(error_of([&] { scatter(exec, domain, theirs, mine); }) == "none", !fails);
    if (!fails) {
      auto const now = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(now(i), call);
    }
  }
}

/// What lies beyond a face stays, and comes with a period, whoever has it.
TYPED_TEST(ExchangeHalo, corners_beyond_a_face_and_a_period) {
  using Exec     = typename TypeParam::exec;
  int const size = size_of_world();
  for (auto const& ranks : {Index<2>{1, size}, Index<2>{size, 1}}) {
    Domain const domain(MPI_COMM_WORLD, {2 * size, 2 * size},
                        {.periodic = {false, true}, .ranks = {int(ranks[0]), int(ranks[1])}, .time_limit = 40});
    auto const n = domain.extents(), first = domain.offset(), all = domain.global_extents();
    Kokkos::View<double**, typename Exec::memory_space> const u("u", n[0] + 2, n[1] + 2);
    auto const host  = Kokkos::create_mirror(u);
    auto const value = [&](std::int64_t z, std::int64_t x) { return 100. * double(z) + double((x + all[1]) % all[1]); };
    auto const outside = [&](std::int64_t z) { return z < 0 || z >= all[0]; };
    for (std::int64_t z = -1; z <= n[0]; ++z)
      for (std::int64_t x = -1; x <= n[1]; ++x) {
        bool const inner   = x >= 0 && x < n[1] && ((z >= 0 && z < n[0]) || outside(z + first[0]));
        host(z + 1, x + 1) = inner ? value(z + first[0], x + first[1]) : -1;
      }
    Kokkos::deep_copy(u, host);
    exchange_halo(Exec(), domain, u);
    Exec().fence();
    Kokkos::deep_copy(host, u);
    for (std::int64_t z = -1; z <= n[0]; ++z)
      for (std::int64_t x = -1; x <= n[1]; ++x)
        EXPECT_EQ(host(z + 1, x + 1), value(z + first[0], x + first[1])) << z << ", " << x << " of " << domain;
  }
}

}  // namespace
}  // namespace Koalesce::Test
