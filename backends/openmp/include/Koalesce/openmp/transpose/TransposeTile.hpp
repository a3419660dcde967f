// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_TRANSPOSE_TRANSPOSE_TILE_HPP
#define KOALESCE_OPENMP_TRANSPOSE_TRANSPOSE_TILE_HPP

#include <Koalesce/openmp/runtime/Tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// The two steps of a tile: it is transposed while it is read into a thread's buffer, then written line by line. If the
/// matrix has rows of a large power of two, they share a few sets of every cache; the buffer's rows do not.
namespace Koalesce::Impl::OpenMPBackend {

inline constexpr std::int64_t cache_line = 64;

/// Elements of a cache line.
template <class T>
inline constexpr std::int64_t per_line = cache_line / std::int64_t(sizeof(T));

/// Number of elements before the first one that begins a cache line.
template <class T>
std::int64_t before_line(T const* p) {
  auto const behind = std::int64_t(reinterpret_cast<std::uintptr_t>(p) % cache_line);
  return (cache_line - behind) % cache_line / std::int64_t(sizeof(T));
}

/// Where the elements of a matrix lie: `base[r * row + c * column]`.
template <class T>
struct Matrix {
  T* base;
  std::int64_t row, column;
};

#ifdef __SSE2__
/// Side of a square whose rows fit into one 16-byte register each.
template <class T>
inline constexpr int register_side = 16 / int(sizeof(T));

/// Interleaves the elements, of Bytes bytes, of two registers' lower or upper halves.
template <int Bytes, bool Upper>
__m128i interleave(__m128i a, __m128i b) {
  if constexpr (Bytes == 1) return Upper ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
  else if constexpr (Bytes == 2) return Upper ? _mm_unpackhi_epi16(a, b) : _mm_unpacklo_epi16(a, b);
  else if constexpr (Bytes == 4) return Upper ? _mm_unpackhi_epi32(a, b) : _mm_unpacklo_epi32(a, b);
  else return Upper ? _mm_unpackhi_epi64(a, b) : _mm_unpacklo_epi64(a, b);
}

/// to[I * to_step + r] = from[r * from_step + I] for every I and r. Each round of interleaving rotates the bits of an
/// element's number (bits of r, then of I) by one.
template <class T, int... I>
void turn_in_registers(T const* from, std::int64_t from_step, T* to, std::int64_t to_step,
                       std::integer_sequence<int, I...>) {
  constexpr int side = sizeof...(I);
  __m128i row[]      = {_mm_loadu_si128(reinterpret_cast<__m128i const*>(from + I * from_step))...};
  for (int round = 1; round < side; round *= 2) {
    __m128i const next[] = {interleave<int(sizeof(T)), I % 2 == 1>(row[I / 2], row[(I + side) / 2])...};
    ((row[I] = next[I]), ...);
  }
  (_mm_storeu_si128(reinterpret_cast<__m128i*>(to + I * to_step), row[I]), ...);
}
#else
template <class T>
inline constexpr int register_side = 1;

template <class T>
void turn_in_registers(T const* from, std::int64_t, T* to, std::int64_t, std::integer_sequence<int, 0>) {
  *to = *from;
}
#endif

inline void prefetch([[maybe_unused]] void const* p) {
#ifdef __GNUC__
  __builtin_prefetch(p);
#endif
}

/// buffer[c * pitch + r] = from(r, c) for 0 <= r < m, 0 <= c < n; the matrix has `ahead` rows more.
template <class T>
void turn(Matrix<T const> const& from, std::int64_t m, std::int64_t n, std::int64_t ahead, T* buffer,
          std::int64_t pitch) {
  constexpr int side = register_side<T>;
  bool const unit    = from.column == 1;
  auto const rows = unit ? m - m % side : 0, columns = unit ? n - n % side : 0;
  for (std::int64_t r = 0; r < rows; r += side) {
    for (auto p = r + HostTuning::rows_ahead; p < std::min(r + HostTuning::rows_ahead + side, m + ahead); ++p)
      for (std::int64_t c = 0; c < columns; c += per_line<T>) prefetch(from.base + p * from.row + c);
    for (std::int64_t c = 0; c < columns; c += side)
      turn_in_registers(from.base + r * from.row + c, from.row, buffer + c * pitch + r, pitch,
                        std::make_integer_sequence<int, side>());
  }
  for (std::int64_t c = 0; c < n; ++c)
    for (auto r = c < columns ? rows : 0; r < m; ++r) buffer[c * pitch + r] = from.base[r * from.row + c * from.column];
}

template <class T>
void copy_line(T const* from, std::int64_t count, T* to, std::int64_t step) {
  if (step == 1) std::copy(from, from + count, to);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i * step] = from[i];
}

/// Writes whole cache lines past the caches, which avoids reading them first.
template <class T>
void stream_line(T const* from, std::int64_t count, T* to) {
#ifdef __SSE2__
  auto const first = std::min(before_line(to), count), last = count - (count - first) % per_line<T>;
  copy_line(from, first, to, 1);
  for (auto i = first; i < last; i += per_line<T>)
    for (auto j = i; j < i + per_line<T>; j += register_side<T>)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + j), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + j)));
  copy_line(from + last, count - last, to + last, 1);
#else
  copy_line(from, count, to, 1);
#endif
}

/// A store fence: streamed lines become visible before later writes of the thread.
inline void end_streams() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
