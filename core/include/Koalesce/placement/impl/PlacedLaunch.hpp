// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACED_LAUNCH_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACED_LAUNCH_HPP

#include <Koalesce/common/Backend.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

/// Running placed kernels. They take Kokkos' team handles, so Kokkos launches them for every backend; level 1 of its
/// scratch memory is the global memory. Backends differ only in what they tell of kernel and machine.
namespace Koalesce::Impl {

/// \param[in] probe  whether the policy is only queried for its limits, not run.
template <class Policy, class Placed>
auto placement_teams(Policy const& policy, Placed const& kernel, bool probe = false) {
  typename Policy::team_policy teams(policy.space(), probe ? 1 : int(policy.league_size()),
                                     probe ? 1 : policy.team_size());
  if (kernel.scratch_bytes() > 0) teams.set_scratch_size(0, Kokkos::PerTeam(int(kernel.scratch_bytes())));
  if (kernel.global_bytes() > 0) teams.set_scratch_size(1, Kokkos::PerTeam(int(kernel.global_bytes())));
  return teams;
}

template <class Policy, class Placed>
void run_placed(std::string const& name, Policy const& policy, Placed const& kernel) {
  Kokkos::parallel_for(name, placement_teams(policy, kernel), kernel);
}

/// Empty, or why the kernel cannot run.
template <class Policy, class Placed>
std::string placement_misfit(Policy const& policy, Placed const& kernel) {
  auto const probe = placement_teams(policy, kernel, true);
  for (int const level : {0, 1}) {
    std::size_t const bytes = level == 0 ? kernel.scratch_bytes() : kernel.global_bytes();
    auto const most         = std::size_t(probe.scratch_size_max(level));
    if (bytes > most)
      return "a team needs " + std::to_string(bytes) + " bytes of " + (level == 0 ? "scratch" : "global") +
             " memory, but there are " + std::to_string(most);
  }
  int const most = probe.team_size_max(kernel, Kokkos::ParallelForTag());
  if (policy.team_size() > most)
    return "a team has " + std::to_string(policy.team_size()) + " threads, but at most " + std::to_string(most) +
           (Backend::on_host<typename Policy::execution_space> ? " of this execution space's threads form one"
                                                               : " fit with this kernel's registers and memory");
  return "";
}

}  // namespace Koalesce::Impl

#endif
