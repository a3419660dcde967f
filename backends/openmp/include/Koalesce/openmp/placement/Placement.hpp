// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_PLACEMENT_PLACEMENT_HPP
#define KOALESCE_OPENMP_PLACEMENT_PLACEMENT_HPP

#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/portable/placement/Placement.hpp>

/// On a CPU all places are memory behind the same caches: Kokkos' scratch memory, the thread's stack, the heap.
namespace Koalesce::Impl::OpenMPBackend {

using PortableBackend::kernel_resources;

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
