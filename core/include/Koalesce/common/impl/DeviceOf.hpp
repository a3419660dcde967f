// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_DEVICE_OF_HPP
#define KOALESCE_COMMON_IMPL_DEVICE_OF_HPP

namespace Koalesce::Impl {

/// The threads of an instance. (With Kokkos' deprecated code OpenMP's concurrency() is static: it takes the instance,
/// or answers for the default one.)
template <class Exec>
int threads_of(Exec const& exec) {
  if constexpr (requires { Exec::concurrency(exec); }) return Exec::concurrency(exec);
  else return exec.concurrency();
}

/// Identifies the hardware that decides which kernels fit and which are fastest: the device number, or on a host the
/// number of threads.
template <class Exec>
int device_of(Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) return exec.cuda_device();
  else if constexpr (requires { exec.hip_device(); }) return exec.hip_device();
  else return threads_of(exec);
}

}  // namespace Koalesce::Impl

#endif
