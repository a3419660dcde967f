// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RankSupport.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

/// How points are divided among processes.
namespace Koalesce::Test {
namespace {

TEST(Domain, parts_cover_the_grid_once) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 20; ++i) {
      std::int64_t const points = random_int(rng, 1, 50);
      int const parts           = int(random_int(rng, 1, points));
      std::int64_t next = 0, least = points, most = 0;
      for (int p = 0; p < parts; ++p) {
        auto const part = Impl::part_of(points, parts, p);
        EXPECT_EQ(part.first, next);
        next += part.count;
        least = std::min(least, part.count);
        most  = std::max(most, part.count);
      }
      EXPECT_EQ(next, points);
      EXPECT_LE(most - least, 1);
      EXPECT_GE(least, 1);
    }
  });
}

TEST(Domain, grids_have_the_least_surface) {
  using Grid      = Kokkos::Array<int, 3>;
  auto const grid = [](Index<3> const& n, int processes, Grid const& wanted = {}) {
    auto const g = Impl::choose_grid<3>(n, processes, wanted, {}, 2);
    return std::vector<int>{g[0], g[1], g[2]};
  };
  using Is = std::vector<int>;
  EXPECT_EQ(grid({100, 100, 100}, 1), (Is{1, 1, 1}));
  EXPECT_EQ(grid({100, 100, 100}, 2), (Is{2, 1, 1}));
  EXPECT_EQ(grid({100, 100, 100}, 4), (Is{2, 2, 1}));
  EXPECT_EQ(grid({100, 400, 100}, 2), (Is{1, 2, 1}));
  EXPECT_EQ(grid({100, 100, 10000}, 2), (Is{1, 1, 2}));  // long rows are divided, too
  EXPECT_EQ(grid({100, 100, 100}, 4, {1, 0, 0}), (Is{1, 4, 1}));
  EXPECT_EQ(grid({2, 2, 100}, 8), (Is{1, 1, 8}));
  EXPECT_EQ(grid({2, 2, 1}, 8), (Is{0, 0, 0}));
  EXPECT_EQ(grid({5, 5, 5}, 7), (Is{0, 0, 0}));
}

/// Of equal dimensions; the first has most parts where that is all the same.
TEST(Domain, the_contiguous_dimension_is_divided_last) {
  using Grid          = Kokkos::Array<int, 3>;
  Index<3> const cube = index_of<3>(64);
  for (int const processes : {2, 3, 4, 5, 6, 7, 8, 12, 64, 512}) {
    auto const last  = Impl::choose_grid<3>(cube, processes, Grid{}, {}, 2);
    auto const first = Impl::choose_grid<3>(cube, processes, Grid{}, {}, 0);
    EXPECT_EQ(first[0], last[2]) << processes;
    EXPECT_EQ(Impl::halo_surface<3>(cube, first, {}, 0), Impl::halo_surface<3>(cube, last, {}, 2)) << processes;
    if (processes <= 8) {
      EXPECT_EQ(first[0], 1) << processes;
    }
  }
  auto const in_first = [](Index<3> const& n, int processes) {
    return Impl::choose_grid<3>(n, processes, Grid{}, {}, 0)[0];
  };
  EXPECT_GT(in_first(cube, 512), 1);
  EXPECT_EQ(in_first({700, 100, 100}, 2), 1);
  EXPECT_EQ(in_first({900, 100, 100}, 2), 2) << "more than eight times as long as the others";
}

TEST(Domain, processes_have_all_points_once) {
  for_each_seed([](Rng& rng) {
    Domain<3> const domain = random_domain<3>(rng, {1, 1, 1}, {true, false, true});
    std::int64_t mine = 1, all = 0, whole = 1, product = 1;
    for (int d = 0; d < 3; ++d) {
      mine *= domain.extents()[d];
      whole *= domain.global_extents()[d];
      product *= domain.ranks()[d];
      EXPECT_EQ(domain.has_neighbor(d, -1), d != 1 || domain.offset()[d] > 0);
      EXPECT_EQ(domain.has_neighbor(d, 1),
                d != 1 || domain.offset()[d] + domain.extents()[d] < domain.global_extents()[d]);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, domain.comm());
    EXPECT_EQ(all, whole);
    EXPECT_EQ(product, size_of_world());
  });
}

TEST(Domain, prints_itself) {
  Domain const domain(MPI_COMM_SELF, {20, 30});
  std::ostringstream text;
  text << domain;
  EXPECT_EQ(text.str().substr(0, text.str().rfind(" by ")),
            "20 x 30 points over 1 x 1 processes; rank 0: 20 x 30 from (0, 0); halos");
}

TEST(Domain, errors_are_those_of_all_processes) {
  int rank = 0, size = size_of_world();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const has = [](std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(has(error_of([] { Domain domain(MPI_COMM_WORLD, {0, 3}); }), "0 points in dimension 0"));
  EXPECT_TRUE(has(error_of([] { Domain domain(MPI_COMM_WORLD, {3, 3}, {.ranks = {-1, 0}}); }), "-1 processes"));
  EXPECT_TRUE(has(error_of([] { Domain domain(MPI_COMM_WORLD, {3, 3}, {.contiguous = 2}); }), "contiguous"));
  EXPECT_TRUE(has(error_of([] { Domain domain(MPI_COMM_WORLD, {3, 3}, {.time_limit = -1}); }), "time limit is -1 s"));
  auto const limit = rank == 0 ? -2. : 40.;
  EXPECT_TRUE(has(error_of([&] { Domain domain(MPI_COMM_WORLD, {30, 30}, {.time_limit = limit}); }), "time limit"));
  EXPECT_TRUE(has(error_of([&] {
                    Domain domain(MPI_COMM_WORLD, {100, 100}, {.ranks = {size + 1, 1}});
                  }),
                  "the communicator has " + std::to_string(size)));
  if (size > 1) {
    EXPECT_TRUE(has(error_of([] { Domain domain(MPI_COMM_WORLD, {1, 1}); }), "more than can have points"));
    EXPECT_TRUE(has(error_of([&] { Domain domain(MPI_COMM_WORLD, {100, 100 + rank}); }), "rank 1 calls"));
  }
}

TEST(Domain, exceptions_of_others_are_errors_of_all_processes) {
  Domain const domain(MPI_COMM_WORLD, {size_of_world()}, {.time_limit = 40});
  bool const first = domain.state()->rank() == 0;
  auto const text  = error_of([&] {
    domain.state()->agree_always("call", "", [&] {
      if (first) throw std::runtime_error("no memory");
    });
  });
  EXPECT_EQ(text, "call: no memory (on rank 0)");
}

TEST(Domain, transports_are_agreed_on) {
  char const* const name   = "KOALESCE_DISTRIBUTED_TRANSPORT";
  char const* const given  = std::getenv(name);
  std::string const before = given != nullptr ? given : "";
  int rank                 = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const error_with = [&](char const* transport) {
    setenv(name, transport, 1);
    return error_of([] { Domain domain(MPI_COMM_WORLD, {100, 100}); });
  };
  EXPECT_EQ(error_with("host"), "none");
  EXPECT_EQ(error_with(""), "none");
  EXPECT_NE(error_with("pigeons").find("of rank 0 names no transport"), std::string::npos);
  if (size_of_world() > 1) {
    EXPECT_NE(error_with(rank == 1 ? "host" : "").find("of rank 1 is not that of rank 0"), std::string::npos);
  }
  if (given != nullptr) setenv(name, before.c_str(), 1);
  else unsetenv(name);
}

}  // namespace
}  // namespace Koalesce::Test
