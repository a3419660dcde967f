// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_RUNTIME_TUNING_HPP
#define KOALESCE_OPENMP_RUNTIME_TUNING_HPP

#include <cstddef>
#include <cstdint>

/// The numbers of the host backend, all in one place.
///
/// Tried and left out, 7pt 384^3 fp64, one core, GStencil/s: non-temporal stores of finished rows 0.61 (16 bytes) and
/// 0.77 (64 bytes) against 1.02 to 1.09 without; software prefetch of the next plane and row 1.02 to 1.06 against 1.04.
namespace Koalesce::Impl::OpenMPBackend::HostTuning {

/// Bytes of the planes around a tile, which should stay in a core's share of the last cache. Smaller tiles read more
/// rows around them anew. Two cores with 1 MiB of L2 each and 32 MiB of L3, GStencil/s, 384^3 7pt f32 / 7pt f64 / 25pt
/// f32 / 25pt f64; 64 x 1536 x 1536 25pt f32 / 25pt f64:
///     512 KiB  3.21 / 1.62 / 1.61 / 0.75;  1.56 / 0.78
///       2 MiB  3.33 / 1.77 / 1.68 / 0.76;  1.47 / 0.72
///       4 MiB  3.64 / 1.81 / 1.68 / 0.77;  1.43 / 0.71
///      16 MiB  3.57 / 1.80 / 1.68 / 0.74;  1.14 / 0.67
inline constexpr std::size_t tile_bytes = 4096 * 1024;
/// The same where the planes between stages, which are written and read again, should stay in a core's own cache.
inline constexpr std::size_t staged_tile_bytes = 512 * 1024;
/// Longer rows are divided, so that neighboring rows in y stay in L1.
inline constexpr std::int64_t longest_row = 4096;
/// Smaller tiles are not divided further to give every thread one, because starting a tile costs more.
inline constexpr std::int64_t min_points = 2048;
/// Tiles per thread, if there cannot be one chunk of planes per thread: several tiles balance the load better.
inline constexpr std::int64_t tiles_per_thread = 4;

/// Vector registers of the target processor: a box's weights are summed in groups that fit into them, if possible.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int vector_registers = 32;
#elif defined(__powerpc64__)
inline constexpr int vector_registers = 64;
#else
inline constexpr int vector_registers = 16;
#endif
/// Rows of a linear stencil computed at once, if that saves a third of the reads (see LinearPlan). One core, fp64, in
/// cache, GStencil/s of all taps at once with 1 / 4 rows, plane by plane with 1 / 4 rows:
///     AVX-512  27pt 0.75 / 0.93, 0.80 / 0.65      125pt 0.11 / 0.14, 0.16 / 0.22
///     SSE2     27pt 0.26 / 0.24, 0.37 / 0.42      125pt 0.05 / 0.06, 0.08 / 0.06
/// With AVX-512 stars get slower (1 / 4 rows: 7pt 2.8 / 2.1, 25pt 0.70 / 0.59); they save less than a third.
inline constexpr int linear_rows = 4;
/// Points of a row that are summed plane by plane, in L1.
inline constexpr std::int64_t partial_sums = 512;

/// Time steps that share a pass over memory; odd, and each a divisor of the last.
inline constexpr int steps_depths[] = {3, 9};
/// Bytes per thread of the planes between the first and the last of these steps.
inline constexpr std::size_t wave_bytes = 1024 * 1024;
/// Planes, at most, that each step computes before the threads wait for each other.
inline constexpr std::int64_t max_front = 16;

/// Transposition. Two cores with 48 KiB of L1, 8192^2 fp64, GB/s read and written; few runs on a machine that others
/// used too, so differences below 15 % say little.

/// A thread's buffer for a tile: within L1. 40 KiB 34 to 40, 48 KiB 33, 56 KiB 34, 80 KiB (rows of 1 KiB) 27 to 36. In
/// 40 KiB tiles of bytes are narrow: 16384^2 of them 13, in 48 KiB 23.
inline constexpr std::int64_t transpose_bytes = 48 * 1024;
/// A tile's rows are read in pieces of this many bytes, if the buffer then has room for two cache lines of each column.
/// In 40 KiB: 512 bytes 34 to 40, 1 KiB 33; 256 bytes in 20 KiB 30.
inline constexpr std::int64_t tile_row_bytes = 512;
/// A tile's rows are prefetched this many rows ahead, because the hardware does not predict where the next row lies. In
/// 80 KiB: not at all 24, 8 rows 30, 16 rows 27 to 36, 32 rows 34. In 40 KiB: 16 rows 34 to 40, 32 rows 27 to 32.
inline constexpr std::int64_t rows_ahead = 16;
/// Tiles below each other cover this many bytes of the destination's lines: a page. Without rows fetched ahead: 22 to
/// 25, whole columns of tiles 15 to 17.
inline constexpr std::int64_t band_bytes = 4096;
/// Results of at least this size are written past the caches. Square fp64 matrices, GB/s without / with: 1024 82 / 57,
/// 1448 53 / 51, 2048 45 / 52, 2896 37 / 47.
inline constexpr std::int64_t streamed_bytes = 16 * 1024 * 1024;

}  // namespace Koalesce::Impl::OpenMPBackend::HostTuning

#endif
