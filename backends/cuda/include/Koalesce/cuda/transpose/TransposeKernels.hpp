// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_KERNELS_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_KERNELS_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/TransposeQueue.hpp>
#include <Koalesce/cuda/transpose/TransposeTile.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <cstdint>
#include <string>

namespace Koalesce::Impl::CudaBackend {

template <class Tile>
__global__ __launch_bounds__(Tile::threads,
                             Tile::blocks) void transpose_kernel(typename Tile::Plan const plan,
                                                                 TransposeWork<typename Tile::Element> const work) {
  extern __shared__ __align__(16) unsigned char koalesce_transpose_tile[];
  Tile const tile(work, plan, plan.grid.tile(blockIdx.x), koalesce_transpose_tile, int(threadIdx.x));
  typename Tile::Loaded loaded;
  tile.load(loaded);
  tile.put(loaded);
  __syncthreads();
  tile.write(NoSink{});
}

/// In place: one block swaps a tile with its mirror image.
template <class Tile>
__global__ __launch_bounds__(Tile::threads, Tile::blocks) void transpose_in_place_kernel(
    typename Tile::Plan const plan, TransposeWork<typename Tile::Element> const work) {
  extern __shared__ __align__(16) unsigned char koalesce_transpose_tile[];
  auto const at = plan.grid.tile(blockIdx.x);
  if (at.row > at.column) return;
  bool const pair = at.row < at.column;
  Tile const tile(work, plan, at, koalesce_transpose_tile, int(threadIdx.x));
  Tile const mirrored(work, plan, {at.batch, at.column, at.row}, koalesce_transpose_tile + plan.shared_bytes(),
                      int(threadIdx.x));
  typename Tile::Loaded loaded;
  tile.template load<false>(loaded);
  tile.put(loaded);
  if (pair) {
    mirrored.template load<false>(loaded);
    mirrored.put(loaded);
  }
  __syncthreads();
  tile.write(NoSink{});
  if (pair) mirrored.write(NoSink{});
}

template <class Queue>
__global__ __launch_bounds__(Queue::threads, Queue::blocks) void transpose_queue_kernel(
    typename Queue::Plan const plan, TransposeWork<typename Queue::Element> const work) {
  extern __shared__ __align__(16) unsigned char koalesce_transpose_tile[];
  Queue(work, plan, blockIdx.x, koalesce_transpose_tile, int(threadIdx.x)).move(NoSink{}, [] { __syncthreads(); });
}

/// Whether source and destination fit into the L2 cache together.
template <class T>
bool fits_in_cache(Kokkos::Cuda const& exec, TransposeWork<T> const& work) {
  return 2 * work.size() * std::int64_t(sizeof(T)) <= exec.cuda_device_prop().l2CacheSize;
}

/// Launches `kernel` with `tiles` tiles of shared memory per block.
template <class Tile, class T>
void launch_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                      void (*kernel)(typename Tile::Plan const, TransposeWork<T> const), int tiles) {
  auto const plan = Tile::plan(CudaDevice::of(exec), work, fits_in_cache(exec, work));
  if (plan.size() >= std::int64_t(1) << 31) return run_transpose(Backend::Portable{}, exec, label, work);
  CudaKernel<typename Tile::Plan const, TransposeWork<T> const>(exec, kernel_label(Tag{}, label), kernel, Tile::threads,
                                                                tiles * plan.shared_bytes(),
                                                                cudaSharedmemCarveoutDefault)
      .launch(exec, plan.size(), plan, work);
}

template <class Tile, class T>
void launch_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  launch_transpose<Tile>(exec, label, work, transpose_kernel<Tile>, 1);
}

template <class Queue, class T>
void launch_queue(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Plan      = typename Queue::Plan;
  auto const plan = Queue::plan(CudaDevice::of(exec), work);
  if (plan.size() >= std::int64_t(1) << 31) return run_transpose(Backend::Portable{}, exec, label, work);
  // The driver leaves to L1, through which rows are read, what the queue does not need of shared memory.
  CudaKernel<Plan const, TransposeWork<T> const>(exec, kernel_label(Tag{}, label), transpose_queue_kernel<Queue>,
                                                 Queue::threads, plan.shared_bytes(), cudaSharedmemCarveoutDefault)
      .launch(exec, plan.size(), plan, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
