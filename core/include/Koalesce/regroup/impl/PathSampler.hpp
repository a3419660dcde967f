// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_PATH_SAMPLER_HPP
#define KOALESCE_REGROUP_IMPL_PATH_SAMPLER_HPP

#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace Koalesce::Impl {

/// Looks at the paths of a few runs of neighboring items, spread over a loop: 1/64 of its items, at least 64 runs and
/// at most 256.
class PathSampler {
 public:
  static constexpr int run_items = 32;
  static constexpr int few_runs  = 64;
  static constexpr int max_runs  = 256;
  static constexpr int reports   = PathSample::buckets + 3;  ///< numbers that a kernel writes

  struct Shape {
    int paths         = 0;
    int runs          = 0;
    std::int64_t step = 0;  ///< items from run to run
  };

  template <class Work>
  static Shape shape(Work const& work) {
    std::int64_t const n = work.items();
    int const runs       = int(std::clamp<std::int64_t>(
        std::max(n / (64 * run_items), std::min<std::int64_t>(n / run_items, few_runs)), 1, max_runs));
    return {work.paths, runs, n / runs};
  }

  /// \param[out] report  items, paths in runs, histogram, and last their check(), because the host reads the report
  ///                     without waiting and may see a part of it.
  template <class Exec, class Work>
  static void run(Exec const& exec, std::string const& label, Work const& work, Shape const& shape,
                  std::int64_t* report) {
    Kernel<Work> const kernel{work, shape, report};
    // One team; on a device with as many threads as it can have, because they mostly wait for memory.
    Teams const teams{1, team_threads<Exec>(std::numeric_limits<int>::max()), 0, scratch_bytes};
    Kokkos::parallel_for(label, team_policy(exec, teams, kernel), kernel);
  }

  /// A checksum, which is never 0 for a report.
  KOKKOS_FUNCTION static std::int64_t check(std::int64_t const* report) {
    std::uint64_t sum = 1;
    for (int i = 0; i < reports - 1; ++i) sum = 31 * sum + std::uint64_t(report[i]);
    return sum == 0 ? 1 : std::int64_t(sum);
  }

  static PathSample read(Shape const& shape, std::int64_t const* report) {
    PathSample sample;
    sample.paths         = shape.paths;
    sample.runs          = shape.runs;
    sample.items         = report[0];
    sample.paths_in_runs = report[1];
    std::copy_n(report + 2, PathSample::buckets, sample.histogram);
    return sample;
  }

  using Mask = unsigned long long;

  /// One of 64 numbers for a path (Knuth's multiplicative hash): 32 random paths get 25 different ones on average, and
  /// neighboring paths hardly ever the same.
  KOKKOS_FUNCTION static constexpr int hash(std::int64_t path) {
    return int((std::uint64_t(path) * 0x9e3779b97f4a7c15u) >> 58);
  }

  static constexpr std::size_t scratch_bytes = max_runs * sizeof(Mask) + (PathSample::buckets + 1) * sizeof(int) + 64;

  template <class Work>
  struct Kernel {
    Work work;
    Shape shape;
    std::int64_t* report;

    template <class Member>
    KOKKOS_FUNCTION void operator()(Member const& team) const {
      auto* const seen = static_cast<Mask*>(team.team_scratch(0).get_shmem_aligned(max_runs * sizeof(Mask), 16));
      auto* const count =
          static_cast<int*>(team.team_scratch(0).get_shmem_aligned((PathSample::buckets + 1) * sizeof(int), 16));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.runs), [&](int r) { seen[r] = 0; });
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, PathSample::buckets + 1), [&](int b) { count[b] = 0; });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.runs * run_items), [&](int i) {
        int const r             = i / run_items;
        std::int64_t const item = work.begin + r * shape.step + i % run_items;
        if (item >= work.end) return;
        std::int64_t const path = work.predicted(item);
        if (!work.is_path(path)) return;
        bool const few   = shape.paths <= PathSample::buckets;
        int const bucket = few ? int(path) : int(path * PathSample::buckets / shape.paths);
        Kokkos::atomic_or(&seen[r], Mask(1) << (few ? bucket : hash(path)));
        Kokkos::atomic_inc(&count[bucket]);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.runs), [&](int r) {
        Kokkos::atomic_add(&count[PathSample::buckets], int(Kokkos::popcount(seen[r])));
      });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        std::int64_t numbers[reports] = {0, count[PathSample::buckets]};
        for (int b = 0; b < PathSample::buckets; ++b) numbers[0] += numbers[2 + b] = count[b];
        numbers[reports - 1] = check(numbers);
        for (int i = 0; i < reports; ++i) report[i] = numbers[i];
      });
    }
  };
};

}  // namespace Koalesce::Impl

#endif
