// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_STRUCT_VIEW_HPP
#define KOALESCE_TRANSPOSE_STRUCT_VIEW_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/transpose/Members.hpp>
#include <Koalesce/transpose/impl/MemberList.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce {

namespace Impl {
struct StructAccess;
}

/// \brief How the structs of a StructView lie in memory.
enum class StructForm {
  structs,  ///< one array of structs
  arrays    ///< one array per member
};

/// \brief Structs that lie in memory as an array of structs or as one array per member; kernels read and write both
/// alike.
///
/// Copies share the memory, as copies of a Kokkos::View do, and keep it alive. Kernels capture a StructView by value; a
/// const StructView can be written through.
///
/// \tparam List         Members<...>: what is stored.
/// \tparam MemorySpace  where.
template <class List, class MemorySpace = typename Kokkos::DefaultExecutionSpace::memory_space>
class StructView {
  using Traits = Impl::MemberList<List>;

 public:
  using members      = List;                          ///< the list of members
  using struct_type  = typename Traits::struct_type;  ///< the struct
  using memory_space = MemorySpace;                   ///< where the structs lie

  /// Number of members.
  static constexpr int count = Traits::count;

  /// \brief The type of a member, given by its pointer or by its number in the list.
  template <auto Member>
  using member_type = typename Traits::template member_type<Traits::template index<Member>>;

  /// A View of one member of all structs; of rank 2 for a C array.
  template <auto Member>
  using member_view = Kokkos::View<typename Impl::ArrayOf<member_type<Member>>::type, Kokkos::LayoutStride, MemorySpace,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// No structs.
  StructView() = default;

  /// \brief Views an array of structs.
  explicit StructView(Kokkos::View<struct_type*, MemorySpace> const& structs) : m_size(structs.extent(0)) {
    m_structs          = structs;
    m_form             = StructForm::structs;
    auto const offsets = Traits::offsets();
    for (int k = 0; k < count; ++k) {
      m_data[k]   = structs.data() == nullptr ? nullptr : reinterpret_cast<unsigned char*>(structs.data()) + offsets[k];
      m_stride[k] = int(sizeof(struct_type));
    }
  }

  /// \brief Views one array per member.
  ///
  /// \param[in] arrays in the order of the list: contiguous Views of rank 1 and of the member's type; for a C array
  ///                   `T[N]` a View of `T*[N]` in LayoutRight.
  /// \throws Error if their extents differ, or one is not contiguous.
  template <class... Views>
    requires(sizeof...(Views) == std::size_t(count) && (Kokkos::is_view_v<Views> && ...))
  explicit StructView(Views const&... arrays) {
    hold<0>(m_arrays, arrays...);
  }

  /// \brief Allocates one array per member, filled with zeros.
  ///
  /// One allocation; each array begins at a multiple of 256 bytes.
  /// \param[in] label what profilers and errors call it.
  /// \param[in] size  number of structs.
  StructView(std::string const& label, std::size_t size) : m_size(size) {
    std::size_t bytes = alignment;
    for (int const member : Traits::bytes) bytes += round_up(size * std::size_t(member));
    m_allocation     = Kokkos::View<unsigned char*, MemorySpace>(label, bytes);
    auto* const data = m_allocation.data();
    auto* next = data + (round_up(reinterpret_cast<std::uintptr_t>(data)) - reinterpret_cast<std::uintptr_t>(data));
    for (int k = 0; k < count; ++k) {
      m_data[k]   = next;
      m_stride[k] = Traits::bytes[k];
      next += round_up(size * std::size_t(Traits::bytes[k]));
    }
  }

  /// Number of structs.
  KOKKOS_FUNCTION std::size_t size() const { return m_size; }

  /// How the structs lie in memory.
  KOKKOS_FUNCTION StructForm form() const { return m_form; }

  /// What the memory is called: the label of the array of structs, of the allocation, or of the first member's array.
  std::string label() const {
    if (m_form == StructForm::structs) return m_structs.label();
    return m_allocation.data() != nullptr ? m_allocation.label() : m_arrays.first.label();
  }

  /// \brief A member of struct i.
  /// \tparam Member its pointer, as in `get<&Particle::x>(i)`, or its number in the list.
  template <auto Member>
  KOKKOS_FORCEINLINE_FUNCTION member_type<Member>& get(std::int64_t i) const {
    constexpr int k = Traits::template index<Member>;
    return *reinterpret_cast<member_type<Member>*>(m_data[k] + i * m_stride[k]);
  }

  /// Struct i; members that are not in the list have their default values.
  KOKKOS_FORCEINLINE_FUNCTION struct_type load(std::int64_t i) const {
    struct_type value{};
    Traits::load(*this, i, value);
    return value;
  }

  /// The same.
  KOKKOS_FORCEINLINE_FUNCTION struct_type operator()(std::int64_t i) const { return load(i); }

  /// Writes the members in the list to struct i.
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t i, struct_type const& value) const {
    Traits::store(*this, i, value);
  }

  /// \brief A View of one member of all structs. It does not keep the memory alive.
  /// \throws Error if the structs' size is no multiple of the size of an element, so that no View can step from one to
  ///         the next.
  template <auto Member>
  member_view<Member> member() const {
    constexpr int k = Traits::template index<Member>;
    using Type      = member_type<Member>;
    using Scalar    = std::remove_extent_t<Type>;
    if (m_stride[k] % int(sizeof(Scalar)) != 0)
      Impl::fail("Koalesce::StructView::member", "member ", k, " of ", Impl::quoted_label(*this), " has elements of ",
                 sizeof(Scalar), " bytes in structs of ", m_stride[k],
                 ", which is no multiple; use get<...>(i), or copy the structs to arrays first");
    auto* const data       = reinterpret_cast<Scalar*>(m_data[k]);
    std::size_t const step = std::size_t(m_stride[k]) / sizeof(Scalar);
    if constexpr (std::is_array_v<Type>)
      return member_view<Member>(data, Kokkos::LayoutStride(m_size, step, std::extent_v<Type>, 1));
    else return member_view<Member>(data, Kokkos::LayoutStride(m_size, step));
  }

 private:
  friend Impl::StructAccess;

  static constexpr std::size_t alignment = 256;

  static constexpr std::size_t round_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  template <int K, class Held, class View, class... Views>
  void hold(Held& held, View const& array, Views const&... others) {
    static_assert(
        std::is_convertible_v<View, decltype(held.first)>,
        "Koalesce::StructView: give one contiguous View per member, in the order of Members, of the member's type "
        "and in the StructView's memory space; of T*[N] in LayoutRight for a C array");
    if (array.extent(0) > 1 && array.stride(0) * sizeof(typename View::value_type) != std::size_t(Traits::bytes[K]))
      Impl::fail("Koalesce::StructView", "the array ", Impl::quoted_label(array), " of member ", K,
                 " is not contiguous; copy it to a View without gaps first");
    held.first = array;
    if constexpr (K == 0) m_size = array.extent(0);
    if (array.extent(0) != m_size)
      Impl::fail("Koalesce::StructView", "the array ", Impl::quoted_label(array), " of member ", K, " has ",
                 array.extent(0), " elements, but that of member 0 has ", m_size, "; give every member as many");
    m_data[K]   = reinterpret_cast<unsigned char*>(held.first.data());
    m_stride[K] = Traits::bytes[K];
    if constexpr (sizeof...(Views) > 0) hold<K + 1>(held.rest, others...);
  }

  unsigned char* m_data[count] = {};
  int m_stride[count]          = {};
  StructForm m_form            = StructForm::arrays;
  std::size_t m_size           = 0;
  // What keeps the memory alive: one of the three.
  Kokkos::View<struct_type*, MemorySpace> m_structs;
  Kokkos::View<unsigned char*, MemorySpace> m_allocation;
  typename Traits::template arrays<MemorySpace> m_arrays;
};

}  // namespace Koalesce

#endif
