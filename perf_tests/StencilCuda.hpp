// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_HPP
#define KOALESCE_PERF_STENCIL_CUDA_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "StencilGrid.hpp"

/// Stencils as CUDA programmers write them first, without Kokkos: one thread per point, pointers and strides.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA

/// Blocks enough for all threads of a grid.
inline unsigned blocks_of(std::int64_t threads, unsigned block) { return unsigned((threads + block - 1) / block); }

/// Blocks of z, y and x threads for a sweep's rank.
template <class Sweep>
dim3 block_of(std::array<unsigned, 3> const& zyx) {
  if constexpr (Sweep::Shape::rank == 3) return dim3(zyx[2], zyx[1], zyx[0]);
  else if constexpr (Sweep::Shape::rank == 2) return dim3(zyx[2], 1, zyx[1] * zyx[0]);
  else return dim3(std::min(1024u, zyx[2] * zyx[1] * zyx[0]), 1, 1);
}

inline std::string block_name(dim3 const& block) {
  return std::to_string(block.z) + "x" + std::to_string(block.y) + "x" + std::to_string(block.x);
}

template <class Sweep>
__global__ void cuda_point(Sweep const s) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= s.nx || y >= s.ny || z >= s.nz) return;
  s.compute(z * s.plane + y * s.pitch + x);
}

template <class Sweep>
std::vector<Variant<Sweep>> cuda_point_variants(Sweep const&) {
  std::vector<Variant<Sweep>> variants;
  for (std::array<unsigned, 3> const zyx : {std::array<unsigned, 3>{1, 8, 64},
                                            {1, 4, 64},
                                            {1, 8, 32},
                                            {4, 4, 32},
                                            {2, 4, 64},
                                            {1, 4, 128},
                                            {1, 2, 128},
                                            {1, 1, 256}}) {
    dim3 const block = block_of<Sweep>(zyx);
    variants.push_back({"block " + block_name(block), [=](Sweep const& s) {
                          dim3 const blocks(blocks_of(s.nx, block.x), blocks_of(s.ny, block.y),
                                            blocks_of(s.nz, block.z));
                          cuda_point<<<blocks, block, 0, Exec().cuda_stream()>>>(s);
                        }});
  }
  return variants;
}

#endif

}  // namespace perf

#endif
