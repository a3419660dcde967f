// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <cstdlib>
#include <cstring>

namespace Koalesce::Test {
namespace {

std::vector<std::uint64_t> seeds{20230613};

void set_varied_seed(int argc, char** argv) {
  std::uint64_t seed = std::random_device()() % 1000000;
  if (char const* text = std::getenv("KOALESCE_TEST_SEED")) seed = std::strtoull(text, nullptr, 10);
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--seed=", 7) == 0) seed = std::strtoull(argv[i] + 7, nullptr, 10);
  seeds.push_back(seed);
}

}  // namespace

std::vector<std::uint64_t> const& test_seeds() { return seeds; }

}  // namespace Koalesce::Test

/// Sanitizers end a program that asks for more memory than there is, unless told otherwise; tests do ask.
extern "C" char const* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" char const* __tsan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char** argv) {
  setenv("KOALESCE_CACHE_DIR", "", 1);  // nothing of a test stays, nothing from elsewhere comes in
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  Koalesce::Test::set_varied_seed(argc, argv);
  return RUN_ALL_TESTS();
}
