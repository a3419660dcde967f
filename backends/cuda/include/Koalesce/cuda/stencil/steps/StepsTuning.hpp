// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEPS_TUNING_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEPS_TUNING_HPP

#include <cstdint>

/// The numbers that decide how fast fused time steps are, apart from the algorithm. All were measured on an H200 by
/// `koalesce_perf_steps`; docs/performance/steps.md has the measurements.
namespace Koalesce::Impl::CudaBackend {

/// Of a kernel whose threads hold the newest planes, or sums, of all time levels.
struct StepsNumbers {
  int width;      ///< points in x of a thread
  int rows;       ///< its points in y
  int warps;      ///< of a block, one behind the other in y
  int held;       ///< registers of planes and sums that a thread may hold between two of its steps
  int max_depth;  ///< steps in one sweep
  bool apart;     ///< whether tiles at the edges have a copy of the code to themselves
};

/// In three dimensions the points of a thread share what they read of their neighbors; there are as many as 168
/// registers hold. In two nothing is exchanged between warps, and rows of four points per thread leave most of a
/// warp's row to results. A second copy of the code leaves inner tiles little to do, but tiles at the edges then spill
/// registers of 8 bytes, unless they hold sums. Of sums of boxes arithmetic takes most of the time, so that more than
/// two steps only compute more that is not kept; with weights that are the same on both sides there is half as much.
///
/// \param[in] bytes  of the largest element.
/// \param[in] adds   whether threads hold sums.
/// \param[in] pairs  whether values are added before they are multiplied.
constexpr StepsNumbers steps_numbers(int rank, int bytes, bool adds, bool pairs) {
  bool const apart = bytes <= 4 || adds;
  if (rank == 3 && adds && pairs)
    return {.width     = bytes > 8 ? 1 : 2,
            .rows      = bytes <= 4 ? 4 : 3,
            .warps     = 12,
            .held      = bytes <= 4 ? 96 : 108,
            .max_depth = bytes <= 4 ? 4 : 3,
            .apart     = apart};
  if (rank == 3 && adds)
    return {.width     = bytes > 8 ? 1 : 2,
            .rows      = bytes <= 4 ? 4 : 3,
            .warps     = 12,
            .held      = 96,
            .max_depth = 2,
            .apart     = apart};
  if (rank == 2) return {.width = bytes > 8 ? 2 : 4, .rows = 1, .warps = 4, .held = 96, .max_depth = 8, .apart = apart};
  if (bytes <= 4) return {.width = 2, .rows = 5, .warps = 12, .held = 80, .max_depth = 4, .apart = apart};
  return {.width = bytes > 8 ? 1 : 2, .rows = 3, .warps = 12, .held = 96, .max_depth = 4, .apart = apart};
}

/// Points of each field that a functor in three dimensions may read. With 27, two steps per sweep are slower than
/// single ones where the functor has much to do (perona_malik), and the compiler takes longer than half an hour for
/// that one.
inline constexpr int max_functor_points = 13;

/// Warps on a multiprocessor: as many as leave the registers that the planes take. With fewer, latencies show; with
/// more, registers are spilled.
inline constexpr int steps_warps = 12;

/// What starting a block costs, in planes, beside those that it computes before its first result.
inline constexpr std::int64_t steps_start_cost = 2;

/// What a tile at an edge costs, in hundredths of what another costs, where it has code of its own.
constexpr std::int64_t steps_edge_cost(int rank) { return rank == 2 ? 180 : 130; }

/// Maximum number of chunks that the planes are cut into.
inline constexpr std::int64_t max_steps_chunks = 512;

/// Of a kernel whose blocks keep tiles of the fields: threads of a block, and messages that each waits for at a time.
inline constexpr int persistent_threads = 640, persistent_polls = 2;

/// What a point in a message costs after each step, in points that are computed; and in x, where threads read columns.
inline constexpr std::int64_t persistent_slot_cost = 1, persistent_column_cost = 3;

/// The cost of a block's step from which on sweeps of fewer steps are faster.
inline constexpr std::int64_t max_persistent_cost = 16000;

}  // namespace Koalesce::Impl::CudaBackend

#endif
