// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_BACKEND_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_BACKEND_HPP

#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <concepts>

namespace Koalesce::Impl {

/// What a backend must have for tune_placement, and for parallel_placed without a placement, found by
/// argument-dependent lookup through its tag. (Kernels with arrays on chip are Kokkos' own kernels on every backend.)
///
///     kernel_resources(tag, policy, placed)   what the compiler made of a kernel, as far as the backend can tell
///     tuning_machine(tag, exec)               the machine and software for which a measurement holds
template <class Tag, class Policy, class Placed>
concept PlacementBackend = requires(Tag tag, Policy const& policy, Placed const& placed) {
  { kernel_resources(tag, policy, placed) } -> std::same_as<KernelResources>;
  { tuning_machine(tag, policy.space()) } -> std::same_as<TuningMachine>;
};

}  // namespace Koalesce::Impl

#endif
