// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_PLACEMENT_HPP
#define KOALESCE_OPENMP_PLACEMENT_HPP

#include <Koalesce/portable/Placement.hpp>

#include <fstream>
#include <string>

/// On a CPU all places are memory behind the same caches: Kokkos' scratch memory, the thread's stack, the heap.
namespace Koalesce::Impl {

/// As the system calls it, where it does.
inline std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 10, "model name") == 0 && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "CPU";
}

template <class Exec>
PlacementMachine placement_machine(Backend::OpenMP, Exec const& exec) {
  static std::string const processor = processor_name();
  std::string compiler               = "unknown compiler";
#ifdef __VERSION__
  compiler = __VERSION__;
#endif
  return {processor + ", " + exec.name() + " with " + std::to_string(exec.concurrency()) + " threads",
          "Kokkos " + kokkos_version() + ", " + compiler};
}

}  // namespace Koalesce::Impl

#endif
