// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_STRUCT_LINES_HPP
#define KOALESCE_CUDA_TRANSPOSE_STRUCT_LINES_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/StructPieces.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>
#include <Koalesce/transpose/impl/StructWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// Arrays of structs whose members have any sizes. As in PackedLines, a block's share of structs is one piece of
/// memory, which moves in vectors; each member's array is a long line.
namespace Koalesce::Impl::CudaBackend {

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
  ShortDivisor const& words;
  int first, pitch, count;  ///< in words: the first one in the tile, from struct to struct, and all of the share

  __device__ __forceinline__ PieceWords(void* shared, StructPiece const& piece, int struct_bytes, int structs)
      : tile(shared),
        words(piece.words),
        first(piece.offset / Bytes),
        pitch(struct_bytes / Bytes),
        count(structs * int(piece.words.divisor())) {}

  /// Words before word i in the share's structs, and of it in the tile.
  __device__ __forceinline__ int place(int i) const {
    int const s = int(std::uint32_t(i) / words);
    return first + s * pitch + (i - s * int(words.divisor()));
  }
  __device__ __forceinline__ Word<Bytes>& operator()(int i) const { return tile.element(place(i)); }
};

/// What a warp moves of a member in a share of structs, a part of its packets. A member of large structs would not keep
/// a whole block busy.
struct ArrayPart {
  static constexpr int lanes = 32, rounds = 4, packets = lanes * rounds;

  int number, lane;

  static int parts_of(StructPiece const& piece, int structs) {
    int const words = structs * int(piece.words.divisor()), per = piece.packed ? 4 / piece.word : 1;
    return std::max(1, (words / per + packets - 1) / packets);
  }

  __device__ __forceinline__ int packet(int round) const { return number * packets + round * lanes + lane; }
};

template <int Bytes, int Packet>
__device__ __forceinline__ void write_array(PieceWords<Bytes> const& in_tile, Word<Bytes>* to, ArrayPart const& part) {
  constexpr int per = Packet / Bytes;
  int const packets = in_tile.count / per;
#pragma unroll
  for (int round = 0; round < ArrayPart::rounds; ++round) {
    int const p = part.packet(round);
    if (p >= packets) break;
    struct alignas(Packet) {
      Word<Bytes> word[per];
    } packet;
#pragma unroll
    for (int w = 0; w < per; ++w) packet.word[w] = in_tile(p * per + w);
    Word<Packet> bits;
    memcpy(&bits, &packet, Packet);
    reinterpret_cast<Word<Packet>*>(to)[p] = bits;
  }
  int const rest = packets * per + part.lane;
  if (part.number == 0 && rest < in_tile.count) to[rest] = in_tile(rest);
}

template <int Bytes, int Packet>
__device__ __forceinline__ void read_array(PieceWords<Bytes> const& in_tile, Word<Bytes> const* from,
                                           ArrayPart const& part) {
  constexpr int per = Packet / Bytes;
  int const packets = in_tile.count / per;
#pragma unroll
  for (int round = 0; round < ArrayPart::rounds; ++round) {
    int const p = part.packet(round);
    if (p >= packets) break;
    if constexpr (is_async_size(Bytes)) {
      async_copy<Bytes>(&in_tile(p), from + p);
    } else {
      auto const bits = load_once<Word<Packet>>(from + p * per);
      Word<Bytes> word[per];
      memcpy(word, &bits, Packet);
#pragma unroll
      for (int w = 0; w < per; ++w) in_tile(p * per + w) = word[w];
    }
  }
  int const rest = packets * per + part.lane;
  if (part.number == 0 && rest < in_tile.count) in_tile(rest) = from[rest];
}

/// Calls body(member, word, part), where the word is a constant, for every part of every member, each in one warp.
template <int Threads, class Body>
__device__ __forceinline__ void for_each_part(StructLines const& work, Body const& body) {
  constexpr int warps = Threads / ArrayPart::lanes;
  int const thread = int(threadIdx.x), lane = thread % ArrayPart::lanes;
  for (int k = 0, part = thread / ArrayPart::lanes;; part += warps) {
    for (; part >= work.parts; part -= work.parts) ++k;
    if (k >= work.members) break;
    with_word(work.member[k].word, [&](auto word) { body(work.member[k], word, ArrayPart{part, lane}); });
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

  for_each_part<Threads>(work, [&](StructPiece const& piece, auto word, ArrayPart const& part) {
    constexpr int size = decltype(word)::value, packet = size < 4 ? 4 : size;
    PieceWords<size> const in_tile(koalesce_packed_lines, piece, work.struct_bytes, share.lines);
    auto* const to = reinterpret_cast<Word<size>*>(piece.array) + share.first * piece.words.divisor();
    if (piece.packed) write_array<size, packet>(in_tile, to, part);
    else write_array<size, size>(in_tile, to, part);
  });
}

/// Writes the listed words of structs. A warp's words begin at a multiple of a sector, so that each sector is written
/// at once: memory reads a sector before it writes a part of it, which takes as long for each part.
template <int Threads>
__device__ __forceinline__ void write_listed(ListedWords const& listed, void* shared, unsigned char* structs,
                                             int words) {
  using Listed = Word<ListedWords::bytes>;
  PackedTile<ListedWords::bytes> const tile(shared);
  auto* const to   = reinterpret_cast<Listed*>(structs);
  int const before = int(reinterpret_cast<std::uintptr_t>(structs) / sizeof(Listed) % ListedWords::sector_word);
  for (int place = int(threadIdx.x); place < listed.period; place += Threads) {
    int const first = place < before ? place - before + listed.period : place - before;
    if (!listed.has(first % listed.words)) continue;
#pragma unroll 4
    for (int i = first; i < words; i += listed.period) to[i] = tile.element(i);
  }
}

/// What arrays_to_structs_kernel writes: whole structs, or listed words or runs of listed members.
enum class StructPart { whole, words, runs };

/// \tparam Vector  bytes of the vectors in which whole structs are written, 4 to 16.
template <StructPart Part, int Vector, int Threads>
__global__ __launch_bounds__(Threads, StructTuning::blocks) void arrays_to_structs_kernel(StructLines const work,
                                                                                          PackedGrid const grid) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  auto const share = grid.share(blockIdx.x, work.size);
  int const thread = int(threadIdx.x);

  if (Part == StructPart::whole && work.padding) {
    PackedTile<packed_vector> const tile(koalesce_packed_lines);
    int const vectors = (share.lines * work.struct_bytes + packed_vector - 1) / packed_vector;
    for (int v = thread; v < vectors; v += Threads) tile.vector(v) = {};
    __syncthreads();
  }
  for_each_part<Threads>(work, [&](StructPiece const& piece, auto word, ArrayPart const& part) {
    constexpr int size = decltype(word)::value, packet = size < 4 ? 4 : size;
    PieceWords<size> const in_tile(koalesce_packed_lines, piece, work.struct_bytes, share.lines);
    auto const* const from = reinterpret_cast<Word<size> const*>(piece.array) + share.first * piece.words.divisor();
    if (piece.packed) read_array<size, packet>(in_tile, from, part);
    else read_array<size, size>(in_tile, from, part);
  });
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();

  unsigned char* const to = work.structs + share.first * work.struct_bytes;
  if constexpr (Part == StructPart::whole) {
    int const bytes = share.lines * work.struct_bytes, vectors = bytes / Vector;
    PackedTile<Vector> const tile(koalesce_packed_lines);
    PackedTile<1> const single(koalesce_packed_lines);
#pragma unroll 4
    for (int v = thread; v < vectors; v += Threads) store_once(to + v * Vector, tile.element(v));
    for (int b = vectors * Vector + thread; b < bytes; b += Threads) to[b] = single.element(b).bits;
  } else if constexpr (Part == StructPart::words) {
    write_listed<Threads>(work.listed, koalesce_packed_lines, to, share.lines * work.listed.words);
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

template <class Exec>
void launch_struct_kernel(Exec const& exec, std::string const& label, StructLines lines,
                          void (*kernel)(StructLines const, PackedGrid const), PackedNumbers const& numbers) {
  PackedGrid const grid(1, lines.size, lines.struct_bytes, 1, numbers.bytes);
  for (int k = 0; k < lines.members; ++k)
    lines.parts = std::max(lines.parts, ArrayPart::parts_of(lines.member[k], 1 << grid.log));
  CudaKernel<StructLines const, PackedGrid const>(exec, kernel_label(Tag{}, label), kernel, numbers.threads,
                                                  PackedTile<1>::shared_bytes(lines.struct_bytes, grid.log))
      .launch(exec, unsigned(grid.blocks), lines, grid);
}

template <class Exec>
void launch_structs_to_arrays(Exec const& exec, std::string const& label, StructLines const& lines) {
  constexpr auto numbers = StructTuning::to_arrays;
  auto const launch      = [&](auto vector) {
    launch_struct_kernel(exec, label, lines, structs_to_arrays_kernel<decltype(vector)::value, numbers.threads>,
                              numbers);
  };
  switch (word_dividing(address_of(lines.structs))) {
    case 16: return launch(std::integral_constant<int, 16>());
    case 8: return launch(std::integral_constant<int, 8>());
    case 4: return launch(std::integral_constant<int, 4>());
    default: return launch(std::integral_constant<int, 1>());
  }
}

template <class Exec>
void launch_arrays_to_structs(Exec const& exec, std::string const& label, StructLines const& lines) {
  constexpr auto numbers = StructTuning::to_structs;
  auto const launch      = [&](auto kernel) { launch_struct_kernel(exec, label, lines, kernel, numbers); };
  if (lines.runs > 0) return launch(arrays_to_structs_kernel<StructPart::runs, 0, numbers.threads>);
  if (lines.listed.words > 0) return launch(arrays_to_structs_kernel<StructPart::words, 0, numbers.threads>);
  switch (word_dividing(address_of(lines.structs))) {
    case 16: return launch(arrays_to_structs_kernel<StructPart::whole, 16, numbers.threads>);
    case 8: return launch(arrays_to_structs_kernel<StructPart::whole, 8, numbers.threads>);
    default: return launch(arrays_to_structs_kernel<StructPart::whole, 4, numbers.threads>);
  }
}

/// Runs the copy by lines of structs if one side has structs and their size allows it.
/// \return whether they did.
template <class Exec>
bool launch_struct_lines(Exec const& exec, std::string const& label, StructWork const& work) {
  if (work.from_structs == work.to_structs || work.struct_bytes > StructTuning::max_struct ||
      work.member_bytes() * StructTuning::max_unlisted < work.struct_bytes ||
      work.size >> 5 >= (std::int64_t(1) << 31) - 1)
    return false;
  if (work.to_structs) launch_arrays_to_structs(exec, label, struct_lines(work));
  else launch_structs_to_arrays(exec, label, struct_lines(work));
  return true;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
