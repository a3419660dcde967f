// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RankSupport.hpp"

#include <Koalesce/Checkpoint.hpp>

#include <filesystem>
#include <fstream>
#include <string>

/// Fields in a file, and back into other processes' parts.
namespace Koalesce::Test {
namespace {

template <class P>
class Checkpoint : public ::testing::Test {};
TYPED_TEST_SUITE(Checkpoint, NativePath::types, PathNames);

template <class Exec, class T, int R, class Layout>
void try_checkpoint(Rng& rng) {
  TestFile const file("checkpoint");
  auto const domain = random_domain<R>(rng, Index<R>{}, {});
  WholeAndPart<Exec, T, R, Layout> u(domain, Index<R>{}, random_halo<R>(rng, 2), rng),
      v(domain, Index<R>{}, random_halo<R>(rng, 2), rng);
  u.fill(domain, rng);
  v.fill(domain, rng);
  Exec const exec;
  std::int64_t const step = random_int(rng, 0, 1LL << 40);
  for (int again = 0; again < 2; ++again)
    write_checkpoint(exec, domain, file.path, step, named("u", u.part.view()), named("v", v.part.view()));

  // The same processes in another grid, then fewer of them.
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int const fewer : {0, 1}) {
    int const color = fewer == 0 || rank < (size_of_world() + 1) / 2 ? 0 : 1;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &comm);
    {
      Domain<R> const other(comm, domain.global_extents(), {.time_limit = 40});
      WholeAndPart<Exec, T, R, Layout> found(other, Index<R>{}, random_halo<R>(rng, 2), rng);
      found.whole = v.whole;
      EXPECT_EQ(read_checkpoint(exec, other, file.path, named("v", found.part.view())), step);
      EXPECT_TRUE(found.agrees()) << other;
    }
    MPI_Comm_free(&comm);
  }
}

TYPED_TEST(Checkpoint, other_processes_read_what_was_written) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    try_checkpoint<Exec, double, 3, Kokkos::LayoutRight>(rng);
    try_checkpoint<Exec, float, 3, Kokkos::LayoutLeft>(rng);
    try_checkpoint<Exec, Vec3<double>, 2, Kokkos::LayoutStride>(rng);
    try_checkpoint<Exec, std::int16_t, 1, Kokkos::LayoutRight>(rng);
  });
}

TYPED_TEST(Checkpoint, errors_leave_the_file_before) {
  using Exec = typename TypeParam::exec;
  using View = Kokkos::View<double**, typename Exec::memory_space>;
  TestFile const file("checkpoint_errors");
  int const size = size_of_world();
  Domain const domain(MPI_COMM_WORLD, {2 * size, 5}, {.ranks = {size, 1}, .time_limit = 40});
  Domain const larger(MPI_COMM_WORLD, {3 * size, 5}, {.ranks = {size, 1}, .time_limit = 40});
  Exec const exec;
  View const u("u", 4, 5), large("large", 3, 5);
  Kokkos::View<float**, typename Exec::memory_space> const single("single", 2, 5);
  auto const says = [](std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(error_of([&] { read_checkpoint(exec, domain, file.path, named("u", u)); }),
                   "could not be opened; see whether it is there, readable"));
  EXPECT_TRUE(says(error_of([&] { write_checkpoint(exec, domain, file.folder / "none" / "a.h5", 1, named("u", u)); }),
                   "could not be opened; see whether the folder is there, writable"));
  for (std::string const name : {"", "."})
    EXPECT_TRUE(
        says(error_of([&] { write_checkpoint(exec, domain, file.path, 1, named(name, u)); }), "give it another"));
  EXPECT_TRUE(
      says(error_of([&] { write_checkpoint(exec, domain, file.path, 1, named("a/b", u)); }), "without a slash"));
  EXPECT_TRUE(says(error_of([&] { write_checkpoint(exec, domain, file.folder, 1, named("u", u)); }), "take its name"));
  // Rank 0 removes what it wrote, after the others may have gone on.
  TestFile::on_rank_0([&] { EXPECT_FALSE(std::filesystem::exists(file.folder.string() + ".part")); });
  Kokkos::View<int**, typename Exec::memory_space> const whole("whole", 2, 5);
  Kokkos::View<unsigned**, typename Exec::memory_space> const natural("natural", 2, 5);
  write_checkpoint(exec, domain, file.path, 7, named("whole", whole));
  EXPECT_TRUE(
      says(error_of([&] { read_checkpoint(exec, domain, file.path, named("whole", natural)); }), "another type"));
  write_checkpoint(exec, domain, file.path, 7, named("u", u));
  EXPECT_TRUE(says(error_of([&] { read_checkpoint(exec, domain, file.path, named("v", u)); }), "no field \"v\""));
  EXPECT_TRUE(says(error_of([&] { read_checkpoint(exec, domain, file.path, named("u", single)); }), "another type"));
  EXPECT_TRUE(
      says(error_of([&] { read_checkpoint(exec, larger, file.path, named("u", large)); }), "unlike the domain's grid"));
  EXPECT_TRUE(
      says(error_of([&] { write_checkpoint(exec, domain, file.path, 8, named("u", large)); }), "does not match"));
  EXPECT_TRUE(says(error_of([&] { write_checkpoint(exec, domain, file.path, 9, named("u", u), named("u", u)); }),
                   "two fields have the name \"u\""));
  EXPECT_EQ(read_checkpoint(exec, domain, file.path, named("u", u)), 7);
  TestFile::on_rank_0([&] {
    std::ofstream(file.path) << "no checkpoint";
    EXPECT_FALSE(std::filesystem::exists(file.path.string() + ".part"));
  });
  EXPECT_TRUE(says(error_of([&] { read_checkpoint(exec, domain, file.path, named("u", u)); }), "could not be opened"));
}

}  // namespace
}  // namespace Koalesce::Test
