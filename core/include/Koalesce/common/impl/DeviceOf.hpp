// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_DEVICE_OF_HPP
#define KOALESCE_COMMON_IMPL_DEVICE_OF_HPP

namespace Koalesce::Impl {

/// Identifies the hardware that decides which kernels fit and which are fastest: the device number, or on a host the
/// number of threads.
template <class Exec>
int device_of(Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) return exec.cuda_device();
  else if constexpr (requires { exec.hip_device(); }) return exec.hip_device();
  else return exec.concurrency();
}

}  // namespace Koalesce::Impl

#endif
