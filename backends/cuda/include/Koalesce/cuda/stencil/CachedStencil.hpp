// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_CACHED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_CACHED_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// Without a queue: one thread per point reads its taps from the fields through the caches. Many threads hide latencies
/// better than few threads with several points each, which pays if a point takes much arithmetic.
template <class Work>
__global__ void __launch_bounds__(cached_stencil_threads) cached_stencil_kernel(__grid_constant__ Work const work) {
  using Order = typename Work::Order;
  using Shape = typename Work::Shape;
  int const x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y * blockDim.y + threadIdx.y),
            z = int(blockIdx.z * blockDim.z + threadIdx.z);
  if (x >= int(work.extents[2]) || y >= int(work.extents[1]) || z >= int(work.extents[0])) return;

  auto const around = transform(work.in, [&](auto const& field, auto) {
    using T = typename std::decay_t<decltype(field)>::value_type;
    // Strides as int: a product takes one instruction, with 64-bit strides four.
    auto const place = std::int64_t(z) * int(field.stride[0]) + std::int64_t(y) * int(field.stride[1]) + x;
    return Order::template neighborhood<Shape>(field.origin + place, field.stride[0], field.stride[1], 1,
                                               Neighborhood<T, Shape>::read_only);
  });
  store(work.out, call_at<Order>(work.functor, around, z, y, x), z, y, x);
}

/// The grid: blocks with long rows of threads.
struct CachedStencilGrid {
  dim3 threads, blocks;
  bool fits;  ///< whether CUDA allows so many blocks, and 32 bits can number all threads

  explicit CachedStencilGrid(Extents3 const& n) {
    auto const at_least = [](std::int64_t extent, std::int64_t most) {
      std::int64_t size = 1;
      while (size < most && size < extent) size *= 2;
      return size;
    };
    constexpr std::int64_t all = cached_stencil_threads;
    auto const count           = [](std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; };

    auto const row = at_least(n[2], 64), y = at_least(n[1], all / row);
    auto const z = at_least(n[0], std::min<std::int64_t>(all / (row * y), 64)), x = at_least(n[2], all / (y * z));
    fits    = n[2] <= (std::int64_t(1) << 31) - all && count(n[1], y) <= 65535 && count(n[0], z) <= 65535;
    threads = dim3(unsigned(x), unsigned(y), unsigned(z));
    blocks  = dim3(unsigned(count(n[2], x)), unsigned(count(n[1], y)), unsigned(count(n[0], z)));
  }
};

/// Whether the kernel can run a work: its inputs have stride 1 in x, and their strides fit into 32 bits.
template <class Work>
bool can_be_cached(Work const& work) {
  bool can            = CachedStencilGrid(work.extents).fits;
  auto const is_short = [](std::int64_t stride) { return stride == std::int64_t(int(stride)); };
  for_each(work.in, [&](auto const& field, auto) {
    can = can && field.stride[2] == 1 && is_short(field.stride[0]) && is_short(field.stride[1]);
  });
  return can;
}

template <class Work>
void run_cached_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  CachedStencilGrid const grid(work.extents);
  CudaKernel<Work const>(exec, kernel_label(Tag{}, label), cached_stencil_kernel<Work>, grid.threads, 0,
                         cudaSharedmemCarveoutMaxL1)
      .launch(exec, grid.blocks, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
