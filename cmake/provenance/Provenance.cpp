// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Provenance.hpp"

#include <Kokkos_Core.hpp>

#include <fstream>
#include <string>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Space>
std::string device_name(Space const&) {
  return "";
}
#ifdef KOKKOS_ENABLE_CUDA
std::string device_name(Kokkos::Cuda const& cuda) { return cuda.cuda_device_prop().name; }
#endif
#ifdef KOKKOS_ENABLE_HIP
std::string device_name(Kokkos::HIP const& hip) { return hip.hip_device_prop().name; }
#endif

/// The processor's model, where Linux tells it.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

}  // namespace

std::string Provenance::machine() {
  if (auto const name = device_name(Exec()); !name.empty()) return name;
  return processor() + ", " + std::to_string(Exec().concurrency()) + " threads";
}

std::string Provenance::compiler() {
  std::string name;
#if defined(__clang__)
  name = "Clang " __clang_version__;
#elif defined(__GNUC__)
  name = "GCC " __VERSION__;
#else
  name = "unknown compiler";
#endif
#ifdef __CUDACC_VER_MAJOR__
  name = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + ", " + name;
#endif
  return name;
}

std::string Provenance::backends() {
  std::string names;
  auto const add = [&](std::string const& name) { names += (names.empty() ? "" : ", ") + name; };
#ifdef KOKKOS_ENABLE_CUDA
  add("Cuda " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10));
#endif
#ifdef KOKKOS_ENABLE_HIP
  add("HIP " + std::to_string(HIP_VERSION_MAJOR) + "." + std::to_string(HIP_VERSION_MINOR));
#endif
#ifdef KOKKOS_ENABLE_SYCL
  add("SYCL");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  add("OpenMP");
#endif
#ifdef KOKKOS_ENABLE_THREADS
  add("Threads");
#endif
#ifdef KOKKOS_ENABLE_HPX
  add("HPX");
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  add("Serial");
#endif
  return names;
}

std::string Provenance::kokkos_version() {
  // Releases before 5 have two digits in their last place.
  int const patch = KOKKOS_VERSION % 100;
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         (KOKKOS_VERSION < 50000 && patch < 10 ? "0" : "") + std::to_string(patch);
}
