// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_FUSED_STEPS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_FUSED_STEPS_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/steps/PersistentSteps.hpp>
#include <Koalesce/cuda/stencil/steps/StepsKernel.hpp>
#include <Koalesce/cuda/stencil/steps/StepsTuning.hpp>
#include <Koalesce/cuda/stencil/tile/TiledStencil.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>

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

  static constexpr bool adds = adds_planes<Work, StepsFacesOf<Boundary>>;
  static constexpr StepsNumbers numbers =
      steps_numbers(Order::rank, std::max({int(sizeof(Ts))...}), adds, adds_pairs<Functor>);
  using Tile = StepsTile<numbers.width, numbers.rows, numbers.warps>;

  template <int depth>
  using Kernel     = StepsKernel<Work, Boundary, Tile, depth, numbers.apart || StepsFacesOf<Boundary>::has_near>;
  using Persistent = PersistentKernel<Work, Boundary>;

  /// Whether each input has its output, and all can be exchanged between threads, and copied asynchronously.
  static constexpr bool has_types =
      sizeof...(Us) == sizeof...(Ts) && ((is_async_size(sizeof(Ts)) && alignof(Ts) == sizeof(Ts)) && ...);

  /// Whether what lies beyond faces can be filled: threads at a face in y leave rows beyond it from their own.
  static constexpr bool has_faces =
      !StepsFacesOf<Boundary>::has_near || ((StepsReach<Order, Shapes>::has_flat_y && ...) &&
                                            (!StepsFacesOf<Boundary>::is_near(1) || Work::ry < numbers.rows));

  /// Whether the code stays small: it has the functor's code once for every step, plane and point of a thread.
  static constexpr bool is_small = (is_linear<Functor> && (adds || !adds_pairs<Functor>)) || Order::rank < 3 ||
                                   ((Shapes::size <= max_functor_points) && ...);

  static constexpr int max_depth = [] {
    if constexpr (!has_types || !has_faces || !is_small || Order::rank < 2 || Work::rz == 0) return 0;
    else {
      constexpr int per_step = Kernel<2>::Ins::held / 2;
      int const most         = std::min(numbers.max_depth, numbers.held / per_step);
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

/// The tiles along a dimension that lie inside, and at faces that are near do not begin or end there.
inline void find_inner_tiles(unsigned (&inner)[2], unsigned tiles, std::int64_t extent, int step, int halo, int size,
                             bool near) {
  auto const count = [&](std::int64_t points) { return points < 0 ? 0 : points / step + 1; };
  auto const first = count(halo - !near);
  inner[0]         = unsigned(std::min<std::int64_t>(first, tiles));
  inner[1]         = unsigned(std::clamp<std::int64_t>(count(extent - size + halo - near), inner[0], tiles));
}

/// Chunks of planes that finish soonest: each computes planes of the earlier steps that its neighbors compute, too, and
/// an incomplete last wave of blocks leaves SMs idle.
template <class Kernel>
StepsGrid make_steps_grid(typename Kernel::Work const& work, std::int64_t resident) {
  using Faces      = typename Kernel::Faces;
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

  grid.inner_x[1] = grid.tiles_x;
  grid.inner_y[1] = grid.tiles_y;
  if (Kernel::apart) {
    find_inner_tiles(grid.inner_x, grid.tiles_x, n[2], Kernel::step_x, Kernel::halo_x, Kernel::size_x,
                     Faces::is_near(2));
    if (Kernel::rows_share)
      find_inner_tiles(grid.inner_y, grid.tiles_y, n[1], Kernel::step_y, Kernel::halo_y, Kernel::size_y,
                       Faces::is_near(1));
  }
  grid.inner.tiles = (grid.inner_x[1] - grid.inner_x[0]) * (grid.inner_y[1] - grid.inner_y[0]);
  grid.edge.tiles  = grid.tiles_x * grid.tiles_y - grid.inner.tiles;
  for (auto* const blocks : {&grid.edge, &grid.inner})
    blocks->blocks = Kernel::rows_share ? blocks->tiles : unsigned(count(blocks->tiles, Kernel::Tile::warps));

  std::int64_t const extra = Kernel::depth * (Kernel::rz + Kernel::lag) + steps_start_cost;
  std::int64_t best        = -1;
  for (std::int64_t chunks = 1; chunks <= std::min(n[0], max_steps_chunks); ++chunks) {
    std::int64_t const chunk = count(n[0], chunks);
    std::int64_t const shorter =
        std::max<std::int64_t>(1, (chunk + extra) * 100 / steps_edge_cost(Kernel::Order::rank) - extra);
    std::int64_t const blocks = grid.inner.blocks * count(n[0], chunk) + grid.edge.blocks * count(n[0], shorter);
    std::int64_t const time   = count(blocks, resident) * (chunk + extra);
    if (best >= 0 && time >= best) continue;
    best              = time;
    grid.inner.chunk  = int(chunk);
    grid.inner.chunks = unsigned(count(n[0], chunk));
    grid.edge.chunk   = int(shorter);
    grid.edge.chunks  = grid.edge.blocks == 0 ? 0 : unsigned(count(n[0], shorter));
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
  kernel.launch(exec, dim3(grid.edge.blocks + grid.inner.blocks, std::max(grid.edge.chunks, grid.inner.chunks)), work,
                boundary, grid);
}

/// Whether a period away from any point that so many steps read is the interior, and whether tiles fit between faces
/// that are near.
template <class Kernel>
bool fits_between_faces(Extents3 const& n) {
  using Faces        = typename Kernel::Faces;
  int const radius[] = {Kernel::rz, Kernel::ry, Kernel::rx};
  int const size[]   = {0, Kernel::size_y, Kernel::size_x};
  for (int c = 0; c < 3; ++c)
    if ((Faces::wraps(c) && n[c] < Kernel::depth * radius[c]) || (Faces::is_near(c) && n[c] < size[c])) return false;
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
          fits_between_faces<typename Steps::template Kernel<depth>>(work.extents))
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
