// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_HALO_COPY_HPP
#define KOALESCE_DISTRIBUTED_IMPL_HALO_COPY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl {

/// Copies points of a field to messages or back: a point each, or on CPUs a row each.
/// \tparam T  const if they are sent.
template <class T, bool by_rows>
struct CopyHalo {
  static constexpr bool sends = std::is_const_v<T>;
  using Element               = std::conditional_t<sends, std::remove_const_t<T>, T const>;

  Field<T> field;
  HaloBox const* boxes;
  MessagePlace const* messages;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    HaloBox const* box   = boxes;
    std::int64_t earlier = 0;
    while (i >= (by_rows ? box->lines : box->points)) {
      earlier = by_rows ? box->lines : box->points;
      ++box;
    }
    i -= earlier;
    std::int64_t const count = by_rows ? box->row.divisor() : 1;
    Extents3 const at        = by_rows ? box->start(i) : box->point(i);
    copy(field.at(at[0], at[1], at[2]),
         reinterpret_cast<Element*>(messages[box->message].memory + box->begin) + i * count, count);
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(T* here, Element* there, std::int64_t count) const {
    std::int64_t const stride = field.stride[2];
    if (stride == 1) {
      for (std::int64_t x = 0; x < count; ++x) copy_one(here[x], there[x]);
    } else {
      for (std::int64_t x = 0; x < count; ++x) copy_one(here[x * stride], there[x]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void copy_one(T& here, Element& there) {
    if constexpr (sends) there = here;
    else here = there;
  }
};

/// A field's parts of all messages.
template <class Exec>
class HaloCopies {
 public:
  explicit HaloCopies(std::vector<HaloBox> const& boxes) : m_boxes(without_values(), boxes.size()) {
    if (boxes.empty()) return;
    m_count = Backend::on_host<Exec> ? boxes.back().lines : boxes.back().points;
    Kokkos::View<HaloBox const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(boxes.data(),
                                                                                                        boxes.size());
    Kokkos::deep_copy(m_boxes, host);
  }

  /// \tparam T  const if they are sent. \param[in] messages  where each begins.
  template <class T>
  void run(Exec const& exec, char const* label, Field<T> const& field, MessagePlace const* messages) const {
    if (m_count == 0) return;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m_count),
                         CopyHalo<T, Backend::on_host<Exec>>{field, m_boxes.data(), messages});
  }

 private:
  static auto without_values() { return Kokkos::view_alloc(Kokkos::WithoutInitializing, "Koalesce::halo boxes"); }

  Kokkos::View<HaloBox*, typename Exec::memory_space> m_boxes;
  std::int64_t m_count = 0;
};

}  // namespace Koalesce::Impl

#endif
