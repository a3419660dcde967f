// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/stencil/CachedStencil.hpp>
#include <Koalesce/cuda/stencil/PaceCounters.hpp>
#include <Koalesce/cuda/stencil/StencilKernels.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/portable/stencil/Stencil.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

template <class Kernel>
auto stencil_launch(Kokkos::Cuda const& exec, std::string const& label, StencilGrid const& grid) {
  return CudaKernel<typename Kernel::Work const, StencilGrid const>(
      exec, kernel_label(Tag{}, label), stencil_kernel<Kernel>, grid.threads(Kernel::Tuning::points, Kernel::rx),
      Kernel::bytes(grid.tile_y, grid.tile_x));
}

/// The grid of a kernel for these extents; tile_y = 0 if no tile fits on chip.
template <class Kernel>
StencilGrid make_grid(Kokkos::Cuda const& exec, std::string const& label, Extents3 const& extents) {
  using Tuning      = typename Kernel::Tuning;
  auto const device = CudaDevice::of(exec);
  auto grid = choose_tile<Tuning>(extents, Kernel::inner_y, Kernel::inner_x, Kernel::ry, Kernel::rx, Kernel::bytes,
                                  device.shared_bytes_per_block / Tuning::min_blocks);
  if (grid.tile_y == 0) return grid;
  grid.pace.interval = std::max(1, Tuning::interval);
  grid.pace.resident =
      std::max(1, stencil_launch<Kernel>(exec, label, grid).blocks_per_processor() * device.processors);
  choose_chunks(grid, extents[0], Kernel::planes_before, grid.pace.resident);
  return grid;
}

/// Runs a stencil for which no tile fits on chip, because elements are large or fields are many.
template <class... WorkArgs>
void run_without_queue(Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  if (can_be_cached(work)) run_cached_stencil(exec, label, work);
  else run_stencil(Backend::Portable{}, exec, label, work);
}

template <class... WorkArgs>
void run_without_queue(Kokkos::Cuda const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_stencil(Backend::Portable{}, exec, label, work);
}

/// Runs a kernel with the best tile that fits on chip.
template <class Kernel>
void run_cuda(Kokkos::Cuda const& exec, std::string const& label, typename Kernel::Work const& work) {
  // Cached, because the choice takes as long as a small stencil. A few sizes alternate in multigrid methods.
  thread_local RecentValues<std::pair<int, Extents3>, StencilGrid, 8> recent;
  auto grid =
      recent.get({exec.cuda_device(), work.extents}, [&] { return make_grid<Kernel>(exec, label, work.extents); });
  if (grid.tile_y == 0) return run_without_queue(exec, label, work);

  if (Kernel::Tuning::interval > 0 && grid.chunk >= min_paced_planes && grid.blocks() >= grid.pace.resident / 2)
    grid.pace.counter = PaceCounters::next(exec);
  stencil_launch<Kernel>(exec, label, grid).launch(exec, grid.blocks(), work, grid);
}

template <template <class, class, bool> class Kernel, template <class, bool> class Tuning, class Work>
void run_cuda_as_aligned(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  using Wide   = Kernel<Work, typename Tuning<Work, true>::type, true>;
  using Narrow = Kernel<Work, typename Tuning<Work, false>::type, false>;
  if (Wide::Readers::can_be_wide(work.in)) run_cuda<Wide>(exec, label, work);
  else run_cuda<Narrow>(exec, label, work);
}

/// Whether the GPU can hold a thread for every point; marching then has no advantage.
inline bool is_small(Kokkos::Cuda const& exec, Extents3 const& extents) {
  auto const device = CudaDevice::of(exec);
  return double(extents[0]) * double(extents[1]) * double(extents[2]) <=
         double(device.processors) * device.threads_per_processor;
}

template <class Work>
double points_of(Work const& work) {
  return double(work.extents[0]) * double(work.extents[1]) * double(work.extents[2]);
}

/// The candidates of a stencil: where it may read its taps.
template <class Work>
TuningChoices stencil_choices(Kokkos::Cuda const& exec, std::string const& label, Work const& work, bool wide) {
  auto const& n = work.extents;
  return {{"stencil", label, typeid(Work).name(), size_classes_text(n) + (wide ? " points, wide" : " points"),
           machine_of(Tag{}, exec)},
          {{"planes", n[0]}, {"rows", n[1]}, {"points a row", n[2]}},
          "taps",
          {"queue", "cache"},
          2,
          points_of(work)};
}

/// From the queue or through the caches. A functor's cost is unknown, so both kernels are timed; for known weights the
/// extents decide.
template <class... WorkArgs>
void run_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  using Work            = StencilWork<WorkArgs...>;
  constexpr bool linear = is_linear<typename Work::Functor>;
  auto const from_queue = [&] {
    if constexpr (linear) run_cuda_as_aligned<LinearKernel, LinearTuning>(exec, label, work);
    else run_cuda_as_aligned<QueueKernel, QueueTuning>(exec, label, work);
  };
  auto const from_cache = [&] { run_cached_stencil(exec, label, work); };

  if (work.taps == StencilTaps::queue || !can_be_cached(work)) return from_queue();
  if (work.taps == StencilTaps::cache) return from_cache();
  bool const small = is_small(exec, work.extents);
  if constexpr (linear) {
    if (small) from_cache();
    else from_queue();
  } else {
    using Wide      = QueueKernel<Work, typename QueueTuning<Work, true>::type, true>;
    using Classes   = std::array<int, 3>;
    using Key       = std::tuple<int, Classes, bool, std::string, std::int64_t>;
    using Lookup    = std::tuple<int, Classes, bool, std::string const&, std::int64_t>;
    bool const wide = Wide::Readers::can_be_wide(work.in);
    thread_local RecentValues<Key, std::shared_ptr<Tuner<Kokkos::Cuda>>, 8> recent;
    auto const choices = [&] { return stencil_choices(exec, label, work, wide); };
    auto const tuner   = [&] {
      auto const changes = TuningRegistry::instance().changes();
      return recent.get(Lookup(exec.cuda_device(), size_classes(work.extents), wide, label, changes),
                          [&] { return find_tuner<Kokkos::Cuda>(choices()); });
    };
    run_fastest(exec, points_of(work), small ? 1 : 0, tuner, choices,
                [&](std::size_t candidate) { candidate == 0 ? from_queue() : from_cache(); });
  }
}

template <class... WorkArgs>
void run_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_cuda_as_aligned<StagedKernel, StagedTuning>(exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
