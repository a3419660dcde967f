// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Configuration.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace Koalesce::Test {
namespace {

TEST(Version, IsTheProjectsAndTheCitations) {
  EXPECT_STREQ(KOALESCE_VERSION_STRING, KOALESCE_TEST_PROJECT_VERSION);
  EXPECT_STREQ(KOALESCE_VERSION_STRING, KOALESCE_TEST_CITATION_VERSION);
}

TEST(Version, NumberAndTextAgree) {
  int major = -1, minor = -1, patch = -1;
  char dot[2] = {};
  std::istringstream text(KOALESCE_VERSION_STRING);
  text >> major >> dot[0] >> minor >> dot[1] >> patch;
  ASSERT_TRUE(text && text.eof() && dot[0] == '.' && dot[1] == '.') << KOALESCE_VERSION_STRING;
  EXPECT_EQ(KOALESCE_VERSION, major * 10000 + minor * 100 + patch);
  EXPECT_EQ(major, KOALESCE_VERSION_MAJOR);
  EXPECT_EQ(minor, KOALESCE_VERSION_MINOR);
  EXPECT_EQ(patch, KOALESCE_VERSION_PATCH);
}

/// The native backend of an execution space, spelled out: a fallback chosen in silence does not pass.
std::string native_backend(std::string const& exec) {
  if (exec == "Cuda") return "cuda";
  if (exec == "OpenMP" || exec == "Serial" || exec == "Threads") return "openmp";
  return "portable";
}

/// All that are compiled in, those of one kind of device first.
std::vector<std::string> const all_backends{
#ifdef KOKKOS_ENABLE_CUDA
    "cuda",
#endif
    "openmp", "portable"};

TEST(Configuration, TellsWhatIsCompiled) {
  auto const c = configuration();
  EXPECT_EQ(c.version, KOALESCE_VERSION_STRING);
  EXPECT_EQ(c.kokkos_version, KOALESCE_TEST_KOKKOS_VERSION);
#if defined(KOKKOS_ENABLE_CUDA)
  EXPECT_EQ(c.execution_space, "Cuda");
#elif defined(KOKKOS_ENABLE_HIP)
  EXPECT_EQ(c.execution_space, "HIP");
#elif defined(KOKKOS_ENABLE_OPENMP)
  EXPECT_EQ(c.execution_space, "OpenMP");
#elif defined(KOKKOS_ENABLE_SERIAL) && !defined(KOKKOS_ENABLE_THREADS)
  EXPECT_EQ(c.execution_space, "Serial");
#endif
  EXPECT_EQ(c.backends, all_backends);
  EXPECT_EQ(c.backend, native_backend(c.execution_space));
  EXPECT_EQ(c.host_backend, native_backend(c.host_execution_space));
  EXPECT_NE(c.vector_instructions, "");
}

TEST(Configuration, FollowsTheEnvironment) {
  EXPECT_EQ(configuration().tuning_file, "");
  setenv("KOALESCE_TUNING_FILE", "/somewhere/tuning", 1);
  EXPECT_EQ(configuration().tuning_file, "/somewhere/tuning");
  setenv("KOALESCE_TUNING_FILE", "", 1);
  EXPECT_EQ(configuration().tuning, TuningMode::by_time);
}

TEST(Configuration, PrintsALineAFact) {
  Configuration c{"1.2.3",
                  "5.2.0",
                  {"cuda", "openmp", "portable"},
                  "Cuda",
                  "cuda",
                  "OpenMP",
                  "openmp",
                  "AVX2",
                  true,
                  TuningMode::by_time,
                  "/home/me/tuning"};
  std::ostringstream out;
  print_configuration(out, c);
  EXPECT_EQ(out.str(),
            "Koalesce 1.2.3 with Kokkos 5.2.0\n"
            "  backends: cuda, openmp, portable\n"
            "  default execution space: Cuda, on backend cuda\n"
            "  default host execution space: OpenMP, on backend openmp\n"
            "  vector instructions of CPU loops: AVX2\n"
            "  Kokkos' tuning tools: yes\n"
            "  choices go: by_time\n"
            "  tuning file: /home/me/tuning\n");
  c.tuning_tools = false;
  c.tuning       = TuningMode::by_extents;
  c.tuning_file  = "";
  out.str("");
  print_configuration(out, c);
  EXPECT_NE(out.str().find("tools: no\n  choices go: by_extents\n  tuning file: none\n"), std::string::npos)
      << out.str();
}

TEST(Configuration, PrintsThisOneByDefault) {
  std::ostringstream ours, given;
  print_configuration(ours);
  print_configuration(given, configuration());
  EXPECT_EQ(ours.str(), given.str());
  EXPECT_EQ(ours.str().find(std::string("Koalesce ") + KOALESCE_VERSION_STRING + " with Kokkos "), 0u) << ours.str();
}

}  // namespace
}  // namespace Koalesce::Test
