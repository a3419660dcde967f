// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_PLACEMENT_PLACEMENT_HPP
#define KOALESCE_PORTABLE_PLACEMENT_PLACEMENT_HPP

#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/portable/Backend.hpp>

#include <string>

namespace Koalesce::Impl::PortableBackend {

/// The resources that Kokkos alone can tell.
template <class Tag, class Policy, class Placed>
KernelResources kernel_resources(Tag, std::string const&, Policy const&, Placed const& kernel) {
  KernelResources resources;
  resources.shared_bytes = int(kernel.scratch_bytes());
  return resources;
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
