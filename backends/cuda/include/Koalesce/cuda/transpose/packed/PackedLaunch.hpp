// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_LAUNCH_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_LAUNCH_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/cuda/transpose/packed/PackedLines.hpp>
#include <Koalesce/cuda/transpose/packed/PackedSmallLines.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>
#include <Koalesce/cuda/transpose/packed/SmallTile.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace Koalesce::Impl::CudaBackend {

/// Launches kernels for matrices of `count` packed lines of `length` elements each. Functions return false if it would
/// take more blocks than a launch can have.
template <int ElementBytes>
struct PackedLaunch {
  Kokkos::Cuda const& exec;
  std::string const& label;
  TransposeWork<Word<ElementBytes>> const& work;
  std::int64_t count, length;
  bool aligned;  ///< whether all long lines begin with a packet

  /// Whether long lines move in packets. Elements of 4 bytes fill a warp's access by themselves; packets of them are
  /// faster only without edges, and without gaps in shared memory.
  bool moves_packets() const { return ElementBytes < 4 || (aligned && length % 2 == 1); }

  template <class Kernel>
  bool in_packets(Kernel kernel, PackedNumbers const& numbers) const {
    PackedGrid const grid(work.batch.size(), count, length | 1, ElementBytes, numbers.bytes);
    SmallTileShape<ElementBytes> const shape(length, grid.log, aligned);
    return launch(kernel, numbers, grid, shape.shared_bytes(), shape);
  }

  template <class Kernel>
  bool in_elements(Kernel kernel, PackedNumbers const& numbers) const {
    PackedGrid const grid(work.batch.size(), count, length, ElementBytes, numbers.bytes);
    return launch(kernel, numbers, grid, PackedTile<ElementBytes>::shared_bytes(length, grid.log));
  }

 private:
  template <class Kernel, class... More>
  bool launch(Kernel kernel, PackedNumbers const& numbers, PackedGrid const& grid, int shared_bytes,
              More const&... more) const {
    if (grid.blocks >= std::int64_t(1) << 31) return false;
    CudaKernel(exec, kernel_label(Tag{}, label), kernel, numbers.threads, shared_bytes)
        .launch(exec, unsigned(grid.blocks), work, grid, more...);
    return true;
  }
};

/// Transposes packed rows.
/// \param[in] aligned  whether all columns begin with a packet.
template <int ElementBytes>
bool launch_packed_rows(Kokkos::Cuda const& exec, std::string const& label,
                        TransposeWork<Word<ElementBytes>> const& work, bool aligned) {
  PackedLaunch<ElementBytes> const launch{exec, label, work, work.rows, work.columns, aligned};
  if constexpr (ElementBytes <= 4) {
    constexpr auto numbers = SmallTuning::rows;
    if (launch.moves_packets())
      return launch.in_packets(transpose_small_rows_kernel<ElementBytes, numbers.threads>, numbers);
  }
  if constexpr (ElementBytes >= 4) {
    constexpr auto numbers = PackedTuning::rows;
    return launch.in_elements(transpose_packed_rows_kernel<ElementBytes, numbers.threads>, numbers);
  }
  return false;
}

/// The same for packed columns, where rows are long.
template <int ElementBytes>
bool launch_packed_columns(Kokkos::Cuda const& exec, std::string const& label,
                           TransposeWork<Word<ElementBytes>> const& work, bool aligned) {
  PackedLaunch<ElementBytes> const launch{exec, label, work, work.columns, work.rows, aligned};
  if constexpr (ElementBytes <= 4) {
    constexpr auto numbers = SmallTuning::columns;
    if (launch.moves_packets())
      return launch.in_packets(transpose_small_columns_kernel<ElementBytes, numbers.threads>, numbers);
  }
  if constexpr (ElementBytes >= 4) {
    constexpr auto numbers = PackedTuning::columns;
    constexpr int blocks   = PackedTuning::column_blocks(ElementBytes);
    return launch.in_elements(transpose_packed_columns_kernel<ElementBytes, numbers.threads, blocks>, numbers);
  }
  return false;
}

/// Runs the transposition by packed lines if its shape and alignment allow it.
/// \return whether they did.
template <int ElementBytes>
bool launch_packed(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<Word<ElementBytes>> const& work) {
  auto const& from = work.from_at;
  auto const& to   = work.to_at;
  if (from.column != 1 || to.row != 1 || std::max(work.rows, work.columns) < PackedTuning::min_lines) return false;

  constexpr std::int64_t per_vector = packed_vector / ElementBytes;
  bool const from_vectors           = is_aligned(work.from, packed_vector) && work.batch.from_multiple_of(per_vector);
  bool const to_vectors             = is_aligned(work.to, packed_vector) && work.batch.to_multiple_of(per_vector);
  if (work.columns <= work.rows && work.columns * ElementBytes <= PackedTuning::max_line && from.row == work.columns &&
      from_vectors)
    return launch_packed_rows<ElementBytes>(exec, label, work, to_vectors && to.column % per_vector == 0);
  if (work.rows <= work.columns && work.rows * ElementBytes <= PackedTuning::max_line && to.column == work.rows &&
      to_vectors)
    return launch_packed_columns<ElementBytes>(exec, label, work, from_vectors && from.row % per_vector == 0);
  return false;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
