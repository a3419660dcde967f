// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_KOKKOS_VERSION_HPP
#define KOALESCE_COMMON_IMPL_KOKKOS_VERSION_HPP

#include <Kokkos_Core.hpp>

#include <string>

namespace Koalesce::Impl {

/// The version of Kokkos' headers, "MAJOR.MINOR.PATCH".
inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

}  // namespace Koalesce::Impl

#endif
