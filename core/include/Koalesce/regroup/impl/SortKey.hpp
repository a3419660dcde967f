// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_SORT_KEY_HPP
#define KOALESCE_REGROUP_IMPL_SORT_KEY_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

/// The 32-bit numbers by which items are sorted: the path in the high bits, then the leading bits of where the item's
/// key lies in the range of all keys. For an exact order, 32 bits of the key at a time from the lowest on, then the
/// path.
namespace Koalesce::Impl {

/// The types that keys may have.
template <class Key>
inline constexpr bool is_order_key =
    (std::is_integral_v<Key> && sizeof(Key) <= 8) || std::is_same_v<Key, float> || std::is_same_v<Key, double>;

/// A number that is larger where the key is.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t rank_of_key(Key key) {
  static_assert(is_order_key<Key>,
                "Koalesce::RegroupPolicy::with_order: a key must be a float, a double, or an integer of up to 8 bytes");
  if constexpr (std::is_floating_point_v<Key>) {
    // The bits of positive numbers are in their order, those of negative ones in the opposite order.
    using Bits          = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits(1) << (8 * sizeof(Key) - 1);
    Bits const bits     = Kokkos::bit_cast<Bits>(key);
    return bits & sign ? Bits(~bits) : Bits(bits | sign);
  } else if constexpr (std::is_signed_v<Key>) {
    return std::uint64_t(std::int64_t(key)) ^ std::uint64_t(1) << 63;
  } else {
    return std::uint64_t(key);
  }
}

/// Infinities and NaNs do not count for the range.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION bool is_finite_key(Key key) {
  if constexpr (std::is_floating_point_v<Key>) return Kokkos::isfinite(key);
  else return true;
}

/// Of a key among all whose ranks are from `first` to `last`, from 0 on; 0 if there is none.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place_in_range(std::uint64_t rank, std::uint64_t first, std::uint64_t last) {
  return first > last ? 0 : Kokkos::clamp(rank, first, last) - first;
}

/// How the 32 bits are shared.
struct SortBits {
  int path;            ///< bits of a path's number, or of the number of paths: "none"
  int total;           ///< a multiple of the radix sort's 8
  bool exact = false;  ///< all bits are a path's: items are sorted by their whole keys before

  static constexpr int digit  = 8;
  static constexpr int fewest = 8;  ///< bits of a key

  /// \param[in] key  bits that a key has at least.
  static constexpr SortBits at_least(int key, int paths) {
    int const path = int(std::bit_width(unsigned(paths)));
    return {path, (path + key + digit - 1) / digit * digit};
  }
  /// \tparam Key  of the items: what many bits hold needs no sorts before.
  template <class Key>
  static constexpr SortBits of(KeyBits bits, int paths) {
    auto const few = at_least(fewest, paths), none = at_least(0, paths);
    if (bits == KeyBits::few) return few;
    if (bits == KeyBits::exact && 8 * int(sizeof(Key)) > 32 - few.path) return {none.total, none.total, true};
    return {few.path, 32};
  }
  template <class Key>
  static constexpr SortBits of(RegroupVariant variant, int paths) {
    return of<Key>(variant == RegroupVariant::grid_few_bits ? KeyBits::few
                   : variant == RegroupVariant::grid_exact  ? KeyBits::exact
                                                            : KeyBits::many,
                   paths);
  }

  KOKKOS_FUNCTION constexpr int key() const { return total - path; }
  constexpr bool fit() const { return total <= 32 && (exact || key() >= fewest); }

  KOKKOS_FORCEINLINE_FUNCTION int path_of(std::uint32_t number) const { return int(number >> key()); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t number(int path_number, std::uint64_t rank, std::uint64_t first,
                                                   std::uint64_t last) const {
    if (exact) return std::uint32_t(path_number);
    int const dropped = first > last ? 0 : Kokkos::max(0, int(Kokkos::bit_width(last - first)) - key());
    return std::uint32_t(path_number) << key() | std::uint32_t(place_in_range(rank, first, last) >> dropped);
  }
};

}  // namespace Koalesce::Impl

#endif
