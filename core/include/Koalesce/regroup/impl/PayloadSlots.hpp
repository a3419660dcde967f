// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_PAYLOAD_SLOTS_HPP
#define KOALESCE_REGROUP_IMPL_PAYLOAD_SLOTS_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Where a payload's elements lie while their items run in another order: an array for each View, an element a slot.
namespace Koalesce::Impl {

/// Memory for the elements of `count` slots: one array per type, within a block of bytes.
template <class... Elements>
struct SlotsOf {
  static constexpr std::size_t alignment = 16;

  static_assert(((alignof(Elements) <= alignment) && ...),
                "Koalesce: elements of a payload move to memory that is aligned to 16 bytes, so give elements that "
                "need no more");

  using Pointers = Pack<Elements*...>;

  KOKKOS_FUNCTION static constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// Bytes of the elements alone, without padding.
  static constexpr std::size_t bytes_per_item = (std::size_t(0) + ... + sizeof(Elements));

  KOKKOS_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return (std::size_t(0) + ... + padded(count * sizeof(Elements)));
  }

  KOKKOS_FUNCTION static Pointers in(char* memory, std::size_t count) {
    Pointers pointers;
    for_each(pointers, [&](auto& pointer, auto) {
      using T = std::remove_pointer_t<std::decay_t<decltype(pointer)>>;
      pointer = reinterpret_cast<T*>(memory);
      memory += padded(count * sizeof(T));
    });
    return pointers;
  }
};

template <class Payload>
struct SlotsOfPayloadIs;
template <class... Parts>
struct SlotsOfPayloadIs<Pack<Parts...>> {
  using type = SlotsOf<typename Parts::View::non_const_value_type...>;
};
template <class Payload>
using SlotsOfPayload = typename SlotsOfPayloadIs<Payload>::type;

/// Whether some of a payload's elements are written back.
template <class Payload>
inline constexpr bool some_return = false;
template <class... Parts>
inline constexpr bool some_return<Pack<Parts...>> = (Parts::returns || ...);

/// The element of a payload's i-th View in a slot, as functors take it.
template <class Part, class Index, class Pointers>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element_in_slot(Part const&, Index, Pointers const& slots,
                                                           std::int64_t slot) {
  return static_cast<typename Part::View::value_type&>(get<std::size_t(Index::value)>(slots)[slot]);
}

/// Moves an item's elements to a slot.
template <class Payload, class Pointers>
KOKKOS_FORCEINLINE_FUNCTION void depart(Payload const& payload, std::int64_t item, Pointers const& slots,
                                        std::int64_t slot) {
  for_each(payload, [&](auto const& part, auto i)
                        KOALESCE_INLINE_LAMBDA { get<std::size_t(i.value)>(slots)[slot] = part.view(item); });
}

/// Moves a slot's elements back, if they are written back.
template <class Payload, class Pointers>
KOKKOS_FORCEINLINE_FUNCTION void come_back(Payload const& payload, std::int64_t item, Pointers const& slots,
                                           std::int64_t slot) {
  for_each(payload, [&](auto const& part, auto i) KOALESCE_INLINE_LAMBDA {
    if constexpr (std::decay_t<decltype(part)>::returns) part.view(item) = get<std::size_t(i.value)>(slots)[slot];
  });
}

}  // namespace Koalesce::Impl

#endif
