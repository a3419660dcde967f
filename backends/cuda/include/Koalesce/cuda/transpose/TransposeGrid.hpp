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

  TransposeGrid(std::int64_t batch, std::int64_t rows, std::int64_t columns, int tile_rows, int tile_columns, int strip)
      : m_down((rows + tile_rows - 1) / tile_rows),
        m_across((columns + tile_columns - 1) / tile_columns),
        m_batch(batch) {
    std::int64_t const width = std::min<std::int64_t>(strip, m_across);
    m_matrix                 = Divisor(m_down * m_across);
    m_strip                  = Divisor(m_down * width);
    m_width                  = Divisor(width);
    m_last_width             = Divisor(m_across % width > 0 ? m_across % width : width);
  }

  KOKKOS_FUNCTION std::int64_t size() const { return m_batch * m_down * m_across; }

  struct Tile {
    std::int64_t batch, row, column;
  };

  /// \param[in] block below 2^31; all other numbers here then are, too.
  __device__ __forceinline__ Tile tile(std::uint32_t block) const {
    std::uint32_t const batch     = m_matrix.divide_short(block);
    std::uint32_t const in_matrix = block - batch * short_of(m_matrix);
    std::uint32_t const strip     = m_strip.divide_short(in_matrix);
    std::uint32_t const in_strip  = in_matrix - strip * short_of(m_strip);
    std::uint32_t const left      = strip * short_of(m_width);
    bool const whole              = left + short_of(m_width) <= std::uint32_t(m_across);
    std::uint32_t const row       = whole ? m_width.divide_short(in_strip) : m_last_width.divide_short(in_strip);
    return {batch, row, left + in_strip - row * (whole ? short_of(m_width) : short_of(m_last_width))};
  }

 private:
  __device__ __forceinline__ static std::uint32_t short_of(Divisor const& d) { return std::uint32_t(d.divisor()); }

  std::int64_t m_down = 0, m_across = 0, m_batch = 0;
  Divisor m_matrix, m_strip, m_width, m_last_width;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
