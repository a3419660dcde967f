// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_STRUCT_LINES_HPP
#define KOALESCE_CUDA_TRANSPOSE_STRUCT_LINES_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/PackedLines.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/transpose/impl/StructWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// Arrays of structs whose members have any sizes. As in PackedLines, a block's share of structs is one piece of
/// memory, which moves in vectors; each member's array is a long line.
namespace Koalesce::Impl::CudaBackend {

/// Bytes of each struct that move as words: a member, or members without a gap between them.
struct StructPiece {
  unsigned char* array;  ///< the member's; null for a run of members
  int offset;            ///< bytes of the struct before it
  int word;              ///< bytes of a word
  bool packed;           ///< whether small words move in fours of bytes on the array's side
  Divisor words;         ///< words of a struct
};

/// What the kernels get.
struct StructLines {
  unsigned char* structs;
  std::int64_t size;
  int struct_bytes, members, runs;
  StructPiece member[StructWork::max_members];
  StructPiece run[StructWork::max_members];  ///< what is written of the structs, if not all
};

/// Calls body(word) with the word's size as a constant.
template <class Body>
__device__ __forceinline__ void with_word(int word, Body const& body) {
  switch (word) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 4: return body(std::integral_constant<int, 4>());
    case 8: return body(std::integral_constant<int, 8>());
    default: return body(std::integral_constant<int, 16>());
  }
}

/// The words of a piece in a share of structs: word i of all lies in struct i / words.
template <int Bytes>
struct PieceWords {
  PackedTile<Bytes> tile;
  Divisor const& words;
  int first, pitch, count;  ///< in words: the first one in the tile, from struct to struct, and all of the share

  __device__ __forceinline__ PieceWords(void* shared, StructPiece const& piece, int struct_bytes, int structs)
      : tile(shared),
        words(piece.words),
        first(piece.offset / Bytes),
        pitch(struct_bytes / Bytes),
        count(structs * int(piece.words.divisor())) {}

  /// Words before word i in the share's structs, and of it in the tile.
  __device__ __forceinline__ int place(int i) const {
    int const s = int(words.divide_short(std::uint32_t(i)));
    return first + s * pitch + (i - s * int(words.divisor()));
  }
  __device__ __forceinline__ Word<Bytes>& operator()(int i) const { return tile.element(place(i)); }
};

template <int Bytes, int Packet, int Threads>
__device__ __forceinline__ void write_array(PieceWords<Bytes> const& in_tile, Word<Bytes>* to) {
  constexpr int per = Packet / Bytes;
  int const packets = in_tile.count / per;
#pragma unroll 4
  for (int p = int(threadIdx.x); p < packets; p += Threads) {
    struct alignas(Packet) {
      Word<Bytes> word[per];
    } packet;
#pragma unroll
    for (int w = 0; w < per; ++w) packet.word[w] = in_tile(p * per + w);
    Word<Packet> bits;
    memcpy(&bits, &packet, Packet);
    reinterpret_cast<Word<Packet>*>(to)[p] = bits;
  }
  for (int i = packets * per + int(threadIdx.x); i < in_tile.count; i += Threads) to[i] = in_tile(i);
}

template <int Bytes, int Packet, int Threads>
__device__ __forceinline__ void read_array(PieceWords<Bytes> const& in_tile, Word<Bytes> const* from) {
  if constexpr (is_async_size(Bytes)) {
#pragma unroll 4
    for (int i = int(threadIdx.x); i < in_tile.count; i += Threads) async_copy<Bytes>(&in_tile(i), from + i);
  } else {
    constexpr int per = Packet / Bytes;
    int const packets = in_tile.count / per;
#pragma unroll 4
    for (int p = int(threadIdx.x); p < packets; p += Threads) {
      auto const bits = load_once<Word<Packet>>(from + p * per);
      Word<Bytes> word[per];
      memcpy(word, &bits, Packet);
#pragma unroll
      for (int w = 0; w < per; ++w) in_tile(p * per + w) = word[w];
    }
    for (int i = packets * per + int(threadIdx.x); i < in_tile.count; i += Threads) in_tile(i) = from[i];
  }
}

/// \tparam Vector  bytes of the vectors in which the structs are read.
template <int Vector, int Threads>
__global__ __launch_bounds__(Threads, StructTuning::blocks) void structs_to_arrays_kernel(StructLines const work,
                                                                                          PackedGrid const grid) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  auto const share = grid.share(blockIdx.x, work.size);
  int const bytes = share.lines * work.struct_bytes, vectors = bytes / Vector, thread = int(threadIdx.x);
  PackedTile<Vector> const tile(koalesce_packed_lines);
  PackedTile<1> const single(koalesce_packed_lines);

  unsigned char const* const from = work.structs + share.first * work.struct_bytes;
  for (int v = thread; v < vectors; v += Threads) {
    if constexpr (is_async_size(Vector)) async_copy<Vector>(&tile.element(v), from + v * Vector);
    else tile.element(v) = load_once<Word<Vector>>(from + v * Vector);
  }
  commit_copies();
  for (int b = vectors * Vector + thread; b < bytes; b += Threads) single.element(b).bits = from[b];
  wait_for_copies<0>();
  __syncthreads();

  for (int k = 0; k < work.members; ++k) {
    StructPiece const& piece = work.member[k];
    with_word(piece.word, [&](auto word) {
      constexpr int size = decltype(word)::value, packet = size < 4 ? 4 : size;
      PieceWords<size> const in_tile(koalesce_packed_lines, piece, work.struct_bytes, share.lines);
      auto* const to = reinterpret_cast<Word<size>*>(piece.array) + share.first * piece.words.divisor();
      if (piece.packed) write_array<size, packet, Threads>(in_tile, to);
      else write_array<size, size, Threads>(in_tile, to);
    });
  }
}

/// \tparam Vector  bytes of the vectors in which whole structs are written, 4 to 16, or 0: runs of listed members are.
template <int Vector, int Threads>
__global__ __launch_bounds__(Threads, StructTuning::blocks) void arrays_to_structs_kernel(StructLines const work,
                                                                                          PackedGrid const grid) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  auto const share = grid.share(blockIdx.x, work.size);
  int const thread = int(threadIdx.x);

  for (int k = 0; k < work.members; ++k) {
    StructPiece const& piece = work.member[k];
    with_word(piece.word, [&](auto word) {
      constexpr int size = decltype(word)::value, packet = size < 4 ? 4 : size;
      PieceWords<size> const in_tile(koalesce_packed_lines, piece, work.struct_bytes, share.lines);
      auto const* const from = reinterpret_cast<Word<size> const*>(piece.array) + share.first * piece.words.divisor();
      if (piece.packed) read_array<size, packet, Threads>(in_tile, from);
      else read_array<size, size, Threads>(in_tile, from);
    });
  }
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();

  unsigned char* const to = work.structs + share.first * work.struct_bytes;
  if constexpr (Vector > 0) {
    int const bytes = share.lines * work.struct_bytes, vectors = bytes / Vector;
    PackedTile<Vector> const tile(koalesce_packed_lines);
    PackedTile<1> const single(koalesce_packed_lines);
#pragma unroll 4
    for (int v = thread; v < vectors; v += Threads) store_once(to + v * Vector, tile.element(v));
    for (int b = vectors * Vector + thread; b < bytes; b += Threads) to[b] = single.element(b).bits;
  } else {
    for (int r = 0; r < work.runs; ++r) {
      StructPiece const& run = work.run[r];
      with_word(run.word, [&](auto word) {
        constexpr int size = decltype(word)::value;
        PieceWords<size> const in_tile(koalesce_packed_lines, run, work.struct_bytes, share.lines);
        auto* const structs = reinterpret_cast<Word<size>*>(to);
        for (int i = thread; i < in_tile.count; i += Threads) structs[in_tile.place(i)] = in_tile(i);
      });
    }
  }
}

inline StructPiece struct_piece(unsigned char* array, int offset, int bytes, int word) {
  bool const packed = array != nullptr && word < 4 && address_of(array) % 4 == 0;
  return {array, offset, word, packed, Divisor(bytes / word)};
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
  StructLines lines{nullptr, work.size, work.struct_bytes, work.members, 0, {}, {}};
  for (int k = 0; k < work.members; ++k) {
    auto const& m     = work.member[k];
    auto* const array = work.to_structs ? const_cast<unsigned char*>(m.from) : m.to;
    lines.structs     = (work.to_structs ? m.to : const_cast<unsigned char*>(m.from)) - m.offset;
    lines.member[k] =
        struct_piece(array, m.offset, m.bytes, word_dividing(m.offset, m.bytes, work.struct_bytes, address_of(array)));
  }
  bool const has_vectors = work.covers_structs() && address_of(lines.structs) % 4 == 0;
  if (work.to_structs && !has_vectors) find_runs(lines, work);
  return lines;
}

template <int Vector>
void launch_struct_lines(Kokkos::Cuda const& exec, std::string const& label, StructLines const& lines,
                         bool to_structs) {
  auto const launch = [&](auto kernel, PackedNumbers const& numbers) {
    PackedGrid const grid(1, lines.size, lines.struct_bytes, 1, numbers.bytes);
    CudaKernel(exec, kernel_label(Tag{}, label), kernel, numbers.threads,
               PackedTile<1>::shared_bytes(lines.struct_bytes, grid.log))
        .launch(exec, unsigned(grid.blocks), lines, grid);
  };
  if constexpr (Vector != 1)
    if (to_structs)
      return launch(arrays_to_structs_kernel<Vector, StructTuning::to_structs.threads>, StructTuning::to_structs);
  if constexpr (Vector > 0)
    launch(structs_to_arrays_kernel<Vector, StructTuning::to_arrays.threads>, StructTuning::to_arrays);
}

/// Runs the copy by lines of structs if one side has structs and their size allows it.
/// \return whether they did.
inline bool launch_struct_lines(Kokkos::Cuda const& exec, std::string const& label, StructWork const& work) {
  if (work.from_structs == work.to_structs || work.struct_bytes > StructTuning::max_struct ||
      work.member_bytes() * StructTuning::max_unlisted < work.struct_bytes ||
      work.size >> 5 >= (std::int64_t(1) << 31) - 1)
    return false;
  auto const lines = struct_lines(work);
  if (lines.runs > 0) {
    launch_struct_lines<0>(exec, label, lines, true);
    return true;
  }
  switch (word_dividing(address_of(lines.structs))) {
    case 16: launch_struct_lines<16>(exec, label, lines, work.to_structs); break;
    case 8: launch_struct_lines<8>(exec, label, lines, work.to_structs); break;
    case 4: launch_struct_lines<4>(exec, label, lines, work.to_structs); break;
    default: launch_struct_lines<1>(exec, label, lines, work.to_structs);
  }
  return true;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
