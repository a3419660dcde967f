// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// The numbers that decide how fast the CUDA stencils are, apart from the algorithm. All were measured on an H200 by
/// `koalesce_perf_stencil --benchmark_filter='^stencil/'`; docs/performance/stencil.md has the measurements.
namespace Koalesce::Impl::CudaBackend {

/// Numbers of a kernel that marches through planes.
struct StencilNumbers {
  int threads;         ///< of a block, at most
  int points;          ///< neighboring points in y that a thread computes, so that it reads their common taps once
  int ahead;           ///< planes that are being read while one is computed
  int min_blocks = 1;  ///< that must fit on an SM: bounds the registers of a thread
  int interval   = 0;  ///< steps between two looks at the pace; 0: none
};

/// Stencils with more points are limited by arithmetic or shared memory; pacing would only cost time.
inline constexpr int max_paced_points = 32;

/// Known weights: a thread's partial sums decide how many threads and points have room in registers. Copies of one
/// element have a longer latency than wide ones and load memory less, so more planes are read ahead, without pacing.
/// \param[in] sums    registers of a thread's partial sums of one point, and of what is read at the point alone.
/// \param[in] points  of the shape.
constexpr StencilNumbers linear_numbers(int sums, int points, bool wide) {
  int const interval = wide && points <= max_paced_points ? (sums <= 6 ? 1 : 2) : 0;
  if (sums <= 4) return {.threads = 1024, .points = 4, .ahead = wide ? 2 : 3, .interval = interval};
  if (sums <= 6 && wide) return {.threads = 1024, .points = 3, .ahead = 2, .interval = interval};
  if (sums <= 6) return {.threads = 512, .points = 5, .ahead = 2};
  if (sums <= 16 && points > max_paced_points) return {.threads = 256, .points = 4, .ahead = 2, .min_blocks = 2};
  if (sums <= 12) return {.threads = 512, .points = 4, .ahead = wide ? 3 : 4, .interval = interval};
  if (sums <= (wide ? 20 : 16)) return {.threads = 512, .points = 3, .ahead = 2, .interval = interval};
  return {.threads = 256, .points = 2, .ahead = 2, .interval = interval};
}

/// Known weights that are the same on both sides. Neighboring points share sums: with many weights a thread should have
/// as many points as its registers hold.
constexpr StencilNumbers pair_numbers(int sums, int points, bool wide) {
  if (points <= max_paced_points || sums > 12) return linear_numbers(sums, points, wide);
  if (sums <= 6) return {.threads = 256, .points = 8, .ahead = 3, .min_blocks = 2};
  return {.threads = 256, .points = 5, .ahead = 2, .min_blocks = 2};
}

/// Any functor. Its cost is unknown: even few points may need many registers (an exponential function in fp64 takes
/// 128), so an SM gets at most 512 threads. With few points memory is the limit, and wide tiles save traffic; with many
/// points arithmetic is, and more warps hide its latencies.
/// \param[in] taps  points of the shape times fields.
constexpr StencilNumbers queue_numbers(int taps, bool wide) {
  if (taps <= 8 && wide) return {.threads = 512, .points = 4, .ahead = 2, .interval = 1};
  if (taps <= 8) return {.threads = 512, .points = 5, .ahead = 3};
  if (taps <= 16) return {.threads = 512, .points = 4, .ahead = 2};
  return {.threads = 256, .points = 4, .ahead = 2};
}

/// Smallest radius in z for which the columns of a star stay in registers.
inline constexpr int min_column_radius = 3;

/// Columns in registers: the L2 cache is the limit, so that tiles should be large, as far as registers allow.
/// \param[in] held  registers of one point's column before it, of all inputs, and of what is read at the point alone.
constexpr StencilNumbers column_numbers(int held) {
  if (held <= 8) return {.threads = 256, .points = 4, .ahead = 2, .min_blocks = 2};
  if (held <= 12) return {.threads = 256, .points = 4, .ahead = 1, .min_blocks = 2};
  return {.threads = 256, .points = 2, .ahead = 2};
}

/// Stages: many points per thread, because each stage shares taps; registers are not limited. Measured with two.
constexpr StencilNumbers staged_numbers() { return {.threads = 256, .points = 6, .ahead = 2}; }

/// Cost of each row of a tile with its halo, in points: short rows are slow.
inline constexpr double stencil_row_cost = 24;

/// Maximum number of chunks that the planes are cut into.
inline constexpr std::int64_t max_stencil_chunks = 512;

/// What starting a block costs, in planes, beside those that it reads before its first result.
inline constexpr std::int64_t stencil_start_cost = 3;

/// Shorter marches are not paced: they end before their blocks drift apart.
inline constexpr int min_paced_planes = 32;

/// Number of looks at the counter, about 50 microseconds, after which a block stops waiting.
inline constexpr int pace_patience = 100;

/// Threads per block of the kernel that reads its taps through the caches, and of its rows.
inline constexpr int cached_stencil_threads = 256, cached_stencil_row = 64;

/// Points in x of a tile in registers, at most. A line has no planes: all that a thread has on its way comes from its
/// width.
/// \param[in] rank   dimensions of the stencil.
/// \param[in] bytes  of the largest input's element.
constexpr int max_tile_width(int rank, int bytes) {
  if (rank == 1 && bytes < 16) return bytes < 4 ? 4 : 16 / bytes;
  return bytes < 16 ? 2 : 1;
}

/// Of a kernel whose threads hold a tile of points in registers.
struct RegisterTile {
  int rows;  ///< points in y
  int planes;
  int min_blocks = 0;  ///< that must fit on an SM; 0: as many as the compiler finds right. Where it is told, it also
                       ///< takes all registers that they leave, and sends off more reads at a time
};

/// Bytes of a sweep's sums that take few registers.
inline constexpr std::size_t max_light_sums = 16;

/// What decides a tile, beside its width.
struct TileTraits {
  int rank;   ///< dimensions of the stencil
  int bytes;  ///< of the largest input's element, or of a partial sum
  int rz;
  bool box;
  bool linear;
  bool pairs;  ///< values with one weight are added first
  int inputs;
  bool light;  ///< little else takes registers: values at its points, active points, large sums in the sweep
  int held;    ///< registers of the inputs, or of the partial sums, that a thread of a tile of this width holds, and of
               ///< what is read at its points alone
};

/// Partial sums of 8 bytes march in a loop: their weights fill the registers that straight code would need. Narrow
/// tiles are bounded, too: the compiler would give them so few registers that few reads are on their way.
constexpr RegisterTile sums_tile(TileTraits const& t, int width) {
  bool const bounded = width > 1;
  if (t.bytes >= 8 && t.pairs) return {.rows = 2, .planes = 16, .min_blocks = (t.rz > 1 ? 3 : 5) - bounded};
  if (t.bytes >= 8 && t.rank == 3) return {.rows = 2, .planes = 16, .min_blocks = !bounded ? 4 : t.held <= 40 ? 3 : 2};
  if (t.bytes >= 8) return {.rows = 1, .planes = 8, .min_blocks = bounded ? 4 : 0};
  return {.rows = t.rank == 3 ? 2 : 1, .planes = 4, .min_blocks = bounded && !t.box && t.held <= 28 ? 5 : 0};
}

/// Blocks of tiles of one point in x, in two dimensions, that read one input and do little else. Left alone, the
/// compiler gives them so few registers that few reads are on their way.
constexpr int narrow_plane_blocks(TileTraits const& t) {
  if (t.held <= (t.box ? 18 : 34)) return 6;
  return t.box && t.bytes <= 4 && t.held <= 34 ? 4 : 0;
}

/// Four planes of straight code keep enough reads on their way in three dimensions; in two, where the planes are single
/// rows, it takes eight. Where much is held, or by several inputs, the functor itself may need many registers.
constexpr RegisterTile window_tile(TileTraits const& t, int width) {
  if (t.rank == 1) return {.rows = 1, .planes = 1};
  bool const narrow = width == 1, small = t.bytes <= 4, far = t.rz > 1;
  int const many   = t.held <= 104 ? 2 : 0;
  int const blocks = t.inputs > 1 ? (t.held > 72 ? many : 0) : t.held > (small ? 56 : 72) ? many : small ? 4 : 3;
  bool const alone = t.inputs == 1 && t.light;
  if (t.rank == 2) {
    if (narrow)
      return {.rows       = 1,
              .planes     = far || small ? 8 : 4,
              .min_blocks = alone           ? narrow_plane_blocks(t)
                            : small && !far ? blocks
                                            : 0};
    if (t.linear && !t.pairs && !small && far) return {.rows = 1, .planes = 4, .min_blocks = 4};
    return {.rows = 1, .planes = 8, .min_blocks = blocks};
  }
  if (!far && !t.box && t.inputs == 1 && t.held <= 40) {
    int const near_blocks = narrow && small && alone ? 6 : narrow || small || t.linear ? 4 : 0;
    return {.rows = 2, .planes = 4, .min_blocks = near_blocks};
  }
  if (!far) return {.rows = 2, .planes = 4, .min_blocks = t.inputs > 1 ? blocks : 0};
  if (narrow && !small && t.rz > 2) return {.rows = 2, .planes = 8, .min_blocks = blocks};
  if (narrow) return {.rows = 2, .planes = 4, .min_blocks = alone && small && t.rz > 2 ? 4 : 0};
  return {.rows = 2, .planes = 4, .min_blocks = blocks};
}

/// Threads of a block of tiles, and of its rows.
inline constexpr int tile_threads = 256, tile_row_threads = 64;

/// Points of a row from which on tiles of several points in x may be cut at its ends. (7 points, cubes of 32 to 512,
/// fp64 and fp32: tiles of one point are 1.1 to 1.3 times as fast up to 128, 1.03 times at 192, and slower from 256
/// on.)
inline constexpr std::int64_t min_cut_row = 256;

/// Registers of inputs beyond which a functor would spill, so that no tiles of it are compiled; and beyond which tiles
/// of fewer points in x are faster, because more threads have room.
inline constexpr int max_tile_registers = 128, max_wide_tile_registers = 96;

/// Registers of inputs beyond which partial sums of a box take fewer, where it has less than three dimensions.
inline constexpr int max_box_registers = 48;

/// The numbers as a type, for which kernels are compiled.
template <int Threads, int Points, int Ahead, int MinBlocks, int Interval>
struct StencilTuning {
  static constexpr int threads    = Threads;
  static constexpr int points     = Points;
  static constexpr int ahead      = Ahead;
  static constexpr int min_blocks = MinBlocks;
  static constexpr int interval   = Interval;
};

/// Registers of one point's values in fields.
template <class Fields>
inline constexpr int registers_per_point = 0;
template <class... Fields>
inline constexpr int registers_per_point<Pack<Fields...>> =
    (((int(sizeof(typename Fields::value_type)) + 3) / 4) + ... + 0);

template <class Work, bool Wide>
struct LinearTuning {
  using Value  = std::remove_const_t<std::remove_pointer_t<decltype(get<0>(std::declval<Work const&>().in).origin)>>;
  using Weight = typename Work::Functor::weight_type;

  static constexpr int sums         = (2 * Work::rz + 1) * ((int(sizeof(Weight() * Value())) + 3) / 4);
  static constexpr int held         = sums + registers_per_point<typename Work::Points>;
  static constexpr StencilNumbers n = adds_pairs<typename Work::Functor>
                                          ? pair_numbers(held, taps_of_inputs<typename Work::Ins>, Wide)
                                          : linear_numbers(held, taps_of_inputs<typename Work::Ins>, Wide);
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

template <class Work, bool Wide>
struct QueueTuning {
  static constexpr StencilNumbers n = queue_numbers(taps_of_inputs<typename Work::Ins>, Wide);
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

/// Registers of the columns before a point.
template <class Order, class Ins>
inline constexpr int column_registers = 0;
template <class Order, class... Ts, class... Shapes>
inline constexpr int column_registers<Order, Pack<Field<Ts, Shapes>...>> =
    ((Order::template radius<Shapes>(0) * ((int(sizeof(Ts)) + 3) / 4)) + ...);

template <class Work, bool Wide>
struct ColumnTuning {
  static constexpr StencilNumbers n = column_numbers(column_registers<typename Work::Order, typename Work::Ins> +
                                                     registers_per_point<typename Work::Points>);
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

template <class Work, bool Wide>
struct StagedTuning {
  static constexpr StencilNumbers n = staged_numbers();
  using type                        = StencilTuning<n.threads, n.points, n.ahead, n.min_blocks, n.interval>;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
