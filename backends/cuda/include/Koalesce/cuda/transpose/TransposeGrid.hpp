// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_GRID_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_GRID_HPP

#include <Koalesce/common/impl/Divisor.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// The tiles of a batch of matrices. Blocks go down strips that are `strip` tiles wide, so that blocks that run at the
/// same time access adjacent memory.
class TransposeGrid {
 public:
  TransposeGrid() = default;

  TransposeGrid(std::int64_t batch, std::int64_t rows, std::int64_t columns, int tile_rows, int tile_columns,
                int strip) {
    std::int64_t const down = (rows + tile_rows - 1) / tile_rows, across = (columns + tile_columns - 1) / tile_columns;
    std::int64_t const width = std::min<std::int64_t>(strip, across), rest = across % width;
    m_size       = batch * down * across;
    m_down       = std::uint32_t(down);
    m_across     = std::uint32_t(across);
    m_matrix     = ShortDivisor(down * across);
    m_strip      = ShortDivisor(down * width);
    m_width      = ShortDivisor(width);
    m_last_width = ShortDivisor(rest > 0 ? rest : width);
  }

  /// Tiles; the functions below are for fewer than 2^31 of them.
  KOKKOS_FUNCTION std::int64_t size() const { return m_size; }

  struct Tile {
    std::uint32_t batch, row, column;
  };

  __device__ __forceinline__ Tile tile(std::uint32_t block) const {
    std::uint32_t const batch = block / m_matrix, in_matrix = block - batch * m_matrix.divisor();
    std::uint32_t const strip = in_matrix / m_strip, in_strip = in_matrix - strip * m_strip.divisor();
    std::uint32_t const left = strip * m_width.divisor();
    bool const whole         = left + m_width.divisor() <= m_across;
    std::uint32_t const row  = whole ? in_strip / m_width : in_strip / m_last_width;
    return {batch, row, left + in_strip - row * (whole ? m_width.divisor() : m_last_width.divisor())};
  }

  __device__ __forceinline__ bool is_last_row(Tile const& tile) const { return tile.row + 1 == m_down; }
  __device__ __forceinline__ bool is_last_column(Tile const& tile) const { return tile.column + 1 == m_across; }

 private:
  std::int64_t m_size  = 0;
  std::uint32_t m_down = 0, m_across = 0;
  ShortDivisor m_matrix, m_strip, m_width, m_last_width;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
