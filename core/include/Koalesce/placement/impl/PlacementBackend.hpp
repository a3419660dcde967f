// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_BACKEND_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_BACKEND_HPP

#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>

#include <concepts>
#include <string>

namespace Koalesce::Impl {

/// What a backend must have for tune_placement, besides TuningBackend, found by argument-dependent lookup through its
/// tag. (Kernels with arrays on chip are Kokkos' own kernels on every backend.)
///
///     kernel_resources(tag, where, policy, placed)  what the compiler made of a kernel,
///                                                   as far as it can tell; errors begin with `where`
template <class Tag, class Policy, class Placed>
concept PlacementBackend = requires(Tag tag, std::string const& where, Policy const& policy, Placed const& placed) {
  { kernel_resources(tag, where, policy, placed) } -> std::same_as<KernelResources>;
};

}  // namespace Koalesce::Impl

#endif
