// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_PLACEMENT_PLACEMENT_HPP
#define KOALESCE_PORTABLE_PLACEMENT_PLACEMENT_HPP

#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/portable/Backend.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace Koalesce::Impl::PortableBackend {

/// What Kokkos alone can tell.
template <class Tag, class Policy, class Placed>
KernelResources kernel_resources(Tag, Policy const&, Placed const& kernel) {
  KernelResources resources;
  resources.shared_bytes = int(kernel.scratch_bytes());
  return resources;
}

template <RunsPortable Tag, class Exec>
PlacementMachine placement_machine(Tag, Exec const& exec) {
  return {std::string(exec.name()) + ", " + std::to_string(exec.concurrency()) + " threads, " + Tag::name,
          "Kokkos " + kokkos_version()};
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
