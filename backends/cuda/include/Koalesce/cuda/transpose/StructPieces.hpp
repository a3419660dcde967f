// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_STRUCT_PIECES_HPP
#define KOALESCE_CUDA_TRANSPOSE_STRUCT_PIECES_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/transpose/impl/StructWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

/// Structs and their members' arrays as words that CUDA kernels move.
namespace Koalesce::Impl::CudaBackend {

/// Bytes of each struct that move as words: a member, or members without a gap between them.
struct StructPiece {
  unsigned char* array;  ///< the member's; null for a run of members
  int offset;            ///< bytes of the struct before it
  int word;              ///< bytes of a word
  bool packed;           ///< whether small words move in fours of bytes on the array's side
  ShortDivisor words;    ///< words of a struct
};

/// Which words of a struct belong to listed members, where not all do, but none of them in part.
struct ListedWords {
  static constexpr int bytes       = 4;  ///< of a word; memory takes longer to write parts of words
  static constexpr int sector_word = 32 / bytes;

  int words  = 0;  ///< of a struct; 0 where they are not written so
  int period = 0;  ///< of as many whole structs as are whole sectors, too, and as many for a block as fit
  std::uint32_t bits[StructTuning::max_struct / bytes / 32] = {};

  KOKKOS_FORCEINLINE_FUNCTION bool has(int w) const { return bits[w / 32] >> w % 32 & 1; }

  static bool allows(StructWork const& work, unsigned char const* structs) {
    int word = word_dividing(work.struct_bytes, address_of(structs));
    for (int k = 0; k < work.members; ++k) word = word_dividing(word, work.member[k].offset, work.member[k].bytes);
    return word >= bytes;
  }

  ListedWords() = default;
  explicit ListedWords(StructWork const& work)
      : words(work.struct_bytes / bytes), period(std::lcm(words, sector_word)) {
    period *= std::max(1, StructTuning::to_structs.threads / period);
    for (int k = 0; k < work.members; ++k)
      for (int b = work.member[k].offset; b < work.member[k].offset + work.member[k].bytes; b += bytes)
        bits[b / bytes / 32] |= std::uint32_t(1) << b / bytes % 32;
  }
};

/// What the kernels get.
struct StructLines {
  unsigned char* structs;
  std::int64_t size;
  int struct_bytes, members, runs;
  int parts;     ///< of a member in a block's share, for warps; as many for all members
  bool padding;  ///< whether whole structs are written that have some
  StructPiece member[StructWork::max_members];
  StructPiece run[StructWork::max_members];  ///< what is written of the structs, if neither whole ones nor
  ListedWords listed;                        ///< these
};

inline StructPiece struct_piece(unsigned char* array, int offset, int bytes, int word) {
  bool const packed = array != nullptr && word < 4 && address_of(array) % 4 == 0;
  return {array, offset, word, packed, ShortDivisor(bytes / word)};
}

/// Listed members that follow each other in the struct are one run.
inline void find_runs(StructLines& lines, StructWork const& work) {
  int first[StructWork::max_members], last[StructWork::max_members];
  for (int k = 0; k < work.members; ++k) {
    first[k] = work.member[k].offset;
    last[k]  = first[k] + work.member[k].bytes;
  }
  std::sort(first, first + work.members);
  std::sort(last, last + work.members);
  for (int k = 0, begin = first[0]; k < work.members; ++k) {
    if (k + 1 < work.members && last[k] == first[k + 1]) continue;
    int const bytes         = last[k] - begin;
    int const word          = word_dividing(begin, bytes, work.struct_bytes, address_of(lines.structs));
    lines.run[lines.runs++] = struct_piece(nullptr, begin, bytes, word);
    if (k + 1 < work.members) begin = first[k + 1];
  }
}

inline StructLines struct_lines(StructWork const& work) {
  StructLines lines{nullptr, work.size, work.struct_bytes, work.members, 0, 1, false, {}, {}, {}};
  for (int k = 0; k < work.members; ++k) {
    auto const& m     = work.member[k];
    auto* const array = work.to_structs ? const_cast<unsigned char*>(m.from) : m.to;
    lines.structs     = (work.to_structs ? m.to : const_cast<unsigned char*>(m.from)) - m.offset;
    lines.member[k] =
        struct_piece(array, m.offset, m.bytes, word_dividing(m.offset, m.bytes, work.struct_bytes, address_of(array)));
  }
  bool const has_vectors = work.may_write_structs() && address_of(lines.structs) % 4 == 0;
  lines.padding          = !work.covers_structs();
  if (!work.to_structs || has_vectors) return lines;
  if (ListedWords::allows(work, lines.structs)) lines.listed = ListedWords(work);
  else find_runs(lines, work);
  return lines;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
