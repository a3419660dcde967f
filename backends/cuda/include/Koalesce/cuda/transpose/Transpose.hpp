// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/transpose/NarrowTile.hpp>
#include <Koalesce/cuda/transpose/PackedLines.hpp>
#include <Koalesce/cuda/transpose/TransposeKernels.hpp>
#include <Koalesce/cuda/transpose/TransposeTile.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

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

/// The tile for whole vectors or single elements, and the next simpler one: the candidates of a transposition.
template <class Vectors, class Scalars, class T>
void run_with_faster_tile(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                          bool vectors) {
  std::int64_t const n[3] = {work.batch, work.rows, work.columns};
  double const size       = double(n[0]) * double(n[1]) * double(n[2]);
  auto const elements     = std::to_string(sizeof(T)) + " bytes";
  thread_local RecentTuners<Kokkos::Cuda> recent;
  auto const choices = [&] {
    return TuningChoices{
        {"transpose", label, elements, size_classes_text(n) + (vectors ? ", vectors" : ""), machine_of(Tag{}, exec)},
        {{"matrices", n[0]}, {"rows", n[1]}, {"columns", n[2]}},
        "tile",
        vectors ? std::vector<std::string>{"vectors", "elements"} : std::vector<std::string>{"elements", "narrow"},
        2,
        size};
  };
  auto const tuner = [&] { return recent.get(exec, label, n, vectors, choices); };
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
  if (is_narrow<Scalars>(work)) {
    if (!launch_packed<int(sizeof(T))>(exec, label, work))
      launch_transpose<NarrowTile<int(sizeof(T))>>(exec, label, work);
    return;
  }
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
