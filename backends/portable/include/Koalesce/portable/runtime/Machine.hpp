// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_RUNTIME_MACHINE_HPP
#define KOALESCE_PORTABLE_RUNTIME_MACHINE_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <string>

namespace Koalesce::Impl::PortableBackend {

template <RunsPortable Tag, class Exec>
TuningMachine tuning_machine(Tag, Exec const& exec) {
  return {std::string(exec.name()) + ", " + std::to_string(threads_of(exec)) + " threads, " + Tag::name,
          "Kokkos " + kokkos_version()};
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
