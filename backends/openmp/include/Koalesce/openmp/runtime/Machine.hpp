// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_RUNTIME_MACHINE_HPP
#define KOALESCE_OPENMP_RUNTIME_MACHINE_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <fstream>
#include <string>

namespace Koalesce::Impl::OpenMPBackend {

/// The processor's name as the operating system reports it, if it does.
inline std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 10, "model name") == 0 && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "CPU";
}

template <class Exec>
TuningMachine tuning_machine(Tag, Exec const& exec) {
  static std::string const processor = processor_name();
  std::string compiler               = "unknown compiler";
#ifdef __VERSION__
  compiler = __VERSION__;
#endif
  return {processor + ", " + exec.name() + " with " + std::to_string(threads_of(exec)) + " threads",
          "Kokkos " + kokkos_version() + ", " + compiler};
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
