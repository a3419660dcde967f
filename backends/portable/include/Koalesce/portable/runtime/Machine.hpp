// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_RUNTIME_MACHINE_HPP
#define KOALESCE_PORTABLE_RUNTIME_MACHINE_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <fstream>
#include <string>

namespace Koalesce::Impl::PortableBackend {

/// The CPU's name as the operating system reports it, if it does.
inline std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 10, "model name") == 0 && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "CPU";
}

/// The name of what an instance runs on, followed by a comma, as far as Kokkos tells it: nothing on other devices.
template <class Exec>
std::string processor_text(Exec const& exec) {
  if constexpr (requires { exec.cuda_device_prop().name; }) {
    return std::string(exec.cuda_device_prop().name) + ", ";
  } else if constexpr (requires { exec.hip_device_prop().name; }) {
    return std::string(exec.hip_device_prop().name) + ", ";
  } else if constexpr (Backend::on_host<Exec>) {
    static std::string const processor = processor_name() + ", ";
    return processor;
  } else {
    return "";
  }
}

template <RunsPortable Tag, class Exec>
TuningMachine tuning_machine(Tag, Exec const& exec) {
  return {processor_text(exec) + exec.name() + ", " + std::to_string(threads_of(exec)) + " threads, " + Tag::name,
          "Kokkos " + kokkos_version()};
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
