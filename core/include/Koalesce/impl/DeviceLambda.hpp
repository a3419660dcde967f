// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_DEVICE_LAMBDA_HPP
#define KOALESCE_IMPL_DEVICE_LAMBDA_HPP

namespace Koalesce::Impl {

/// A lambda that is __device__ alone: on the host nothing can be said of its calls.
template <class F>
inline constexpr bool is_device_lambda =
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    __nv_is_extended_device_lambda_closure_type(F);
#else
    false;
#endif

}  // namespace Koalesce::Impl

#endif
