// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_TEAM_REGROUPING_HPP
#define KOALESCE_CUDA_REGROUP_TEAM_REGROUPING_HPP

#include <Koalesce/cuda/regroup/WarpWorker.hpp>
#include <Koalesce/regroup/impl/TeamRegrouping.hpp>

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl {

/// Counts and places by warps if the team consists of whole warps.
template <>
struct TeamRegrouping<Kokkos::Cuda> {
  template <class Member, class Predict, class Body>
  KOKKOS_FUNCTION static void run(Member const& team, int items, int paths, Predict const& predict, Body const& body) {
    KOKKOS_IF_ON_DEVICE(
        (if (blockDim.x == 1 && team.team_size() % 32 == 0) return regroup_team<CudaBackend::WarpWorker>(
             team, items, paths, predict, body);))
    regroup_team<SerialWorker>(team, items, paths, predict, body);
  }
};

}  // namespace Koalesce::Impl

#endif
