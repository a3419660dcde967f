// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_HPP
#define KOALESCE_CUDA_TRANSPOSE_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/cuda/Launch.hpp>
#include <Koalesce/cuda/TransposeTile.hpp>
#include <Koalesce/cuda/TransposeTuning.hpp>
#include <Koalesce/portable/Transpose.hpp>

#include <string>

namespace Koalesce::Impl {

template <class Tile>
__global__ __launch_bounds__(Tile::threads) void transpose_kernel(TransposeWork<typename Tile::Element> const work,
                                                                  typename Tile::Plan const plan) {
  extern __shared__ __align__(16) unsigned char koalesce_transpose_tile[];
  Tile const tile(work, plan, blockIdx.x, koalesce_transpose_tile, int(threadIdx.x));
  tile.read();
  __syncthreads();
  tile.write(NoSink{});
}

/// Two tiles that mirror each other change places; each pair has one block.
template <class Tile>
__global__ __launch_bounds__(Tile::threads) void transpose_in_place_kernel(
    TransposeWork<typename Tile::Element> const work, typename Tile::Plan const plan) {
  extern __shared__ __align__(16) unsigned char koalesce_transpose_tile[];
  Tile const tile(work, plan, blockIdx.x, koalesce_transpose_tile, int(threadIdx.x));
  if (!tile.on_diagonal() && !tile.above_diagonal()) return;
  Tile const mirrored = tile.mirrored(koalesce_transpose_tile + plan.shared_bytes());
  tile.template read<false>();
  if (tile.above_diagonal()) mirrored.template read<false>();
  __syncthreads();
  tile.write(NoSink{});
  if (tile.above_diagonal()) mirrored.write(NoSink{});
}

/// Launches `kernel` with `tiles` tiles of shared memory a block.
template <class Tile, class T>
void launch_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                      void (*kernel)(TransposeWork<T> const, typename Tile::Plan const), int tiles) {
  auto const plan = Tile::plan(work);
  if (plan.size() >= std::int64_t(1) << 31) return run_transpose(Backend::Portable{}, exec, label, work);
  CudaKernel<TransposeWork<T> const, typename Tile::Plan const>(exec, label, kernel, Tile::threads,
                                                                tiles * plan.shared_bytes())
      .launch(exec, plan.size(), work, plan);
}

/// Whether rows of one side and columns of the other are made of whole vectors.
template <int Bytes, class T>
bool has_vectors(TransposeWork<T> const& work) {
  auto const whole = [](std::int64_t stride) { return stride * std::int64_t(sizeof(T)) % Bytes == 0; };
  return work.from_at.column == 1 && work.to_at.row == 1 && is_aligned(work.from, Bytes) &&
         is_aligned(work.to, Bytes) && whole(work.from_at.row) && whole(work.to_at.column) &&
         (work.batch == 1 || (whole(work.from_at.batch) && whole(work.to_at.batch)));
}

/// Calls run with the tile that suits the work, and returns what it does.
template <class T, class Run>
auto with_transpose_tile(TransposeWork<T> const& work, Run const& run) {
  using Tuning      = TransposeTuning<int(sizeof(T))>;
  using Vectors     = typename Tuning::Vectors;
  using Scalars     = typename Tuning::Scalars;
  bool const narrow = work.rows < Scalars::rows || work.columns < Scalars::columns;
  if (narrow) return run.template operator()<NarrowTile<int(sizeof(T))>>();
  if (has_vectors<Vectors::vector>(work)) return run.template operator()<TransposeTile<Vectors>>();
  return run.template operator()<TransposeTile<Scalars>>();
}

template <class T>
void run_transpose(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Square = TransposeTile<typename TransposeTuning<int(sizeof(T))>::Squares>;
  if (work.is_in_place()) return launch_transpose<Square>(exec, label, work, transpose_in_place_kernel<Square>, 2);
  with_transpose_tile(work,
                      [&]<class Tile>() { launch_transpose<Tile>(exec, label, work, transpose_kernel<Tile>, 1); });
}

/// Rows that stay rows coalesce as they are.
template <class T>
void run_transpose(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, CopyWork<T> const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

}  // namespace Koalesce::Impl

#endif
