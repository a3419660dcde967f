// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_TUNING_HPP

#include <Koalesce/cuda/stencil/LinearKernel.hpp>

/// The numbers that decide how fast the CUDA stencils are, apart from the algorithm. All were measured on an H200;
/// docs/performance/stencil.md has the measurements.
namespace Koalesce::Impl::CudaBackend {

/// Registers that a value of type T takes.
template <class T>
inline constexpr int registers_of = (int(sizeof(T)) + 3) / 4;

/// Stencils of more points than these are bound by arithmetic or shared memory: pacing them costs and gains nothing.
inline constexpr int max_paced_points = 32;

/// Known weights: a thread's partial sums decide how many threads and points have room in registers. Reads of one
/// element a copy take longer to arrive than wide ones and oversubscribe memory less: more planes ahead, no pacing.
template <class Work, bool Wide>
struct LinearTuning {
  using Sum = typename LinearKernel<Work, StencilTuning<32, 1, 1, 1, 0>, Wide>::Sum;

  static constexpr int sums     = (2 * Work::rz + 1) * registers_of<Sum>;
  static constexpr int interval = Wide && Work::Shape::size <= max_paced_points ? (sums <= 6 ? 1 : 2) : 0;

  using few  = StencilTuning<1024, 4, Wide ? 2 : 3, 1, interval>;
  using some = std::conditional_t<Wide, StencilTuning<1024, 3, 2, 1, interval>, StencilTuning<512, 5, 2, 1, 0>>;
  using many = StencilTuning<512, 4, Wide ? 3 : 4, 1, interval>;
  using most = StencilTuning<256, 2, 2, 1, interval>;

  using type = std::conditional_t<sums <= 4, few,
                                  std::conditional_t<sums <= 6, some, std::conditional_t<sums <= 16, many, most>>>;
};

/// Any functor. What it computes does not show: few points may need many registers, too (an exponential function in
/// fp64 takes 128), so that a multiprocessor is not filled beyond 512 threads. Few points mean that memory is the
/// limit, which wide tiles spare; many points mean arithmetic, whose latencies more warps hide.
template <class Work, bool Wide>
struct QueueTuning {
  static constexpr int taps = Work::Shape::size * int(Work::Ins::size);

  using few  = std::conditional_t<Wide, StencilTuning<512, 4, 2, 1, 1>, StencilTuning<512, 5, 3, 1, 0>>;
  using some = StencilTuning<512, 4, 2, 1, 0>;
  using many = StencilTuning<256, 4, 2, 1, 0>;

  using type = std::conditional_t<taps <= 8, few, std::conditional_t<taps <= 16, some, many>>;
};

/// Two stages: many points a thread, since both stages share taps, and registers as they come.
template <class Work, bool Wide>
struct StagedTuning {
  using type = StencilTuning<256, 6, 2, 1, 0>;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
