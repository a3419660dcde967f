// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_POINT_VALUES_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_POINT_VALUES_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// The values of fields that are read at the point alone, of neighboring points in y: read before the barrier of a
/// step, so that they arrive while its plane does. They may be outputs, too, so the read-only cache is not for them.
template <class Fields, int points>
struct PointValues {
  using Values = decltype(load(std::declval<Fields const&>(), 0, 0, 0));

  Values value[points];

  /// \param[in] height  number of points that there are.
  __device__ __forceinline__ void read(int height, Fields const& fields, std::int64_t z, std::int64_t y,
                                       std::int64_t x) {
    if constexpr (Fields::size > 0) {
#pragma unroll
      for (int p = 0; p < points; ++p)
        if (p < height) value[p] = load(fields, z, y + p, x);
    }
  }

  /// What was read of point p, a constant; otherwise it is read now: registers have no addresses.
  template <bool constant>
  __device__ __forceinline__ Values at(int p, Fields const& fields, std::int64_t z, std::int64_t y,
                                       std::int64_t x) const {
    if constexpr (constant) return value[p];
    else return load(fields, z, y, x);
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
