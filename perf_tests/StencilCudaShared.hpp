// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_SHARED_HPP
#define KOALESCE_PERF_STENCIL_CUDA_SHARED_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "StencilCuda.hpp"

/// The textbook's 2.5-D blocking in CUDA: a block marches along z with a tile of a plane and its halo in shared memory,
/// one thread per point. Of stars the z neighbors are in registers, of boxes the planes are in a plane queue.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA

/// What the kernel keeps of one input; BY x BX threads.
template <class T, class Reach, int BY, int BX>
struct SharedPlanes {
  static constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x;
  static constexpr int rows = BY + 2 * ry, columns = BX + 2 * rx;
  static constexpr int planes = Reach::box ? 2 * rz + 2 : 2;  // one more than is read, so that one barrier a step does

  T value[planes][rows][columns];
};

template <class T, class Reach, int BY, int BX>
struct SharedTaps : AnyRank<SharedTaps<T, Reach, BY, BX>> {
  using Planes = SharedPlanes<T, Reach, BY, BX>;
  Planes const& shared;
  T const (&queue)[2 * Reach::z + 1];
  int slot, y, x;  ///< of the point

  __device__ __forceinline__ SharedTaps(Planes const& planes, T const (&z_queue)[2 * Reach::z + 1], int s)
      : shared(planes), queue(z_queue), slot(s), y(threadIdx.y + Reach::y), x(threadIdx.x + Reach::x) {}

  KOKKOS_FORCEINLINE_FUNCTION T at(int dz, int dy, int dx) const {
    if (!Reach::box && dy == 0 && dx == 0) return queue[Reach::z + dz];
    int const s = Reach::box ? (slot + dz + Planes::planes) % Planes::planes : slot;
    return shared.value[s][y + dy][x + dx];
  }
};

template <class Sweep, int BY, int BX>
__global__ void __launch_bounds__(BY* BX) cuda_shared(Sweep const s, int const march) {
  using T          = typename Sweep::value_type;
  using Reach      = typename Sweep::reach;
  using Planes     = SharedPlanes<T, Reach, BY, BX>;
  constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x, around = Sweep::around;
  extern __shared__ __align__(16) char memory[];
  auto* const shared = reinterpret_cast<Planes*>(memory);
  int const x0 = blockIdx.x * BX, y0 = blockIdx.y * BY, z0 = blockIdx.z * march;
  int const x = x0 + threadIdx.x, y = y0 + threadIdx.y, end = min(z0 + march, s.nz);
  bool const inside           = x < s.nx && y < s.ny;
  std::int64_t const here     = y * s.pitch + x;
  T queue[around][2 * rz + 1] = {};

  // Of a box the plane with its halo; of a star the halo alone, without corners: the points come from the queue.
  auto const read_rows = [&](int k, int z, int slot, int begin, int end_row, int left, int right) {
    T const* const from = s.in[k] + z * s.plane + y0 * s.pitch + x0;
    for (int j = begin + int(threadIdx.y); j < end_row && y0 + j < s.ny + ry; j += BY)
      for (int i = left + int(threadIdx.x); i < right && x0 + i < s.nx + rx; i += BX)
        shared[k].value[slot][j + ry][i + rx] = __ldg(from + j * s.pitch + i);
  };
  auto const read_plane = [&](int k, int z, int slot) {
    if constexpr (Reach::box) return read_rows(k, z, slot, -ry, BY + ry, -rx, BX + rx);
    int const width = min(BX, s.nx - x0), rows = min(BY, s.ny - y0);
    // Beyond the interior's end lies the halo, which other threads write.
    if (inside) shared[k].value[slot][threadIdx.y + ry][threadIdx.x + rx] = queue[k][rz];
    read_rows(k, z, slot, -ry, 0, 0, width);
    read_rows(k, z, slot, rows, rows + ry, 0, width);
    read_rows(k, z, slot, 0, rows, -rx, 0);
    read_rows(k, z, slot, 0, rows, width, width + rx);
  };
#pragma unroll
  for (int k = 0; k < around; ++k) {
    if constexpr (Reach::box) {
      for (int dz = -rz; dz < rz; ++dz) read_plane(k, z0 + dz, dz + rz);
    } else if (inside) {
#pragma unroll
      for (int dz = -rz; dz < rz; ++dz) queue[k][rz + 1 + dz] = __ldg(s.in[k] + here + (z0 + dz) * s.plane);
    }
  }
  int slot = Reach::box ? rz : 0;
  for (int z = z0; z < end; ++z) {
#pragma unroll
    for (int k = 0; k < around; ++k) {
      if constexpr (Reach::box) {
        read_plane(k, z + rz, (slot + rz) % Planes::planes);
      } else {
#pragma unroll
        for (int q = 0; q < 2 * rz; ++q) queue[k][q] = queue[k][q + 1];
        if (inside) queue[k][2 * rz] = __ldg(s.in[k] + here + (z + rz) * s.plane);
        read_plane(k, z, slot);
      }
    }
    __syncthreads();
    if (inside) {
      std::int64_t const place = z * s.plane + here;
      s.store(place, s.apply([&](auto k) KOALESCE_INLINE_LAMBDA {
        if constexpr (k.value < around) return SharedTaps<T, Reach, BY, BX>(shared[k.value], queue[k.value], slot);
        else return s.taps(k.value, place);
      }));
    }
    slot = (slot + 1) % Planes::planes;
  }
}

template <class Sweep>
std::vector<Variant<Sweep>> cuda_shared_variants(Sweep const&) {
  std::vector<Variant<Sweep>> variants;
  auto const add_block = [&](auto block_y, auto block_x) {
    constexpr int BY = block_y.value, BX = block_x.value;
    constexpr auto kernel = &cuda_shared<Sweep, BY, BX>;
    constexpr int in_memory =
        Sweep::around * sizeof(SharedPlanes<typename Sweep::value_type, typename Sweep::reach, BY, BX>);
    for (int march : {16, 32, 64, 128})
      variants.push_back(
          {"block " + std::to_string(BY) + "x" + std::to_string(BX) + ", " + std::to_string(march) + " planes",
           [=](Sweep const& s) {
             KOKKOS_IMPL_CUDA_SAFE_CALL(
                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, in_memory));
             dim3 const blocks(blocks_of(s.nx, BX), blocks_of(s.ny, BY), blocks_of(s.nz, march));
             kernel<<<blocks, dim3(BX, BY), in_memory, Exec().cuda_stream()>>>(s, march);
           }});
  };
  using std::integral_constant;
  if constexpr (Sweep::Shape::rank == 3) {
    add_block(integral_constant<int, 8>{}, integral_constant<int, 32>{});
    add_block(integral_constant<int, 8>{}, integral_constant<int, 64>{});
    add_block(integral_constant<int, 16>{}, integral_constant<int, 32>{});
  } else {
    add_block(integral_constant<int, 1>{}, integral_constant<int, 128>{});
    add_block(integral_constant<int, 1>{}, integral_constant<int, 256>{});
  }
  return variants;
}

#endif

}  // namespace perf

#endif
