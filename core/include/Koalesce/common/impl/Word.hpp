// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_WORD_HPP
#define KOALESCE_COMMON_IMPL_WORD_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl {

#if defined(__GNUC__)
#define KOALESCE_MAY_ALIAS [[gnu::may_alias]]
#else
#define KOALESCE_MAY_ALIAS
#endif

/// An element, for code that only moves it: `Bytes` bytes, aligned to as many. May alias any type.
template <int Bytes>
struct Word;

template <>
struct alignas(1) KOALESCE_MAY_ALIAS Word<1> {
  std::uint8_t bits;
};
template <>
struct alignas(2) KOALESCE_MAY_ALIAS Word<2> {
  std::uint16_t bits;
};
template <>
struct alignas(4) KOALESCE_MAY_ALIAS Word<4> {
  std::uint32_t bits;
};
template <>
struct alignas(8) KOALESCE_MAY_ALIAS Word<8> {
  std::uint64_t bits;
};
template <>
struct alignas(16) KOALESCE_MAY_ALIAS Word<16> {
  std::uint64_t bits[2];
};

template <class T>
inline constexpr bool is_word = false;
template <int Bytes>
inline constexpr bool is_word<Word<Bytes>> = true;

/// Whether elements of this size can be moved as words.
constexpr bool is_word_size(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

inline bool is_aligned(void const* address, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

}  // namespace Koalesce::Impl

#endif
