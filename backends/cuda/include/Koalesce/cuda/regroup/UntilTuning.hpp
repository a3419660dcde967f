// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP
#define KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP

/// Warps whose lanes take further items.
///
/// H200, `KOALESCE_PERF_DECISIONS=1 koalesce_perf_regroup --benchmark_filter=until/.*/koalesce/`, 2^26 items, numbers
/// of steps distributed geometrically or by a power law, mean of them / flops of a step, ms:
///   looks every         2      4      8     16     32     64   steps    plain
///   geometric 32/20   3.88   3.07   2.80   2.80   3.17   4.33           5.56
///   geometric 32/200  15.9   15.6   16.1   17.7   21.7   31.4           52.8
///   geometric 256/20  26.1   20.5   17.9   16.7   16.3   16.8           43.7
///   geometric 256/200  122    118    116    116    118    125            426
///   power law 32/20   4.66   3.67   3.28   3.27   3.71   5.12           19.3
///   power law 32/200  19.6   19.4   19.4   21.3   26.1   37.6            187
/// Items in reserve for 1 / 8 / 16 lanes at a time: geometric 32/20 3.14 / 2.98 / 2.92 (looks every 8 steps), power law
/// 256/200 146 / 144 / 161. Without a reserve, lanes wait for what init() reads: geometric 32/20 was 10 % slower. Steps
/// in a loop that asks each lane at every step, instead of lanes that leave the loop: geometric 256/20 18.2 instead
/// of 16.3.
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
