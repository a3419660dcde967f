// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_REGROUP_TUNING_HPP
#define KOALESCE_CUDA_REGROUP_REGROUP_TUNING_HPP

/// Blocks that regroup.
///
/// All warps of a block run the same path at a time, if a round has enough items of it. Blocks on one SM run different
/// paths, whose code together has to fit into the instruction caches. So many paths need large blocks and rounds; few
/// paths need more blocks, whose barriers cost less.
///
/// H200, `koalesce_perf_regroup --benchmark_filter=^regroup/`, 2^24 items of 8 bytes, random paths in equal shares,
/// time / time of items that lie in order of their paths:
///   threads x items per thread   256x4  256x8  128x8  512x8  1024x4  1024x8  512x16
///   4 paths, short work        1.21   1.21   1.23   1.19   1.22    1.33    1.56
///   8 paths, short work        1.43   1.40   1.51   1.32   1.38    1.38    1.63
///   8 paths, long work         1.11   1.08   1.25   1.04   1.04    1.03    1.08
///   32 paths, short work       7.2    5.8    7.6    3.29   2.96    1.73    2.35
///   32 paths, long work        2.93   2.48   2.90   1.08   1.10    1.08    1.06
/// With 512x8, and registers limited so that 1 / 2 / 3 blocks are resident: 8 paths, short 1.58 / 1.32 / 1.31, long
/// 1.11 / 1.04 / 1.04. Two leave 64 registers, for functors that need some. Stretches of at least 4096 items per path,
/// instead of 1024: 8 paths, long 1.07 instead of 1.04. Tiles of the grid of 4096 items instead of 2048: all its
/// kernels together 0.03 ms slower; a loop over the grid's slots in blocks of 2048: 3 % slower, the last ones run
/// alone.
namespace Koalesce::Impl::CudaBackend {

/// Threads of a block, and items per thread and round.
template <int Threads, int AtOnce>
struct BlockShape {
  static constexpr int threads = Threads;
  static constexpr int warps   = threads / 32;
  static constexpr int at_once = AtOnce;
  static constexpr int round   = threads * at_once;
};

struct RegroupTuning {
  using FewPaths  = BlockShape<512, 8>;
  using ManyPaths = BlockShape<1024, 8>;
  using Grid      = BlockShape<256, 8>;

  static constexpr int max_few_paths = 8;

  static constexpr int resident_threads = 1024;  // per SM, at least, which limits registers

  static constexpr int team_threads = 256;  // of a team whose warps regroup

  static constexpr int scan_threads = 1024;  // of the block that adds up a path's counts
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
