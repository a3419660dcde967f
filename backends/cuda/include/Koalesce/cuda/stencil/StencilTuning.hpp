// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP

#include <type_traits>
#include <utility>

/// The numbers that decide how fast the CUDA stencils are, apart from the algorithm. All were measured on an H200 by
/// `koalesce_perf_stencil --benchmark_filter='^stencil/'`; docs/performance/stencil.md has the measurements.
namespace Koalesce::Impl::CudaBackend {

/// Of a kernel that marches through planes.
struct StencilNumbers {
  int threads;         ///< of a block, at most
  int points;          ///< neighboring points in y that a thread computes, so that it reads their common taps once
  int ahead;           ///< planes that are being read while one is computed
  int min_blocks = 1;  ///< that must fit on an SM: bounds the registers of a thread
  int interval   = 0;  ///< steps between two looks at the pace; 0: none
};

/// Stencils of more points than these are bound by arithmetic or shared memory: pacing them costs and gains nothing.
inline constexpr int max_paced_points = 32;

/// Known weights: a thread's partial sums decide how many threads and points have room in registers. Reads of one
/// element per copy take longer to arrive than wide ones and oversubscribe memory less: more planes ahead, no pacing.
/// \param[in] sums    registers of a thread's partial sums of one point.
/// \param[in] points  of the shape.
constexpr StencilNumbers linear_numbers(int sums, int points, bool wide) {
  int const interval = wide && points <= max_paced_points ? (sums <= 6 ? 1 : 2) : 0;
  if (sums <= 4) return {.threads = 1024, .points = 4, .ahead = wide ? 2 : 3, .interval = interval};
  if (sums <= 6 && wide) return {.threads = 1024, .points = 3, .ahead = 2, .interval = interval};
  if (sums <= 6) return {.threads = 512, .points = 5, .ahead = 2};
  if (sums <= 16) return {.threads = 512, .points = 4, .ahead = wide ? 3 : 4, .interval = interval};
  return {.threads = 256, .points = 2, .ahead = 2, .interval = interval};
}

/// Any functor. What it computes does not show: few points may need many registers, too (an exponential function in
/// fp64 takes 128), so that an SM is not filled beyond 512 threads. Few points mean that memory is the
/// limit, which wide tiles spare; many points mean arithmetic, whose latencies more warps hide.
/// \param[in] taps  points of the shape times fields.
constexpr StencilNumbers queue_numbers(int taps, bool wide) {
  if (taps <= 8 && wide) return {.threads = 512, .points = 4, .ahead = 2, .interval = 1};
  if (taps <= 8) return {.threads = 512, .points = 5, .ahead = 3};
  if (taps <= 16) return {.threads = 512, .points = 4, .ahead = 2};
  return {.threads = 256, .points = 4, .ahead = 2};
}

/// Two stages: many points per thread, since both stages share taps, and registers as they come.
constexpr StencilNumbers staged_numbers() { return {.threads = 256, .points = 6, .ahead = 2}; }

/// Points more that a row of a tile with its halo costs: short rows are slow.
inline constexpr double stencil_row_cost = 24;

/// Marches of fewer planes end before their blocks can drift apart: no pacing.
inline constexpr int min_paced_planes = 32;

/// Looks at the pace in vain, some 50 microseconds, after which a block waits no more.
inline constexpr int pace_patience = 100;

/// Threads of a block that reads its taps through the caches.
inline constexpr int cached_stencil_threads = 256;

/// The numbers as a type, that kernels are compiled for.
template <int Threads, int Points, int Ahead, int MinBlocks, int Interval>
struct StencilTuning {
  static constexpr int threads    = Threads;
  static constexpr int points     = Points;
  static constexpr int ahead      = Ahead;
  static constexpr int min_blocks = MinBlocks;
  static constexpr int interval   = Interval;
};

template <class Work, bool Wide>
struct LinearTuning {
  using Value  = std::remove_const_t<std::remove_pointer_t<decltype(get<0>(std::declval<Work const&>().in).origin)>>;
  using Weight = typename Work::Functor::weight_type;

  static constexpr int registers    = (int(sizeof(Weight() * Value())) + 3) / 4;
  static constexpr StencilNumbers n = linear_numbers((2 * Work::rz + 1) * registers, Work::Shape::size, Wide);
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

template <class Work, bool Wide>
struct QueueTuning {
  static constexpr StencilNumbers n = queue_numbers(Work::Shape::size * int(Work::Ins::size), Wide);
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

template <class Work, bool Wide>
struct StagedTuning {
  static constexpr StencilNumbers n = staged_numbers();
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
