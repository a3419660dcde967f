// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_DEVICE_OF_HPP
#define KOALESCE_COMMON_IMPL_DEVICE_OF_HPP

namespace Koalesce::Impl {

/// What tells apart instances on which other kernels may fit or be fast: the device; on a host, how many threads.
template <class Exec>
int device_of(Exec const& exec) {
  if constexpr (requires { exec.cuda_device(); }) return exec.cuda_device();
  else if constexpr (requires { exec.hip_device(); }) return exec.hip_device();
  else return exec.concurrency();
}

}  // namespace Koalesce::Impl

#endif
