// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_SIZE_CLASS_HPP
#define KOALESCE_TUNING_IMPL_SIZE_CLASS_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace Koalesce::Impl {

/// floor(log2(extent)); 0 for none. Extents of a class share their choices.
constexpr int size_class(std::int64_t extent) {
  return extent > 1 ? int(std::bit_width(std::uint64_t(extent))) - 1 : 0;
}

template <class Extents>
constexpr std::array<int, 3> size_classes(Extents const& extents) {
  return {size_class(extents[0]), size_class(extents[1]), size_class(extents[2])};
}

/// "2^9 x 2^9 x 2^10": from these extents on, to twice as much.
template <class Extents>
std::string size_classes_text(Extents const& extents) {
  std::string text;
  for (int const c : size_classes(extents)) text += (text.empty() ? "2^" : " x 2^") + std::to_string(c);
  return text;
}

/// " in 2^3 blocks", which follows them; nothing for one block.
inline std::string blocks_text(std::int64_t blocks) {
  return blocks > 1 ? " in 2^" + std::to_string(size_class(blocks)) + " blocks" : "";
}

}  // namespace Koalesce::Impl

#endif
