// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSFER_PIECES_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSFER_PIECES_HPP

#include <Koalesce/transpose/impl/CanonicalDims.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Which side of a transfer is host memory.
enum class HostSide { source, destination };

/// Divides a transposition between host memory and a device's into boxes of at most `max_elements`. On its way a box is
/// packed: its elements lie one after another, in the order of the host's memory.
class TransferPieces {
 public:
  struct Piece {
    std::vector<TransposeDim> to_packed, from_packed;
    std::int64_t from, to;  ///< offsets of its first element
    std::int64_t elements;
  };

  TransferPieces(std::vector<TransposeDim> dims, HostSide host, std::int64_t max_elements) : m_dims(std::move(dims)) {
    merge_dims(m_dims);
    if (m_dims.empty()) m_dims.push_back({1, 1, 1});
    std::sort(m_dims.begin(), m_dims.end(),
              [&](auto const& a, auto const& b) { return host == HostSide::source ? a.from < b.from : a.to < b.to; });
    std::int64_t whole = 1;
    while (m_split + 1 < m_dims.size() && whole * m_dims[m_split].extent <= max_elements)
      whole *= m_dims[m_split++].extent;
    std::int64_t const extent = m_dims[m_split].extent;
    m_length                  = std::clamp<std::int64_t>(max_elements / whole, 1, extent);
    m_lengths                 = (extent + m_length - 1) / m_length;
    m_elements                = whole * m_length;
    m_count                   = m_lengths;
    for (auto d = m_split + 1; d < m_dims.size(); ++d) m_count *= m_dims[d].extent;
  }

  std::int64_t count() const { return m_count; }

  /// Elements of the largest piece.
  std::int64_t elements() const { return m_elements; }

  Piece operator[](std::int64_t i) const {
    Piece piece{{}, {}, 0, 0, 1};
    for (std::size_t d = 0; d < m_dims.size(); ++d) {
      auto const dim      = m_dims[d];
      std::int64_t first  = 0;
      std::int64_t extent = dim.extent;
      if (d == m_split) {
        first  = i % m_lengths * m_length;
        extent = std::min(m_length, dim.extent - first);
        i /= m_lengths;
      } else if (d > m_split) {
        first  = i % dim.extent;
        extent = 1;
        i /= dim.extent;
      }
      piece.to_packed.push_back({extent, dim.from, piece.elements});
      piece.from_packed.push_back({extent, piece.elements, dim.to});
      piece.from += first * dim.from;
      piece.to += first * dim.to;
      piece.elements *= extent;
    }
    return piece;
  }

 private:
  std::vector<TransposeDim> m_dims;           // in the order of the host's strides
  std::size_t m_split = 0;                    // dimensions before this one are whole in every piece
  std::int64_t m_length, m_lengths, m_count;  // pieces have m_length of it, in m_lengths parts
  std::int64_t m_elements;
};

}  // namespace Koalesce::Impl

#endif
