// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_TEAM_REGROUPING_HPP
#define KOALESCE_CUDA_REGROUP_TEAM_REGROUPING_HPP

#include <Koalesce/cuda/regroup/WarpWorker.hpp>
#include <Koalesce/regroup/impl/TeamRegrouping.hpp>

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl {

/// Counts and places by warps if the team consists of whole warps.
template <>
struct TeamWorker<Kokkos::Cuda> {
  template <class Member, class Action>
  KOKKOS_FORCEINLINE_FUNCTION static void choose(Member const& team, Action const& action) {
    // The lanes of a thread would all count its items, at once.
    KOKKOS_IF_ON_DEVICE((if (blockDim.x > 1) Kokkos::abort(
                             "Koalesce::team_regroup: the team's vector length is not 1; give the policy no other");
                         if (team.team_size() % 32 == 0) return action(CudaBackend::WarpWorker());))
    (void)team;
    action(SerialWorker());
  }
};

}  // namespace Koalesce::Impl

#endif
