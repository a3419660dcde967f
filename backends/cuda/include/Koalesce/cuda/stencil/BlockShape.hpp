// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_BLOCK_SHAPE_HPP
#define KOALESCE_CUDA_STENCIL_BLOCK_SHAPE_HPP

#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <algorithm>
#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// A block of up to `all` threads, powers of two in each dimension, none of them without need: rows of `row` threads
/// first, then in y and z, and longer rows where these are short.
/// \param[in] n  threads that the work has in z, y and x.
inline dim3 block_shape(Extents3 const& n, std::int64_t all, std::int64_t row) {
  auto const at_least = [](std::int64_t extent, std::int64_t most) {
    std::int64_t size = 1;
    while (size < most && size < extent) size *= 2;
    return size;
  };
  auto const x = at_least(n[2], row), y = at_least(n[1], all / x);
  auto const z = at_least(n[0], std::min<std::int64_t>(all / (x * y), 64));  // CUDA's limit
  return dim3(unsigned(at_least(n[2], all / (y * z))), unsigned(y), unsigned(z));
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
