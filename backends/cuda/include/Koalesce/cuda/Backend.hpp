// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_BACKEND_HPP
#define KOALESCE_CUDA_BACKEND_HPP

#include <Koalesce/common/Backend.hpp>

/// The functions that make up the backend: each takes the Tag, by which argument-dependent lookup finds it.
namespace Koalesce::Impl::CudaBackend {

struct Tag {
  static constexpr char const* name = "cuda";  ///< in kernels' labels
};

}  // namespace Koalesce::Impl::CudaBackend

namespace Koalesce::Backend {

/// Native CUDA kernels.
using Cuda = Impl::CudaBackend::Tag;

}  // namespace Koalesce::Backend

#endif
