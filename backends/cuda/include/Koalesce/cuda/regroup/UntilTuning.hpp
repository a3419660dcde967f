// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP
#define KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP

/// Warps whose lanes take further items.
///
/// H200, `KOALESCE_PERF_DECISIONS=1 koalesce_perf_regroup --benchmark_filter=until/.*/koalesce/`, 2^26 items, numbers
/// of steps distributed geometrically or by a power law, mean of them / flops of a step, ms:
///   looks every         4      8     16     32    plain
///   geometric 32/20   2.83   2.59   2.61   2.94   5.56
///   geometric 32/200  15.3   15.8   17.4   21.4   52.8
///   geometric 256/20  18.6   16.5   15.5   15.2   43.7
///   geometric 256/200  115    114    114    117    426
///   power law 32/20   3.41   3.05   3.01   3.48   19.3
///   power law 32/200  18.9   19.1   20.8   25.7    187
///   power law 256/20  23.0   20.5   18.9   18.7    154
/// Which lanes have an item is kept in masks: with a bool in each lane, a look took twice the instructions (geometric
/// 32/20 2.80, 256/20 16.3). Items in reserve for 16 lanes at a time, or as soon as 2 lanes are idle: geometric 32/20
/// 2.56, others the same; for 24, or 8 idle: 2.66, power law 256/20 19.7. Measured before masks: items in reserve for
/// one lane at a time, geometric 32/20 3.14 instead of 2.98; without a reserve, where lanes wait for what init() reads,
/// 10 % slower; steps in a loop that asks each lane at every step, instead of lanes that leave the loop, geometric
/// 256/20 18.2 instead of 16.3.
///
/// A large state is another matter: with one in reserve the loop of the example `transport` (960 bytes) took 25.5 ms
/// instead of 23.4, that of `minor_planets` (120 bytes; 187 registers a thread instead of 153) 236 instead of 206.
/// Lanes that get items 1 / 4 / 8 at a time made no difference.
namespace Koalesce::Impl::CudaBackend {

struct UntilTuning {
  /// Steps from one look for lanes that are done to the next. Each is a candidate.
  static constexpr int steps[] = {4, 8, 16, 32};

  /// Lanes that get an item, in reserve or to go on with, at a time, at least.
  static constexpr int together = 8;

  /// Bytes of an item's state, up to which lanes have one in reserve.
  static constexpr int max_bytes_in_reserve = 64;

  static constexpr int threads = 128;  // of a block

  /// Items that a warp takes at a time: a part of what each has to run, because the last ones should be few.
  static constexpr int parts = 16, fewest = 32, most = 1024;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
