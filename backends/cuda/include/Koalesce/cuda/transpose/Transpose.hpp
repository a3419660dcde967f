// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/transpose/NarrowTile.hpp>
#include <Koalesce/cuda/transpose/TransposeTile.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

template <class Tile>
__global__ __launch_bounds__(Tile::threads,
                             Tile::blocks) void transpose_kernel(TransposeWork<typename Tile::Element> const work,
                                                                 typename Tile::Plan const plan) {
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
    TransposeWork<typename Tile::Element> const work, typename Tile::Plan const plan) {
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

/// Launches `kernel` with `tiles` tiles of shared memory per block.
template <class Tile, class T>
void launch_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                      void (*kernel)(TransposeWork<T> const, typename Tile::Plan const), int tiles) {
  auto const plan = Tile::plan(work);
  if (plan.size() >= std::int64_t(1) << 31) return run_transpose(Backend::Portable{}, exec, label, work);
  CudaKernel<TransposeWork<T> const, typename Tile::Plan const>(exec, kernel_label(Tag{}, label), kernel, Tile::threads,
                                                                tiles * plan.shared_bytes())
      .launch(exec, plan.size(), work, plan);
}

/// Whether rows of one side and columns of the other consist of whole, aligned vectors.
template <int Bytes, class T>
bool has_vectors(TransposeWork<T> const& work) {
  if (Bytes == sizeof(T)) return true;
  auto const whole = [](std::int64_t stride) { return stride * std::int64_t(sizeof(T)) % Bytes == 0; };
  return work.from_at.column == 1 && work.to_at.row == 1 && is_aligned(work.from, Bytes) &&
         is_aligned(work.to, Bytes) && whole(work.from_at.row) && whole(work.to_at.column) &&
         (work.batch == 1 || (whole(work.from_at.batch) && whole(work.to_at.batch)));
}

/// Whether the matrix has fewer rows or columns than a tile.
template <class Shape, class T>
bool is_narrow(TransposeWork<T> const& work) {
  return work.rows < Shape::rows || work.columns < Shape::columns;
}

/// Calls run with the tile of a shape, or with the narrow tile if the work does not allow it, and returns the result.
template <class Shape, class T, class Run>
auto with_tile(TransposeWork<T> const& work, Run const& run) {
  if (is_narrow<Shape>(work) || !has_vectors<Shape::vector>(work))
    return run.template operator()<NarrowTile<int(sizeof(T))>>();
  return run.template operator()<TransposeTile<Shape>>();
}

template <class Tile, class T>
void launch_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  launch_transpose<Tile>(exec, label, work, transpose_kernel<Tile>, 1);
}

/// The tile for whole vectors or single elements, and the next simpler one: the candidates of a transposition.
template <class Vectors, class Scalars, class T>
void run_with_faster_tile(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                          bool vectors) {
  using Key               = std::tuple<int, std::array<int, 3>, std::string, bool, std::int64_t>;
  using Lookup            = std::tuple<int, std::array<int, 3>, std::string const&, bool, std::int64_t>;
  std::int64_t const n[3] = {work.batch, work.rows, work.columns};
  double const size       = double(n[0]) * double(n[1]) * double(n[2]);
  auto const elements     = std::to_string(sizeof(T)) + " bytes";
  thread_local RecentValues<Key, std::shared_ptr<Tuner<Kokkos::Cuda>>, 16> recent;
  auto const choices = [&] {
    return TuningChoices{
        {"transpose", label, elements, size_classes_text(n) + (vectors ? ", vectors" : ""), machine_of(Tag{}, exec)},
        {{"matrices", n[0]}, {"rows", n[1]}, {"columns", n[2]}},
        "tile",
        vectors ? std::vector<std::string>{"vectors", "elements"} : std::vector<std::string>{"elements", "narrow"},
        2,
        size};
  };
  auto const tuner = [&] {
    return recent.get(Lookup(exec.cuda_device(), size_classes(n), label, vectors, TuningRegistry::instance().changes()),
                      [&] { return find_tuner<Kokkos::Cuda>(choices()); });
  };
  run_fastest(exec, size, 0, tuner, choices, [&](std::size_t tile) {
    if (vectors && tile == 0) launch_transpose<TransposeTile<Vectors>>(exec, label, work);
    else if (vectors || tile == 0) launch_transpose<TransposeTile<Scalars>>(exec, label, work);
    else launch_transpose<NarrowTile<int(sizeof(T))>>(exec, label, work);
  });
}

template <class T>
  requires is_word<T>
void run_transpose(Tag, Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Tuning  = TransposeTuning<int(sizeof(T))>;
  using Vectors = typename Tuning::Vectors;
  using Scalars = typename Tuning::Scalars;
  if (work.is_in_place()) {
    using Square = TransposeTile<typename Tuning::Squares>;
    return launch_transpose<Square>(exec, label, work, transpose_in_place_kernel<Square>, 2);
  }
  if (is_narrow<Scalars>(work)) return launch_transpose<NarrowTile<int(sizeof(T))>>(exec, label, work);
  run_with_faster_tile<Vectors, Scalars>(exec, label, work,
                                         !std::is_same_v<Vectors, Scalars> && has_vectors<Vectors::vector>(work));
}

/// Elements that are not words, and copies whose rows stay rows, which coalesce anyway.
template <class Work>
void run_transpose(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
