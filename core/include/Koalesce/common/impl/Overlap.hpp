// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_OVERLAP_HPP
#define KOALESCE_COMMON_IMPL_OVERLAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The bytes a strided View may touch: its elements start at `data + sum of i_d * stride[d]`, i_d < extent[d].
struct StridedMemory {
  static constexpr int max_rank = 8;

  std::uintptr_t data;
  std::size_t element;
  std::uintptr_t extent[max_rank]{1, 1, 1, 1, 1, 1, 1, 1};
  std::uintptr_t stride[max_rank]{};

  bool empty() const { return std::count(extent, extent + max_rank, 0U) > 0; }

  std::uintptr_t end() const {
    std::uintptr_t e = data + element;
    for (int d = 0; d < max_rank; ++d) e += (extent[d] - 1) * stride[d];
    return e;
  }

  bool same_strides(StridedMemory const& other) const {
    return element == other.element && std::equal(stride, stride + max_rank, other.stride);
  }
};

/// Of the first extent(d) indices of each dimension d.
template <class View, class Extent>
StridedMemory memory_of(View const& view, Extent const& extent) {
  constexpr int rank = int(View::rank());
  static_assert(rank <= StridedMemory::max_rank);
  StridedMemory m{reinterpret_cast<std::uintptr_t>(view.data()), sizeof(typename View::value_type)};
  for (int d = 0; d < rank; ++d) {
    m.extent[d] = extent(d);
    m.stride[d] = view.stride(d) * m.element;
  }
  // Largest stride first: meets() goes through the dimensions in this order.
  for (int i = 0; i < rank; ++i)
    for (int j = i + 1; j < rank; ++j)
      if (m.stride[j] > m.stride[i]) {
        std::swap(m.stride[i], m.stride[j]);
        std::swap(m.extent[i], m.extent[j]);
      }
  return m;
}

template <class View>
StridedMemory memory_of(View const& view) {
  return memory_of(view, [&](int d) { return view.extent(d); });
}

/// Whether two elements can lie less than an element apart when the Views are `distance` bytes apart; `a` and `b`
/// have the same strides, so only differences of indices count.
template <int D = 0>
bool meets(StridedMemory const& a, StridedMemory const& b, std::intptr_t distance) {
  auto const element = std::intptr_t(a.element);
  if constexpr (D == StridedMemory::max_rank) {
    return distance < element && -distance < element;
  } else {
    std::intptr_t const stride = a.stride[D];
    if (stride == 0) return meets<D + 1>(a, b, distance);
    // The range of what the remaining dimensions can add to the distance.
    std::intptr_t low = -element + 1, high = element - 1;
    for (int d = D + 1; d < a.max_rank; ++d) {
      low -= (a.extent[d] - 1) * a.stride[d];
      high += (b.extent[d] - 1) * b.stride[d];
    }
    // The index differences q = i_b - i_a that leave distance + q * stride within -high ... -low.
    auto const floor_div = [](std::intptr_t n, std::intptr_t m) { return n >= 0 ? n / m : -((m - 1 - n) / m); };
    auto const first     = std::max(-floor_div(high + distance, stride), -std::intptr_t(a.extent[D] - 1));
    auto const last      = std::min(floor_div(-low - distance, stride), std::intptr_t(b.extent[D] - 1));
    for (auto q = first; q <= last; ++q)
      if (meets<D + 1>(a, b, distance + q * stride)) return true;
    return false;
  }
}

/// Whether two Views share memory. Exact for Views with the same strides (interleaved sub-views of one
/// allocation); otherwise their address ranges are compared.
inline bool overlap(StridedMemory const& a, StridedMemory const& b) {
  if (a.empty() || b.empty()) return false;
  if (a.end() <= b.data || b.end() <= a.data) return false;
  if (!a.same_strides(b)) return true;
  return meets(a, b, std::intptr_t(b.data) - std::intptr_t(a.data));
}

/// Whether two elements of a View that has any share memory, and have the same indices before dimension D.
template <int D = 0>
bool meets_itself(StridedMemory const& m) {
  if constexpr (D == StridedMemory::max_rank) {
    return false;
  } else {
    // Two elements that differ in this dimension by q, and in none before it.
    std::uintptr_t reach = m.element - 1;
    for (int d = D + 1; d < m.max_rank; ++d) reach += (m.extent[d] - 1) * m.stride[d];
    for (std::uintptr_t q = 1; q < m.extent[D] && q * m.stride[D] <= reach; ++q)
      if (meets<D + 1>(m, m, std::intptr_t(q * m.stride[D]))) return true;
    return meets_itself<D + 1>(m);
  }
}

/// Whether two elements of a View share memory.
inline bool overlaps_itself(StridedMemory const& m) { return !m.empty() && meets_itself(m); }

/// Whether any View of one list shares memory with any of another; each list has equal Views, in order of addresses.
inline bool overlap(std::vector<StridedMemory> const& a, std::vector<StridedMemory> const& b) {
  if (a.empty() || b.empty()) return false;
  auto const length_a = a[0].end() - a[0].data, length_b = b[0].end() - b[0].data;
  std::size_t from = 0;
  for (auto const& view : a) {
    while (from < b.size() && b[from].data + length_b <= view.data) ++from;
    for (std::size_t j = from; j < b.size() && b[j].data < view.data + length_a; ++j)
      if (overlap(view, b[j])) return true;
  }
  return false;
}

/// Whether Views of such a list share memory with each other.
inline bool overlap_within(std::vector<StridedMemory> const& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = i + 1; j < list.size() && list[j].data < list[i].end(); ++j)
      if (overlap(list[i], list[j])) return true;
  return false;
}

}  // namespace Koalesce::Impl

#endif
