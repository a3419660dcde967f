// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_BOX_PLAN_HPP
#define KOALESCE_CUDA_TRANSPOSE_BOX_PLAN_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/cuda/transpose/BoxShape.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// A transposition of many dimensions, cut into boxes. Boxes at the end of a dimension may be smaller: up to two
/// dimensions, one that each side cuts, have such ends, and each of these has a bit.
class BoxPlan {
 public:
  static constexpr int max_dims = BoxShape::max_dims;

  /// A box: where it begins, in elements, and the bits of the dimensions along which it is a smaller one.
  struct Box {
    std::int64_t from, to;
    std::uint32_t ends;
  };

  /// Elements of a box: their offsets in the source or the destination in bytes, their places in shared memory, and
  /// the bits of the dimensions whose smaller boxes do not have them, four for each element.
  template <int Count>
  struct Spots {
    std::uint32_t offset[Count], place[Count], beyond;
  };

  /// \return nothing if a box's offsets need more than 32 bits, or its places more than 16.
  static std::optional<BoxPlan> make(BoxDims const& dims, BoxShape const& shape, int element_bytes) {
    std::int64_t reach[2] = {};
    for (int d = 0; d < dims.count; ++d) {
      reach[0] += (shape[d] - 1) * dims[d].from;
      reach[1] += (shape[d] - 1) * dims[d].to;
    }
    if (std::max(reach[0], reach[1]) > std::numeric_limits<std::uint32_t>::max() / std::uint32_t(element_bytes))
      return std::nullopt;
    BoxPlan const plan(dims, shape, element_bytes);
    if (plan.places() > 1 << 16) return std::nullopt;
    return plan;
  }

  std::int64_t boxes() const { return m_boxes; }

  /// The elements of shared memory that a box takes.
  int places() const { return m_places; }

  /// \param[in] number below 2^31.
  __device__ __forceinline__ Box box(std::uint32_t number) const {
    Box result{0, 0, nowhere};
#pragma unroll 1
    for (int d = 0; d < m_cuts; ++d) {
      auto const& cut          = m_cut[d];
      auto const pieces        = std::uint32_t(cut.pieces.divisor());
      std::uint32_t const next = cut.pieces.divide_short(number), i = number - next * pieces;
      result.from += i * cut.from;
      result.to += i * cut.to;
      if (i + 1 == pieces) result.ends |= cut.end;
      number = next;
    }
    return result;
  }

  /// Elements first, first + step, ... in the order of the source, or of the destination.
  template <int Count>
  __device__ __forceinline__ Spots<Count> from(int first, int step) const {
    return spots<Count>(first, step, m_from);
  }
  template <int Count>
  __device__ __forceinline__ Spots<Count> to(int first, int step) const {
    return spots<Count>(first, step, m_to);
  }

 private:
  /// A bit for elements that no box has.
  static constexpr std::uint32_t nowhere = 8;

  /// A dimension along which there are several boxes.
  struct Cut {
    Divisor pieces;
    std::int64_t from, to;  // from one box to the next
    std::uint32_t end;
  };
  /// A dimension of a box, on one side.
  struct Side {
    Divisor extent;
    std::uint32_t stride, place, rest, end;  // `rest`: the extent of the last box
  };

  BoxPlan(BoxDims const& dims, BoxShape const& shape, int element_bytes) {
    auto const by_from = dims.by_from(), by_to = dims.by_to();
    // Dimensions that are the fastest on both sides; the destination's next one is spread over the banks.
    int same = 0, kept = 1;
    while (same < dims.count && by_from[same] == by_to[same]) kept *= int(shape[by_from[same++]]);
    while (same < dims.count && shape[by_to[same]] == 1) ++same;

    std::uint32_t place[max_dims] = {}, end[max_dims] = {}, next_end = 1;
    for (int i = 0; i < dims.count; ++i) {
      int const d = by_from[i];
      if (same < dims.count && d == by_to[same]) m_places = padded(m_places, kept, 128 / element_bytes);
      place[d] = std::uint32_t(m_places);
      m_places *= int(shape[d]);
      m_elements *= int(shape[d]);
      if (dims[d].extent % shape[d] != 0) end[d] = std::exchange(next_end, 2 * next_end);
    }

    auto const side = [&](int d, std::int64_t stride) {
      auto const rest = dims[d].extent % shape[d];
      return Side{Divisor(shape[d]), std::uint32_t(stride * element_bytes), place[d],
                  std::uint32_t(rest == 0 ? shape[d] : rest), end[d]};
    };
    int targets = 0;
    for (int i = 0; i < dims.count; ++i) {
      if (int const d = by_from[i]; shape[d] > 1) m_from[m_dims++] = side(d, dims[d].from);
      if (int const d = by_to[i]; shape[d] > 1) m_to[targets++] = side(d, dims[d].to);
    }
    for (int i = 0; i < dims.count; ++i) {
      int const d       = by_to[i];
      auto const pieces = (dims[d].extent + shape[d] - 1) / shape[d];
      if (pieces > 1) m_cut[m_cuts++] = {Divisor(pieces), shape[d] * dims[d].from, shape[d] * dims[d].to, end[d]};
      m_boxes *= pieces;
    }
  }

  /// A stride of at least `stride` elements at which pieces of `kept` elements lie in different banks, if it takes at
  /// most a quarter more shared memory.
  static int padded(int stride, int kept, int line) {
    if (kept == 1) return stride | 1;
    int const gap = ((kept - stride) % line + line) % line;
    return kept < line && gap <= stride / 4 ? stride + gap : stride;
  }

  template <int Count>
  __device__ __forceinline__ Spots<Count> spots(int first, int step, Side const (&dims)[max_dims]) const {
    static_assert(Count <= 8);
    Spots<Count> result{};
    std::uint32_t left[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      left[k] = std::uint32_t(first + k * step);
      if (first + k * step >= m_elements) result.beyond |= nowhere << (4 * k);
    }
#pragma unroll 1
    for (int d = 0; d < m_dims; ++d) {
      Side const dim = dims[d];
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        std::uint32_t const next = dim.extent.divide_short(left[k]);
        std::uint32_t const i    = left[k] - next * std::uint32_t(dim.extent.divisor());
        result.offset[k] += i * dim.stride;
        result.place[k] += i * dim.place;
        if (i >= dim.rest) result.beyond |= dim.end << (4 * k);
        left[k] = next;
      }
    }
    return result;
  }

  int m_dims = 0, m_cuts = 0, m_elements = 1, m_places = 1;
  std::int64_t m_boxes = 1;
  Cut m_cut[max_dims];
  Side m_from[max_dims], m_to[max_dims];
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
