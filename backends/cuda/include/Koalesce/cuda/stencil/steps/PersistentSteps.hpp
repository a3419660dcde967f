// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_PERSISTENT_STEPS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_PERSISTENT_STEPS_HPP

#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/common/impl/InstanceMemory.hpp>
#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/stencil/steps/PersistentKernel.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

/// Time steps of fields that fit on chip.
namespace Koalesce::Impl::CudaBackend {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, 1)
    persistent_steps_kernel(__grid_constant__ typename Kernel::Work const work,
                            __grid_constant__ typename Kernel::Boundary const boundary,
                            __grid_constant__ PersistentGrid const grid, unsigned char* const messages,
                            int const steps) {
  Kernel::run(work, boundary, grid, messages, steps);
}

/// The messages between blocks, on an execution space's instances.
inline InstanceMemory<Kokkos::Cuda>& memory_of_messages() {
  static InstanceMemory<Kokkos::Cuda> pieces("Koalesce: messages between blocks");
  static bool const hooked = (push_finalize_hook([] { pieces.release_all(); }), true);
  (void)hooked;
  return pieces;
}

/// The least points in canonical dimension c of a tile that others, or points beyond a face, depend on.
template <class Kernel>
constexpr std::int64_t least_persistent_tile(int c) {
  return std::max(1, Kernel::Messages::radius(c) + Kernel::Faces::is_near(c));
}

/// These tiles of the interior, or none if one is smaller than what depends on it.
template <class Kernel>
std::optional<PersistentGrid> make_persistent_grid(Extents3 const& n, std::int64_t const (&tiles)[3]) {
  using Messages = typename Kernel::Messages;
  PersistentGrid grid{};
  bool has_neighbors[3];
  for (int c = 0; c < 3; ++c) {
    has_neighbors[c] = tiles[c] > 1 || Kernel::Faces::wraps(c);
    if ((has_neighbors[c] || Kernel::Faces::is_near(c)) && n[c] / tiles[c] < least_persistent_tile<Kernel>(c))
      return std::nullopt;
    grid.tiles[c]    = int(tiles[c]);
    grid.max_size[c] = int((n[c] + tiles[c] - 1) / tiles[c]);
  }
  // Columns, as neighbors in x read them, then lie in different banks.
  grid.pitch = (grid.max_size[2] + 2 * Messages::radius(2)) | 1;
  grid.plane = grid.pitch * (grid.max_size[1] + 2 * Messages::radius(1));
  grid.cells = (grid.plane * (grid.max_size[0] + 2 * Messages::radius(0)) + 3) / 4 * 4;
  for (int d = 0; d < Messages::directions; ++d) {
    grid.first_slot[d] = grid.slots;
    bool exists        = Messages::exist(d);
    for (int c = 0; c < 3; ++c) exists = exists && (has_neighbors[c] || Messages::step(d, c) == 0);
    if (!exists) continue;
    int const points = Messages::points(d, grid.max_size);
    grid.slots += points;
    if (Messages::step(d, 2) != 0) grid.slots_in_columns += points;
  }
  grid.all_slots = grid.blocks() * grid.slots;
  return grid;
}

/// The time of a step, in points of a block.
inline std::int64_t cost_of(PersistentGrid const& grid) {
  return grid.max_points() + persistent_slot_cost * (grid.slots - grid.slots_in_columns) +
         persistent_column_cost * grid.slots_in_columns;
}

/// The tiles with which a step takes the least time, or none if the fields do not fit on chip.
template <class Kernel>
std::optional<PersistentGrid> search_persistent_grid(CudaDevice const& device, Extents3 const& n) {
  std::optional<PersistentGrid> best;
  std::int64_t least = max_persistent_cost;
  if (!device.runs_blocks_together || double(n[0]) * double(n[1]) * double(n[2]) > double(least) * device.processors)
    return best;
  auto const max_tiles = [&](int c, std::int64_t processors) {
    return std::max<std::int64_t>(1, std::min(n[c] / least_persistent_tile<Kernel>(c), processors));
  };
  auto const size_of = [&](int c, std::int64_t tiles) { return (n[c] + tiles - 1) / tiles; };
  for (std::int64_t x = 1; x <= max_tiles(2, device.processors); ++x)
    for (std::int64_t y = 1; y <= max_tiles(1, device.processors / x); ++y) {
      std::int64_t const z = max_tiles(0, device.processors / x / y);
      if (size_of(0, z) * size_of(1, y) * size_of(2, x) >= least) continue;
      auto const grid = make_persistent_grid<Kernel>(n, {z, y, x});
      if (!grid || Kernel::shared_bytes(*grid) > device.shared_bytes_per_block || cost_of(*grid) >= least) continue;
      least = cost_of(*grid);
      best  = grid;
    }
  return best;
}

/// The same, remembered.
template <class Kernel>
std::optional<PersistentGrid> const& find_persistent_grid(Kokkos::Cuda const& exec, Extents3 const& n) {
  using Key = std::tuple<int, std::int64_t, std::int64_t, std::int64_t>;
  thread_local RecentValues<Key, std::optional<PersistentGrid>, 8> recent;
  return recent.get(Key(exec.cuda_device(), n[0], n[1], n[2]),
                    [&] { return search_persistent_grid<Kernel>(CudaDevice::of(exec), n); });
}

/// \return false, and nothing is launched, if there is no memory for the messages. While a graph is captured none can
/// be allocated; it gets what an earlier call has left.
template <class Kernel>
bool launch_persistent_steps(Kokkos::Cuda const& exec, std::string const& label, typename Kernel::Work const& work,
                             typename Kernel::Boundary const& boundary, int steps) {
  using Work       = typename Kernel::Work;
  using Boundary   = typename Kernel::Boundary;
  auto const grid  = find_persistent_grid<Kernel>(exec, work.extents).value();
  auto const bytes = Kernel::message_bytes(grid);
  auto& memory     = memory_of_messages();
  auto const graph = Stopwatch<Kokkos::Cuda>::graph(exec);
  auto piece       = memory.take(exec, bytes, graph);
  if (!piece) return false;
  auto* const messages = reinterpret_cast<unsigned char*>(piece->bytes.data());
  CudaKernel<Work const, Boundary const, PersistentGrid const, unsigned char* const, int const> const kernel(
      exec, kernel_label(Tag{}, label), &persistent_steps_kernel<Kernel>, dim3(Kernel::threads),
      int(Kernel::shared_bytes(grid)));
  check_cuda(label, cudaMemsetAsync(messages, 0, bytes, exec.cuda_stream()), "clearing messages");
  kernel.launch_together(exec, dim3(grid.blocks()), work, boundary, grid, messages, steps);
  memory.give_back(std::move(piece), graph);
  return true;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
