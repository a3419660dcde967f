// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_STRUCT_WORK_HPP
#define KOALESCE_TRANSPOSE_IMPL_STRUCT_WORK_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// A member of the first struct on either side, its size in bytes, and the bytes of a struct before it.
struct StructMember {
  unsigned char const* from;
  unsigned char* to;
  int bytes, offset;
};

/// What copy_structs does: for 0 <= i < size, each member moves from `from + i * step` to `to + i * step`, where a
/// side's step is struct_bytes if it is an array of structs, else the member's bytes. The sides do not overlap.
struct StructWork {
  static constexpr int max_members = 16;

  std::int64_t size;
  int struct_bytes, members;
  bool from_structs, to_structs;  ///< which sides are arrays of structs
  bool are_all;                   ///< whether there are no other members, so that padding may be written
  StructMember member[max_members];

  KOKKOS_FUNCTION int from_step(int k) const { return from_structs ? struct_bytes : member[k].bytes; }
  KOKKOS_FUNCTION int to_step(int k) const { return to_structs ? struct_bytes : member[k].bytes; }

  /// Bytes of all listed members of a struct.
  int member_bytes() const {
    int sum = 0;
    for (int k = 0; k < members; ++k) sum += member[k].bytes;
    return sum;
  }

  /// Whether the listed members are all bytes of the struct.
  bool covers_structs() const { return member_bytes() == struct_bytes; }

  bool may_write_structs() const { return are_all || covers_structs(); }

  /// Whether members follow each other in the struct without gaps, in the order in which they are listed.
  bool in_order() const {
    int next = 0;
    for (int k = 0; k < members; next += member[k++].bytes)
      if (member[k].offset != next) return false;
    return next == struct_bytes;
  }
};

/// The largest word of up to 16 bytes that divides all of these numbers: sizes, offsets and addresses.
template <class... Numbers>
int word_dividing(Numbers... numbers) {
  std::uint64_t const bits = (std::uint64_t(16) | ... | std::uint64_t(numbers));
  return int(bits & (~bits + 1));
}

inline std::uint64_t address_of(unsigned char const* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace Koalesce::Impl

#endif
