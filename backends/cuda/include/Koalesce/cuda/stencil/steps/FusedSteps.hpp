// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_FUSED_STEPS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_FUSED_STEPS_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/steps/PersistentSteps.hpp>
#include <Koalesce/cuda/stencil/steps/StepsKernel.hpp>
#include <Koalesce/cuda/stencil/steps/StepsTuning.hpp>
#include <Koalesce/cuda/stencil/tile/TiledStencil.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

/// Several time steps in one sweep.
namespace Koalesce::Impl::CudaBackend {

template <class Kernel>
__global__ void __launch_bounds__(32 * Kernel::Tile::warps, std::max(1, steps_warps / Kernel::Tile::warps))
    steps_kernel(__grid_constant__ typename Kernel::Work const work,
                 __grid_constant__ typename Kernel::Boundary const boundary, __grid_constant__ StepsGrid const grid) {
  Kernel::run(work, boundary, grid);
}

/// The kernels of a work.
template <class Work, class Boundary>
struct FusedSteps;
template <class Order, class... Ts, class... Shapes, class Points, class... Us, class Functor, class... Rest,
          class Boundary>
struct FusedSteps<StencilWork<Order, Pack<Field<Ts, Shapes>...>, Points, Pack<Field<Us>...>, Functor, Rest...>,
                  Boundary> {
  using Work = StencilWork<Order, Pack<Field<Ts, Shapes>...>, Points, Pack<Field<Us>...>, Functor, Rest...>;

  static constexpr int words            = (((int(sizeof(Ts)) + 3) / 4) + ...);
  static constexpr StepsNumbers numbers = steps_numbers(Order::rank, std::max({int(sizeof(Ts))...}));
  using Tile                            = StepsTile<numbers.width, numbers.rows, numbers.warps>;

  template <int depth>
  using Kernel     = StepsKernel<Work, Boundary, Tile, depth>;
  using Persistent = PersistentKernel<Work, Boundary>;

  /// Whether each input has its output, and all can be exchanged between threads, and copied asynchronously.
  static constexpr bool has_types =
      sizeof...(Us) == sizeof...(Ts) && ((is_async_size(sizeof(Ts)) && alignof(Ts) == sizeof(Ts)) && ...);

  /// Whether what lies beyond faces can be filled where it is read. (With neighbors in y in several planes that takes
  /// too many registers.)
  static constexpr bool has_faces = !StepsFacesOf<Boundary>::has_near || (StepsReach<Order, Shapes>::has_flat_y && ...);

  static constexpr int max_depth = [] {
    if constexpr (!has_types || !has_faces || Order::rank < 2 || Work::rz == 0) return 0;
    else {
      int const per_step = (Kernel<2>::planes - 1) * numbers.width * numbers.rows * words;
      int const most     = std::min(numbers.max_depth, numbers.held / per_step);
      return most < 2 ? 0 : most < 4 ? most : most / 2 * 2;
    }
  }();

  /// Steps per sweep for which kernels are compiled.
  static constexpr int depths[] = {max_depth >= 4 ? max_depth / 2 : 0, max_depth};

  template <int depth>
  static bool fits(CudaDevice const& device) {
    if constexpr (depth < 2) return false;
    else return Kernel<depth>::exists && Kernel<depth>::bytes <= device.shared_bytes_per_block;
  }
};

/// Chunks of planes that finish soonest: each computes planes of the earlier steps that its neighbors compute, too, and
/// an incomplete last wave of blocks leaves SMs idle.
template <class Kernel>
StepsGrid make_steps_grid(typename Kernel::Work const& work, std::int64_t resident) {
  auto const& n    = work.extents;
  auto const count = [](std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; };
  StepsGrid grid{};
  grid.tiles_x     = unsigned(count(n[2], Kernel::step_x));
  grid.tiles_y     = Kernel::rows_share ? unsigned(count(n[1], Kernel::step_y)) : 1;
  grid.wide        = true;
  auto const align = [&](auto const& field, auto) {
    using T   = typename std::decay_t<decltype(field)>::value_type;
    grid.wide = grid.wide && shift_of(field, step_vector<T, Kernel::width>) == 0;
  };
  for_each(work.in, align);
  for_each(work.out, align);
  grid.tiles = Kernel::rows_share ? grid.tiles_x * grid.tiles_y : unsigned(count(grid.tiles_x, Kernel::Tile::warps));

  std::int64_t const extra = Kernel::depth * (Kernel::rz + Kernel::lag) + steps_start_cost;
  std::int64_t best        = -1;
  for (std::int64_t chunks = 1; chunks <= std::min(n[0], max_steps_chunks); ++chunks) {
    std::int64_t const chunk = count(n[0], chunks), waves = count(grid.tiles * count(n[0], chunk), resident);
    std::int64_t const time = waves * (chunk + extra);
    if (best >= 0 && time >= best) continue;
    best        = time;
    grid.chunk  = int(chunk);
    grid.chunks = unsigned(count(n[0], chunk));
  }
  return grid;
}

template <class Kernel>
void launch_steps(Kokkos::Cuda const& exec, std::string const& label, typename Kernel::Work const& work,
                  typename Kernel::Boundary const& boundary) {
  using Work     = typename Kernel::Work;
  using Boundary = typename Kernel::Boundary;
  CudaKernel<Work const, Boundary const, StepsGrid const> const kernel(
      exec, kernel_label(Tag{}, label), &steps_kernel<Kernel>, dim3(32, Kernel::Tile::warps), Kernel::bytes);
  auto const resident = std::int64_t(std::max(1, kernel.blocks_per_processor())) * CudaDevice::of(exec).processors;
  auto const grid     = make_steps_grid<Kernel>(work, resident);
  kernel.launch(exec, dim3(grid.tiles, grid.chunks), work, boundary, grid);
}

/// Whether a period away from any point that so many steps read is the interior.
template <class Kernel>
bool has_whole_periods(Extents3 const& n) {
  int const radius[] = {Kernel::rz, Kernel::ry, Kernel::rx};
  for (int c = 0; c < 3; ++c)
    if (Kernel::wraps(c) && n[c] < Kernel::depth * radius[c]) return false;
  return true;
}

/// The pipeline does not know fields of two time levels.
template <class Boundary>
concept MovesInPipelines = !std::is_same_v<Boundary, StepsInPlace>;

template <class... WorkArgs, MovesInPipelines Boundary>
std::vector<int> fused_depths(Tag, Kokkos::Cuda const& exec, StencilWork<WorkArgs...> const& work, Boundary const&,
                              int) {
  using Steps = FusedSteps<StencilWork<WorkArgs...>, Boundary>;
  std::vector<int> depths;
  // 32 bits hold all places in a plane's rows, and the numbers of its tiles and of planes.
  bool possible           = work.extents[0] < (1 << 30) && work.extents[1] < (1 << 24) && work.extents[2] < (1 << 29);
  auto const lies_in_rows = [&](auto const& field, auto) { possible = possible && field.stride[2] == 1; };
  for_each(work.in, lies_in_rows);
  for_each(work.out, lies_in_rows);
  if (!possible) return depths;
  auto const device = CudaDevice::of(exec);
  static_for<2>([&](auto i) {
    constexpr int depth = Steps::depths[i.value];
    if constexpr (depth >= 2)
      if (Steps::template fits<depth>(device) &&
          has_whole_periods<typename Steps::template Kernel<depth>>(work.extents))
        depths.push_back(depth);
  });
  return depths;
}

template <class... WorkArgs, MovesInPipelines Boundary>
void run_fused_steps(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                     Boundary const& boundary, int depth) {
  using Steps = FusedSteps<StencilWork<WorkArgs...>, Boundary>;
  static_for<2>([&](auto i) {
    constexpr int this_depth = Steps::depths[i.value];
    if constexpr (this_depth >= 2)
      if constexpr (Steps::template Kernel<this_depth>::exists)
        if (depth == this_depth) launch_steps<typename Steps::template Kernel<this_depth>>(exec, label, work, boundary);
  });
}

template <class... WorkArgs, MovesInPipelines Boundary>
bool fits_on_chip(Tag, Kokkos::Cuda const& exec, StencilWork<WorkArgs...> const& work, Boundary const&) {
  using Steps = FusedSteps<StencilWork<WorkArgs...>, Boundary>;
  if constexpr (Steps::has_types)
    return find_persistent_grid<typename Steps::Persistent>(exec, work.extents).has_value();
  else return false;
}

template <class... WorkArgs, MovesInPipelines Boundary>
bool run_on_chip(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                 Boundary const& boundary, int steps) {
  using Steps = FusedSteps<StencilWork<WorkArgs...>, Boundary>;
  if constexpr (Steps::has_types)
    return launch_persistent_steps<typename Steps::Persistent>(exec, label, work, boundary, steps);
  else return false;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
