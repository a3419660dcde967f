// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP
#define KOALESCE_CUDA_REGROUP_UNTIL_TUNING_HPP

/// Warps that stay full.
///
/// H200, `KOALESCE_PERF_DECISIONS=1 koalesce_perf_regroup --benchmark_filter=until/.*/koalesce/`, 2^26 items, numbers
/// of steps distributed geometrically or by a power law, mean of them / flops of a step, ms; items wait in queues:
///   looks every         4      8     16     32    plain
///   geometric 32/20   2.76   2.39   2.38   2.76   5.58
///   geometric 32/200  15.3   15.7   17.5   21.7   52.8
///   geometric 256/20  20.0   16.6   15.0   14.5   43.7
///   geometric 256/200  116    113    113    116    426
///   power law 32/20   3.40   2.86   2.80   3.28   19.3
///   power law 32/200  19.1   19.0   20.8   26.2    187
///   power law 256/20  25.2   20.7   18.6   17.8    153
///   power law 256/200  146    142    142    143   1500
/// With one step in the code instead of 4 copies: geometric 32/20 2.6, power law 256/20 19; with 8 copies the same.
/// Lanes that go on with an item which they have in reserve, instead of queues: 4 copies take as long (2.40, 17.3), but
/// the Mandelbrot set 4.7 instead of 4.4 and rays of a camera 4.8 instead of 4.3, because init() runs for some lanes at
/// a time. Lanes without a reserve: 2.81, 21.5.
///
/// A large state does not fit: with one in reserve the loop of the example `transport` (960 bytes) took 25.5 ms instead
/// of 23.4, that of `minor_planets` (120 bytes; 187 registers a thread instead of 153) 236 instead of 206. Lanes that
/// get items 1 / 4 / 8 at a time made no difference.
namespace Koalesce::Impl::CudaBackend {

struct UntilTuning {
  /// Steps from one look for lanes that are done to the next. Each is a candidate.
  static constexpr int steps[] = {4, 8, 16, 32};

  /// Copies of a step in the code, of items that are queued. A divisor of all of the above.
  static constexpr int copies = 4;

  /// Bytes of an item's state, up to which items are queued: 64 times as many, and 8 more each, for a warp.
  static constexpr int max_queued = 64;

  /// Lanes that get an item at a time, at least, where items are not queued.
  static constexpr int together = 8;

  static constexpr int threads = 128;  // of a block

  /// Items that a warp takes at a time: a part of what each has to run, because the last ones should be few.
  static constexpr int parts = 16, fewest = 32, most = 1024;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
