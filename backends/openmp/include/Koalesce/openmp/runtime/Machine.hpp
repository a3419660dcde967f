// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_RUNTIME_MACHINE_HPP
#define KOALESCE_OPENMP_RUNTIME_MACHINE_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/portable/runtime/Machine.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <string>

namespace Koalesce::Impl::OpenMPBackend {

template <class Exec>
TuningMachine tuning_machine(Tag, Exec const& exec) {
  std::string compiler = "unknown compiler";
#ifdef __VERSION__
  compiler = __VERSION__;
#endif
  return {
      PortableBackend::processor_text(exec) + exec.name() + " with " + std::to_string(threads_of(exec)) + " threads",
      "Kokkos " + kokkos_version() + ", " + compiler};
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
