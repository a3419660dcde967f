// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_PROFILING_REGION_HPP
#define KOALESCE_COMMON_IMPL_PROFILING_REGION_HPP

#include <Kokkos_Core.hpp>

#include <string>

namespace Koalesce::Impl {

/// A region that profilers show around what a public function does.
struct ProfilingRegion {
  explicit ProfilingRegion(std::string const& name) { Kokkos::Profiling::pushRegion(name); }
  ~ProfilingRegion() { Kokkos::Profiling::popRegion(); }
  ProfilingRegion(ProfilingRegion const&)            = delete;
  ProfilingRegion& operator=(ProfilingRegion const&) = delete;
};

}  // namespace Koalesce::Impl

#endif
