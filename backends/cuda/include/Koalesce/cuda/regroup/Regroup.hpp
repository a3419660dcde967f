// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_REGROUP_HPP
#define KOALESCE_CUDA_REGROUP_REGROUP_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/regroup/BlockOrder.hpp>
#include <Koalesce/cuda/regroup/RegroupGrid.hpp>
#include <Koalesce/cuda/regroup/RegroupMarch.hpp>
#include <Koalesce/cuda/regroup/RegroupOrdered.hpp>
#include <Koalesce/cuda/regroup/RegroupTuning.hpp>
#include <Koalesce/cuda/regroup/WarpWorker.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/portable/regroup/Regroup.hpp>

/// Regrouping by warps and blocks.
namespace Koalesce::Impl::CudaBackend {

using PortableBackend::can_regroup;
using PortableBackend::plan_memory;
using PortableBackend::regroup_bytes;
using PortableBackend::sample_plan;
using PortableBackend::update_plan;

template <class Work>
std::size_t regroup_memory(Tag, Kokkos::Cuda const& exec, Work const& work, RegroupVariant variant) {
  if (PortableBackend::sorts_numbers<Work>(variant))
    return PortableBackend::moved_bytes(work, variant) + ordered_memory(exec, work.items());
  return PortableBackend::regroup_memory(Tag{}, exec, work, variant);
}

template <class Named, class Work, class Result>
void run_regroup(Tag, Kokkos::Cuda const& exec, Named const& named, Work const& work, RegroupVariant variant,
                 char* memory, Result& result) {
  auto const label      = named(to_string(variant));
  constexpr int threads = RegroupTuning::team_threads;
  switch (variant) {
    case RegroupVariant::plain: return PortableBackend::run_plain_loop(exec, label, work, result);
    case RegroupVariant::team:
      if (work.paths <= max_block_paths) return run_marching(exec, label, work, result);
      return PortableBackend::run_team<WarpWorker, false>(exec, label, work, threads, result);
    case RegroupVariant::team_moved:
      if constexpr (Work::has_payload) PortableBackend::run_team<WarpWorker, true>(exec, label, work, threads, result);
      return;
    case RegroupVariant::grid: return run_cuda_grid<false>(exec, named, work, memory, result);
    case RegroupVariant::grid_moved:
      if constexpr (Work::has_payload && Work::has_key) run_ordered<true>(exec, named, work, variant, memory, result);
      else if constexpr (Work::has_payload) run_cuda_grid<true>(exec, named, work, memory, result);
      return;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact: return run_ordered<false>(exec, named, work, variant, memory, result);
    case RegroupVariant::planned: return;  // run_planned() does
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
