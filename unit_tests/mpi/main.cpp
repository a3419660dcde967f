// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RankSupport.hpp"

#include <mpi.h>

#include <cstdlib>
#include <random>

namespace Koalesce::Test {
namespace {
std::vector<std::uint64_t> seeds{20230613};
}

std::vector<std::uint64_t> const& test_seeds() { return seeds; }
double seconds_of_seeds() { return 0; }

}  // namespace Koalesce::Test

/// All ranks run the same tests with the same seeds; rank 0 alone prints what passes.
int main(int argc, char** argv) {
  setenv("KOALESCE_TUNING_FILE", "", 1);
  unsetenv("KOALESCE_TUNING");
  ::testing::InitGoogleTest(&argc, argv);
  int level = 0, rank = 0, failed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    char const* const given = std::getenv("KOALESCE_TEST_SEED");
    std::uint64_t seed      = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()() % 1000000;
    MPI_Bcast(&seed, sizeof(seed), MPI_BYTE, 0, MPI_COMM_WORLD);
    Koalesce::Test::seeds.push_back(seed);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) delete listeners.Release(listeners.default_result_printer());
    if (rank != 0) listeners.Append(new Koalesce::Test::FailuresOnly(rank));
    failed = RUN_ALL_TESTS();
  }
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
