// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_STALE_BOXES_HPP
#define KOALESCE_SHADOW_IMPL_STALE_BOXES_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/shadow/impl/LineSet.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The parts of a matrix that have changed since its shadow was built.
namespace Koalesce::Impl {

/// What a slice, given as Kokkos::subview takes it, selects of a dimension.
template <class Slice>
IndexRange range_of(std::string const& where, Slice const& slice, int d, std::int64_t extent) {
  constexpr bool is_index = std::is_integral_v<Slice>, is_pair = requires { slice.first + slice.second; };
  static_assert(is_index || is_pair || std::is_same_v<Slice, std::remove_const_t<decltype(Kokkos::ALL)>>,
                "Koalesce::ShadowView::invalidate: each slice must be an index, a pair of indices, or Kokkos::ALL");
  IndexRange range{0, extent};
  if constexpr (is_index) range = {std::int64_t(slice), std::int64_t(slice)};
  if constexpr (is_pair) range = {std::int64_t(slice.first), std::int64_t(slice.second)};
  if (range.first < 0 || range.end > extent - is_index || range.first > range.end)
    fail(where, "the slice of dimension ", d, " is ", range.first, is_index ? "" : " to " + std::to_string(range.end),
         ", but the matrix has extent ", extent, " there; give an index or a range within it");
  range.end += is_index;
  return range;
}

/// A few boxes; if they become many, one that holds all of them.
template <int Rank>
class StaleBoxes {
 public:
  struct Box {
    IndexRange range[Rank];
  };

  bool empty() const { return m_boxes.empty(); }
  void clear() { m_boxes.clear(); }
  std::vector<Box> const& boxes() const { return m_boxes; }

  void add(Box const& box) {
    for (auto const& range : box.range)
      if (range.first == range.end) return;
    m_boxes.push_back(box);
    if (m_boxes.size() > max_boxes) unite();
  }

 private:
  static constexpr std::size_t max_boxes = 32;  // each is a kernel

  void unite() {
    Box all = m_boxes.front();
    for (auto const& box : m_boxes)
      for (int d = 0; d < Rank; ++d)
        all.range[d] = {std::min(all.range[d].first, box.range[d].first), std::max(all.range[d].end, box.range[d].end)};
    m_boxes = {all};
  }

  std::vector<Box> m_boxes;
};

/// The part of a View in a box.
template <class View, class Box>
auto part_of(View const& view, Box const& box) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Kokkos::subview(view, std::make_pair(box.range[D].first, box.range[D].end)...);
  }(std::make_index_sequence<View::rank()>());
}

}  // namespace Koalesce::Impl

#endif
