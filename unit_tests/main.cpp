// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Version.hpp>

#include <cstdlib>
#include <cstring>

#include "Provenance.hpp"

namespace Koalesce::Test {
namespace {

std::vector<std::uint64_t> seeds{20230613};
double seconds = 0;

/// The value of an option --name=<value>, else of the environment's variable, else nothing.
char const* setting(int argc, char** argv, std::string const& option, char const* variable) {
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], option.c_str(), option.size()) == 0) return argv[i] + option.size();
  return std::getenv(variable);
}

/// --seed=<number>, instead of one from the system, --seeds=<how many>, which count up from it, and --seconds=<a test>.
void set_varied_seeds(int argc, char** argv) {
  std::uint64_t seed = std::random_device()() % 1000000, count = 1;
  if (auto const* text = setting(argc, argv, "--seed=", "KOALESCE_TEST_SEED")) seed = std::strtoull(text, nullptr, 10);
  if (auto const* text = setting(argc, argv, "--seeds=", "KOALESCE_TEST_SEEDS"))
    count = std::strtoull(text, nullptr, 10);
  for (std::uint64_t i = 0; i < count; ++i) seeds.push_back(seed + i);
  if (auto const* text = setting(argc, argv, "--seconds=", "KOALESCE_TEST_SECONDS")) seconds = std::atof(text);
}

/// What the XML of a run (--gtest_output=xml:<file>) says of itself; tools/test_totals reads it.
void record_provenance() {
  auto const record = [](char const* name, std::string const& value) { ::testing::Test::RecordProperty(name, value); };
  record("machine", Provenance::machine());
  record("execution_space", Kokkos::DefaultExecutionSpace::name());
  record("backends", Provenance::backends());
  record("kokkos", Provenance::kokkos_version());
  record("koalesce", KOALESCE_VERSION_STRING);
  record("commit", Provenance::git_commit());
  record("compiler", Provenance::compiler());
}

}  // namespace

std::vector<std::uint64_t> const& test_seeds() { return seeds; }
double seconds_of_seeds() { return seconds; }

}  // namespace Koalesce::Test

/// Sanitizers end a program that asks for more memory than there is, unless told otherwise; tests do ask.
extern "C" char const* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" char const* __tsan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char** argv) {
  // Nothing of a test stays, nothing from elsewhere comes in.
  setenv("KOALESCE_TUNING_FILE", "", 1);
  unsetenv("KOALESCE_TUNING");
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  Koalesce::Test::set_varied_seeds(argc, argv);
  Koalesce::Test::record_provenance();
  return RUN_ALL_TESTS();
}
