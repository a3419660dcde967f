// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILED_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/BlockShape.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/cuda/stencil/tile/TileKernel.hpp>
#include <Koalesce/cuda/stencil/tile/TileSumsKernel.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// The __global__ function of the kernels with tiles in registers, which are types.
template <class Kernel, int min_blocks>
__global__ void __launch_bounds__(tile_threads, min_blocks)
    tile_kernel(__grid_constant__ typename Kernel::Work const work, __grid_constant__ TileGrid const grid) {
  Kernel::run(work, grid);
}

/// The tiles of a work.
template <class Work>
struct StencilTiles;
template <class Order, class... Ts, class... Shapes, class Points, class Outs, class Functor, class... Rest>
struct StencilTiles<StencilWork<Order, Pack<Field<Ts, Shapes>...>, Points, Outs, Functor, Rest...>> {
  using Work = StencilWork<Order, Pack<Field<Ts, Shapes>...>, Points, Outs, Functor, Rest...>;

  static constexpr int element_bytes = std::max({int(sizeof(Ts))...});
  static constexpr bool box =
      std::max({Shapes::size...}) == (2 * Work::rz + 1) * (2 * Work::ry + 1) * (2 * Work::rx + 1) &&
      (Work::rz > 0) + (Work::ry > 0) + (Work::rx > 0) > 1;

  /// Registers of the inputs in a tile.
  template <int width, int rows>
  static constexpr int registers =
      ((RegisterWindow<std::remove_const_t<Ts>, Order, Shapes, width, rows, 1>::size() * ((int(sizeof(Ts)) + 3) / 4)) +
       ...);

  static constexpr bool takes_sums =
      is_linear<Functor> && (Order::rank == 3   ? box || Work::rz > 1
                             : Order::rank == 2 ? box && !adds_pairs<Functor> && registers<1, 1> > max_box_registers
                                                : false);

  static constexpr int sum_bytes = [] {
    if constexpr (takes_sums)
      return std::max({int(sizeof(typename Functor::weight_type() * std::remove_const_t<Ts>()))...});
    else return 0;
  }();

  static constexpr bool is_light = std::is_same_v<Points, Pack<>> && !has_active_points<Work> &&
                                   sizeof(typename Work::Reduction::Update) <= max_light_sums;

  /// Registers that decide what a tile of two rows, in three dimensions, and of this width can be.
  template <int width>
  static constexpr int held = [] {
    constexpr int rows   = Order::rank == 3 ? 2 : 1;
    constexpr int values = rows * width * registers_per_point<Points>;
    if constexpr (takes_sums) return (2 * Work::rz + 1) * rows * width * ((sum_bytes + 3) / 4) + values;
    else return registers<width, rows> + 2 * values;  // two planes at a time
  }();

  template <int width>
  static constexpr RegisterTile numbers = [] {
    constexpr TileTraits traits{.rank   = Order::rank,
                                .bytes  = takes_sums ? sum_bytes : element_bytes,
                                .rz     = Work::rz,
                                .box    = box,
                                .linear = is_linear<Functor>,
                                .pairs  = adds_pairs<Functor>,
                                .inputs = int(sizeof...(Ts)),
                                .light  = is_light,
                                .held   = held<width>};
    RegisterTile tile = takes_sums ? sums_tile(traits, width) : window_tile(traits, width);
    // As many points a thread as a tile of active points has: fewer do not keep enough reads on their way.
    if constexpr (has_active_points<Work> && Order::rank == 3) tile.planes = ActiveTileShape<3>::planes;
    return tile;
  }();

  /// Whether one instruction reads so many neighbors of every input.
  template <int width>
  static constexpr bool has_width =
      width == 1 || (width <= max_tile_width(Order::rank, element_bytes) &&
                     ((std::is_trivially_copyable_v<Ts> && is_vector_size<width * sizeof(Ts)>)&&...));

  /// Whether kernels of this width are compiled.
  template <int width>
  static constexpr bool exists =
      has_width<width> && (takes_sums || held<width> <= (width > 1 ? max_wide_tile_registers : max_tile_registers));

  template <int width>
  using Kernel = std::conditional_t<takes_sums, TileSumsKernel<Work, width, numbers<width>.rows, numbers<width>.planes>,
                                    TileKernel<Work, width, numbers<width>.rows, numbers<width>.planes>>;
};

/// The points by which the first interior point of a field comes after a place where `width` of them can be read at
/// once, if that is the same in all rows; else -1.
template <class T, class Shape>
int shift_of(Field<T, Shape> const& field, int width) {
  bool const in_line = field.stride[2] == 1 && field.stride[1] % width == 0 && field.stride[0] % width == 0;
  auto const address = reinterpret_cast<std::uintptr_t>(field.origin);
  return in_line && address % sizeof(T) == 0 ? int(address / sizeof(T) % std::uintptr_t(width)) : -1;
}

/// Whether all blocks of fields lie at the same places in words of `width` elements.
template <class Places>
bool are_blocks_alike(Places const& places, int width) {
  bool alike = true;
  for_each(places, [&](auto const& place, auto) { alike = alike && place.elements % width == 0; });
  return alike;
}

/// Whether all inputs of a work let `width` points be read at once.
template <class Work>
bool has_aligned_inputs(Work const& work, int width) {
  bool aligned = true;
  if constexpr (has_blocks<Work>) aligned = are_blocks_alike(work.domain.in, width);
  for_each(work.in, [&](auto const& field, auto) {
    aligned = aligned && shift_of(field, width) >= 0 && shift_of(field, width) == shift_of(get<0>(work.in), width);
  });
  return aligned;
}

/// How the tiles cover a work.
template <class Work>
TileGrid make_tile_grid(Work const& work, int width, RegisterTile const& numbers) {
  auto const& n    = work.extents;
  auto const count = [](std::int64_t extent, std::int64_t size) { return (extent + size - 1) / size; };
  TileGrid grid{};
  grid.shift       = width > 1 ? shift_of(get<0>(work.in), width) : 0;
  grid.wide_points = true;
  auto const align = [&](auto const& field, auto) {
    grid.wide_points = grid.wide_points && shift_of(field, width) == grid.shift;
  };
  for_each(work.points, align);
  for_each(work.out, align);
  if constexpr (has_blocks<Work>)
    grid.wide_points =
        grid.wide_points && are_blocks_alike(work.domain.points, width) && are_blocks_alike(work.domain.out, width);

  if constexpr (has_active_points<Work>) {
    using Shape      = ActiveTileShape<Work::Order::rank>;
    int const across = Shape::points_per_word / width, down = Shape::rows / numbers.rows,
              through = Shape::planes / numbers.planes, at_a_time = std::min(through, tile_threads / (across * down));
    grid.threads = dim3(unsigned(across), unsigned(down), unsigned(at_a_time));
    grid.blocks  = dim3(unsigned(work.domain.size), 1, unsigned(through / at_a_time));
    return grid;
  }

  std::int64_t const tiles_x = count(n[2] + grid.shift, width), tiles_y = count(n[1], numbers.rows),
                     tiles_z = count(n[0], numbers.planes);
  grid.threads               = block_shape({tiles_z, tiles_y, tiles_x}, tile_threads, tile_row_threads);
  grid.blocks                = dim3(unsigned(count(tiles_x, grid.threads.x)), unsigned(count(tiles_y, grid.threads.y)),
                                    unsigned(count(tiles_z, grid.threads.z)));
  return grid;
}

/// Whether tiles of this width are cut at the ends of rows that are so short that most warps would wait for the cut
/// ones.
template <class Work>
bool cuts_rows(Work const& work, int width) {
  auto const n = work.extents[2];
  return n < min_cut_row && (n % width != 0 || shift_of(get<0>(work.in), width) != 0);
}

/// Whether tiles of this width are compiled for a work, and one of them has room in it, if it must.
template <int width, class Work>
bool can_have_tiles(Work const& work) {
  using Tiles = StencilTiles<Work>;
  if constexpr (!Tiles::template exists<width>) {
    return false;
  } else {
    constexpr auto tile = Tiles::template numbers<width>;
    return !has_own_points<Work> || (work.extents[0] >= tile.planes && work.extents[1] >= tile.rows);
  }
}

/// 32 bits hold all places in a row.
inline constexpr std::int64_t max_tile_row = std::int64_t(1) << 30;

/// The most points that a tile of this work may have in x; 0: it cannot be cut into tiles.
template <class Work>
int tile_width(Work const& work) {
  auto const& n = work.extents;
  // CUDA numbers the blocks of four rows and more.
  constexpr std::int64_t most = 65535;
  bool fits               = n[2] <= max_tile_row && n[1] <= 4 * most && n[0] <= (Work::Order::rank == 2 ? 4 : 1) * most;
  auto const lies_in_rows = [&](auto const& field, auto) { fits = fits && field.stride[2] == 1; };
  for_each(work.in, lies_in_rows);
  for_each(work.points, lies_in_rows);
  for_each(work.out, lies_in_rows);
  if (!fits) return 0;
  if (can_have_tiles<4>(work) && has_aligned_inputs(work, 4) && !cuts_rows(work, 4)) return 4;
  if (can_have_tiles<2>(work) && has_aligned_inputs(work, 2) && !cuts_rows(work, 2)) return 2;
  return can_have_tiles<1>(work) ? 1 : 0;
}

template <int width, class Work>
void run_tiles(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  using Tiles            = StencilTiles<Work>;
  constexpr auto numbers = Tiles::template numbers<width>;
  auto* const kernel     = &tile_kernel<typename Tiles::template Kernel<width>, numbers.min_blocks>;
  auto const grid        = make_tile_grid(work, width, numbers);
  std::string const name = kernel_label(Tag{}, label);
  dim3 const blocks      = grid_of_blocks(label, work, grid.blocks);
  launch_and_join(exec, name, work, block_count(blocks), [&](Work const& given) {
    CudaKernel<Work const, TileGrid const>(exec, name, kernel, grid.threads, 0, cudaSharedmemCarveoutMaxL1)
        .launch(exec, blocks, given, grid);
  });
}

/// \param[in] width  what tile_width() gave.
template <class Work>
void run_tiled_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work, int width) {
  using Tiles = StencilTiles<Work>;
  if constexpr (Tiles::template exists<4>)
    if (width == 4) return run_tiles<4>(exec, label, work);
  if constexpr (Tiles::template exists<2>)
    if (width == 2) return run_tiles<2>(exec, label, work);
  if constexpr (Tiles::template exists<1>) run_tiles<1>(exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
