// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_MACHINE_HPP
#define KOALESCE_CUDA_RUNTIME_MACHINE_HPP

#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <string>

namespace Koalesce::Impl::CudaBackend {

inline TuningMachine tuning_machine(Tag, Kokkos::Cuda const& exec) {
  auto const version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  auto const& device = exec.cuda_device_prop();
  int driver = 0, runtime = 0;
  check_cuda("Koalesce::Tuner", cudaDriverGetVersion(&driver), "asking for the driver's version");
  check_cuda("Koalesce::Tuner", cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  return {std::string(device.name) + ", compute capability " + std::to_string(device.major) + "." +
              std::to_string(device.minor) + ", " + std::to_string(device.multiProcessorCount) + " SMs",
          "CUDA driver " + version(driver) + ", runtime " + version(runtime) + ", Kokkos " + kokkos_version()};
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
