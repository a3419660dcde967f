// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_PATHS_HPP
#define KOALESCE_PERF_REGROUP_PATHS_HPP

#include <Kokkos_Core.hpp>

#include <Koalesce/common/impl/Pack.hpp>

#include "RegroupItems.hpp"

/// What the paths do: as much on each, and something else.
namespace perf::regroup {

/// How much an item's path does: one multiply-add, or chains of them.
enum class Work { none, brief, lengthy };

/// Multiply-adds a turn of the loop, and turns. On an H200, 2^24 brief items in order of paths take 0.4 ms, lengthy
/// ones 5 ms.
inline constexpr int steps = on_host ? 8 : 16;
KOKKOS_INLINE_FUNCTION constexpr int turns(Work work) {
  if (work == Work::none) return 0;
  if (work == Work::brief) return on_host ? 3 : 20;
  return on_host ? 25 : 270;
}

/// Of an item's path.
constexpr int flops(Work work) { return 2 * (work == Work::none ? 1 : steps * turns(work)); }

/// Smaller than 3/4, so that the chain v = x +- factor * v stays near x. A short literal to the GPU's instructions.
KOKKOS_INLINE_FUNCTION constexpr double factor(int path, int step) {
  return (256 + (path * 37 + step * 61) % 512) / 1024.;
}

/// Of 32 paths, no two add and subtract at the same steps.
KOKKOS_INLINE_FUNCTION constexpr bool adds(int path, int step) { return (path >> step % 5 & 1) != step / 5 % 2; }

KOKKOS_FORCEINLINE_FUNCTION double number_of(double item) { return item; }
KOKKOS_FORCEINLINE_FUNCTION double number_of(Block const& item) {
  double sum = 0;
  Koalesce::Impl::static_for<Block::size>([&](auto i) KOALESCE_INLINE_LAMBDA { sum += item.values[i.value]; });
  return sum / Block::size;
}

/// The functor of a path, as users write it: item and result are the payload.
template <int P, Work W>
struct Path {
  template <class Item>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index, Item const& item, double& result) const {
    double const x = number_of(item);
    double v       = x;
    if constexpr (W == Work::none) {
      v = factor(P, 0) + factor(P, 1) * x;
    } else {
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
      for (int turn = 0; turn < turns(W); ++turn)
        Koalesce::Impl::static_for<steps>([&](auto step) KOALESCE_INLINE_LAMBDA {
          constexpr double c = factor(P, step.value);
          constexpr bool add = adds(P, step.value);
          v                  = add ? x + c * v : x - c * v;
        });
    }
    result = v;
  }
};

template <int P, int Paths, Work W, class Item>
KOKKOS_FORCEINLINE_FUNCTION void run_path(Index i, Item const& item, double& result) {
  if constexpr (P < Paths) Path<P, W>()(i, item, result);
}

/// The switch that a user without the library writes.
template <int Paths, Work W, class Item>
KOKKOS_FORCEINLINE_FUNCTION void switch_path(int path, Index i, Item const& item, double& result) {
  static_assert(Paths <= 32);
  switch (path) {
    case 0: return run_path<0, Paths, W>(i, item, result);
    case 1: return run_path<1, Paths, W>(i, item, result);
    case 2: return run_path<2, Paths, W>(i, item, result);
    case 3: return run_path<3, Paths, W>(i, item, result);
    case 4: return run_path<4, Paths, W>(i, item, result);
    case 5: return run_path<5, Paths, W>(i, item, result);
    case 6: return run_path<6, Paths, W>(i, item, result);
    case 7: return run_path<7, Paths, W>(i, item, result);
    case 8: return run_path<8, Paths, W>(i, item, result);
    case 9: return run_path<9, Paths, W>(i, item, result);
    case 10: return run_path<10, Paths, W>(i, item, result);
    case 11: return run_path<11, Paths, W>(i, item, result);
    case 12: return run_path<12, Paths, W>(i, item, result);
    case 13: return run_path<13, Paths, W>(i, item, result);
    case 14: return run_path<14, Paths, W>(i, item, result);
    case 15: return run_path<15, Paths, W>(i, item, result);
    case 16: return run_path<16, Paths, W>(i, item, result);
    case 17: return run_path<17, Paths, W>(i, item, result);
    case 18: return run_path<18, Paths, W>(i, item, result);
    case 19: return run_path<19, Paths, W>(i, item, result);
    case 20: return run_path<20, Paths, W>(i, item, result);
    case 21: return run_path<21, Paths, W>(i, item, result);
    case 22: return run_path<22, Paths, W>(i, item, result);
    case 23: return run_path<23, Paths, W>(i, item, result);
    case 24: return run_path<24, Paths, W>(i, item, result);
    case 25: return run_path<25, Paths, W>(i, item, result);
    case 26: return run_path<26, Paths, W>(i, item, result);
    case 27: return run_path<27, Paths, W>(i, item, result);
    case 28: return run_path<28, Paths, W>(i, item, result);
    case 29: return run_path<29, Paths, W>(i, item, result);
    case 30: return run_path<30, Paths, W>(i, item, result);
    case 31: return run_path<31, Paths, W>(i, item, result);
  }
}

}  // namespace perf::regroup

#endif
