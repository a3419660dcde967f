// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_ARRAY_SHAPE_HPP
#define KOALESCE_PLACEMENT_IMPL_ARRAY_SHAPE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

// for_extents calls host lambdas on the host only. nvcc warns about that, because it is a device function, too.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20015
#endif

namespace Koalesce::Impl {

template <class T>
inline constexpr int pointers_of = 0;
template <class T>
inline constexpr int pointers_of<T*> = 1 + pointers_of<T>;

template <class T>
struct WithoutPointers {
  using type = T;
};
template <class T>
struct WithoutPointers<T*> : WithoutPointers<T> {};

/// Bytes of an array that a thread can have as a local variable, beside others: a GPU gives a thread 512 KiB for all,
/// and stacks of some hosts' threads have no more.
inline constexpr std::size_t max_thread_bytes = 32 * 1024;

/// Element type and extents of an array, from a type as Kokkos::View's: first a `*` for every extent that is known at
/// run time, then those of `[N]`. The last index is the fastest.
template <class Data>
class ArrayShape {
 public:
  using value_type = typename WithoutPointers<std::remove_all_extents_t<Data>>::type;

  static constexpr int dynamic_rank = pointers_of<std::remove_all_extents_t<Data>>;
  static constexpr int rank         = dynamic_rank + int(std::rank_v<Data>);
  static constexpr bool constant    = dynamic_rank == 0;  // is the length known at compile time?

  /// Whether a thread can have the array as a local variable.
  static constexpr bool fits_in_thread() {
    if constexpr (constant)
      return ArrayShape().is_valid() && std::size_t(ArrayShape().size()) * sizeof(value_type) <= max_thread_bytes;
    else return false;
  }

  static_assert(rank <= 4, "Koalesce: an array on chip can have at most 4 extents");
  static_assert(!std::is_const_v<value_type>,
                "Koalesce: an array on chip is written by its kernel, so its elements cannot be const; drop the const");
  static_assert(std::is_trivially_copyable_v<value_type> && std::is_default_constructible_v<value_type>,
                "Koalesce: elements of an array on chip must be trivially copyable and default constructible");
  static_assert(alignof(value_type) <= 16,
                "Koalesce: elements of an array on chip can have an alignment of at most 16 bytes");

  ArrayShape() = default;
  explicit constexpr ArrayShape(Kokkos::Array<int, dynamic_rank> const& dynamic) : m_dynamic(dynamic) {}

  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION constexpr int extent() const {
    if constexpr (D < dynamic_rank) return m_dynamic[D];
    else return int(std::extent_v<Data, D - dynamic_rank>);
  }

  KOKKOS_FORCEINLINE_FUNCTION constexpr int size() const {
    return for_extents([](auto... extent) { return (1 * ... * extent); });
  }

  /// Whether no extent is negative and the product is not too large.
  constexpr bool is_valid() const {
    return for_extents([](auto... extent) {
      if (((extent < 0) || ...)) return false;
      std::int64_t size = ((extent != 0) && ...);
      ((size = size <= most ? size * extent : size), ...);
      return size <= most;
    });
  }

  friend bool operator==(ArrayShape const& a, ArrayShape const& b) {
    if constexpr (!constant)
      for (int d = 0; d < dynamic_rank; ++d)
        if (a.m_dynamic[d] != b.m_dynamic[d]) return false;
    return true;
  }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION constexpr int offset(Index... index) const {
    static_assert(sizeof...(Index) == rank,
                  "Koalesce: an array on chip takes one index per extent, and a ThreadArray the team rank before them");
    return offset_of(std::make_integer_sequence<int, rank>{}, int(index)...);
  }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool contains(Index... index) const {
    return contains_of(std::make_integer_sequence<int, rank>{}, std::int64_t(index)...);
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION constexpr auto for_extents(F const& f) const {
    return for_extents_of(std::make_integer_sequence<int, rank>{}, f);
  }

 private:
  static constexpr std::int64_t most = std::numeric_limits<int>::max() / 64;

  template <int... D, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION constexpr int offset_of(std::integer_sequence<int, D...>, Index... index) const {
    int offset = 0;
    ((offset = offset * extent<D>() + index), ...);
    return offset;
  }

  template <int... D, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool contains_of(std::integer_sequence<int, D...>, Index... index) const {
    return ((index >= 0 && index < extent<D>()) && ...);
  }

  template <int... D, class F>
  KOKKOS_FORCEINLINE_FUNCTION constexpr auto for_extents_of(std::integer_sequence<int, D...>, F const& f) const {
    return f(extent<D>()...);
  }

  Kokkos::Array<int, dynamic_rank> m_dynamic{};
};

}  // namespace Koalesce::Impl

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
