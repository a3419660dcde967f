// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_PATH_SAMPLER_HPP
#define KOALESCE_IMPL_PATH_SAMPLER_HPP

#include <Koalesce/RegroupDecision.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace Koalesce::Impl {

/// Looks at the paths of a few runs of neighboring items, spread over a loop: 1/64 of its items, at least 64 runs and
/// at most 256.
class PathSampler {
 public:
  static constexpr int run_items = 32;
  static constexpr int few_runs  = 64;
  static constexpr int most_runs = 256;
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
        std::max(n / (64 * run_items), std::min<std::int64_t>(n / run_items, few_runs)), 1, most_runs));
    return {work.paths, runs, n / runs};
  }

  /// \param[out] report a number that is not 0 when the others are written: items, paths in runs, histogram.
  template <class Exec, class Work>
  static void run(Exec const& exec, std::string const& label, Work const& work, Shape const& shape,
                  std::int64_t* report) {
    Kokkos::TeamPolicy<Exec> policy(exec, 1, Kokkos::AUTO);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    Kokkos::parallel_for(label, policy, Kernel<Work>{work, shape, report});
  }

  static PathSample read(Shape const& shape, std::int64_t const* report) {
    PathSample sample;
    sample.paths         = shape.paths;
    sample.runs          = shape.runs;
    sample.items         = report[1];
    sample.paths_in_runs = report[2];
    std::copy_n(report + 3, PathSample::buckets, sample.histogram);
    return sample;
  }

  using Mask = unsigned long long;

  static constexpr std::size_t scratch_bytes = most_runs * sizeof(Mask) + PathSample::buckets * sizeof(int) + 64;

  template <class Work>
  struct Kernel {
    Work work;
    Shape shape;
    std::int64_t* report;

    template <class Member>
    KOKKOS_FUNCTION void operator()(Member const& team) const {
      auto* const seen = static_cast<Mask*>(team.team_scratch(0).get_shmem_aligned(most_runs * sizeof(Mask), 16));
      auto* const count =
          static_cast<int*>(team.team_scratch(0).get_shmem_aligned(PathSample::buckets * sizeof(int), 16));
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.runs), [&](int r) { seen[r] = 0; });
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, +PathSample::buckets), [&](int b) { count[b] = 0; });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape.runs * run_items), [&](int i) {
        int const r             = i / run_items;
        std::int64_t const item = work.begin + r * shape.step + i % run_items;
        if (item >= work.end) return;
        auto const path = std::int64_t(work.predict(item));
        if (!work.is_path(path)) return;
        int const bucket =
            shape.paths <= PathSample::buckets ? int(path) : int(path * PathSample::buckets / shape.paths);
        Kokkos::atomic_or(&seen[r], Mask(1) << bucket);
        Kokkos::atomic_inc(&count[bucket]);
      });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        std::int64_t items = 0, paths_in_runs = 0;
        for (int r = 0; r < shape.runs; ++r) paths_in_runs += Kokkos::popcount(seen[r]);
        for (int b = 0; b < PathSample::buckets; ++b) {
          report[3 + b] = count[b];
          items += count[b];
        }
        report[1] = items;
        report[2] = paths_in_runs;
        Kokkos::memory_fence();
        Kokkos::atomic_store(report, std::int64_t(1));
      });
    }
  };
};

}  // namespace Koalesce::Impl

#endif
