// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_HPP
#define KOALESCE_PERF_STENCIL_CUDA_HPP

#include <Koalesce/impl/Pack.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"

/// Stencils as CUDA programmers write them, without Kokkos: a thread a point, pointers and strides.
namespace perf {

inline std::vector<std::array<std::int64_t, 3>> cuda_blocks() {
  return {{1, 8, 64}, {1, 4, 64}, {1, 8, 32}, {4, 4, 32}, {2, 4, 64}, {1, 4, 128}, {1, 2, 128}, {1, 1, 256}};
}

#ifdef KOKKOS_ENABLE_CUDA

/// What a neighborhood would be, read through the cache for data that no thread writes.
template <class T>
struct PointerTaps {
  T const* center;
  std::int64_t plane, row;

  __device__ T operator()(int dz = 0, int dy = 0, int dx = 0) const {
    return __ldg(center + dz * plane + dy * row + dx);
  }
};

template <class T, int Count, class Functor>
struct CudaStencil {
  T const* in[Count];
  T* out[Count];
  int nz, ny, nx, halo;
  Functor functor;
};

template <class T, int Count, class Functor>
__global__ void cuda_stencil(CudaStencil<T, Count, Functor> const s) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= s.nx || y >= s.ny || z >= s.nz) return;
  std::int64_t const row = s.nx + 2 * s.halo, plane = row * (s.ny + 2 * s.halo);
  std::int64_t const place = (z + s.halo) * plane + (y + s.halo) * row + x + s.halo;
  [&]<int... K>(std::integer_sequence<int, K...>) {
    auto const result = s.functor(PointerTaps<T>{s.in[K] + place, plane, row}...);
    if constexpr (Count == 1) s.out[0][place] = result;
    else ((s.out[K][place] = Koalesce::Impl::get<K>(result)), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

/// out = functor(in) for all points of Count fields; a block's extents in z, y and x.
template <class View, std::size_t Count, class Functor>
void cuda_sweep(std::array<std::int64_t, 3> const& n, int halo, std::array<std::int64_t, 3> const& block,
                std::array<View, Count> const& ins, std::array<View, Count> const& outs, Functor const& functor) {
  using T = typename View::value_type;
  CudaStencil<T, Count, Functor> s{{}, {}, int(n[0]), int(n[1]), int(n[2]), halo, functor};
  for (std::size_t k = 0; k < Count; ++k) {
    s.in[k]  = ins[k].data();
    s.out[k] = outs[k].data();
  }
  auto const blocks = [&](int d) { return unsigned((n[d] + block[d] - 1) / block[d]); };
  cuda_stencil<<<dim3(blocks(2), blocks(1), blocks(0)), dim3(block[2], block[1], block[0]), 0, Exec().cuda_stream()>>>(
      s);
}

#endif

}  // namespace perf

#endif
