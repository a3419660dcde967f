// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/stencil/ActiveStencil.hpp>
#include <Koalesce/cuda/stencil/CachedStencil.hpp>
#include <Koalesce/cuda/stencil/queue/QueuedStencil.hpp>
#include <Koalesce/cuda/stencil/steps/FusedSteps.hpp>
#include <Koalesce/cuda/stencil/tile/TiledStencil.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <typeinfo>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

/// Whether the GPU can hold a thread for every point; marching then has no advantage.
inline bool is_small(Kokkos::Cuda const& exec, double points) {
  auto const device = CudaDevice::of(exec);
  return points <= double(device.processors) * device.threads_per_processor;
}

template <class Work>
double points_of(Work const& work) {
  return double(work.extents[0]) * double(work.extents[1]) * double(work.extents[2]) * double(work.domain.blocks());
}

/// What of a work's places in memory decides which candidate is the fastest.
struct StencilAlignment {
  int tile_width;          ///< of the widest tiles; 0: none
  bool narrow_tiles;       ///< tiles of one point in x are possible beside them
  bool wide_queue;         ///< the queue is filled with wide copies
  bool in_lines;           ///< rows begin alike in the cache's lines
  int face_width;          ///< of tiles that reach faces; 0: none
  int face_dims  = 0;      ///< where they reach them, a bit per canonical dimension
  bool constants = false;  ///< beyond some of these is a constant, not copies

  int number() const {
    return 4096 * constants + 512 * face_dims + 64 * face_width + 8 * tile_width + 4 * narrow_tiles + 2 * wide_queue +
           in_lines;
  }

  std::string text() const {
    std::string faces;
    if (face_width > 0) {
      faces = ", to faces of " + std::to_string(face_width) + " in ";
      for (int c = 0; c < 3; ++c)
        if (face_dims >> c & 1) faces += "zyx"[c];
      if (constants) faces += " with constants";
    }
    return std::string(wide_queue ? ", wide" : "") + (in_lines ? ", in lines" : "") +
           (tile_width > 0 ? ", tiles of " + std::to_string(tile_width) : "") + (narrow_tiles ? " and 1" : "") + faces;
  }
};

template <class Work>
StencilAlignment alignment_of(Work const& work) {
  using Wide    = QueueKernel<Work, typename QueueTuning<Work, true>::type, true>;
  bool in_lines = true;
  for_each(work.in, [&](auto const& field, auto) {
    constexpr int line = 128 / int(sizeof(*field.origin));
    in_lines           = in_lines && line > 0 && shift_of(field, std::max(1, line)) >= 0;
  });
  int const width = tile_width(work);
  return {width, Work::Order::rank > 1 && width > 1 && can_have_tiles<1>(work), has_wide_rows<Wide>(work), in_lines, 0};
}

/// Where a stencil reads its taps.
struct StencilWay {
  StencilTaps taps;
  int width     = 0;      ///< points in x of a tile
  bool to_faces = false;  ///< it reaches faces

  bool operator==(StencilWay const&) const = default;
};

/// The candidates of a stencil. Tiles that reach faces come first, then the one that its types suggest. Small elements
/// leave registers for tiles and too little work for shared memory; in fewer than three dimensions the planes of a
/// queue are single rows. Where a point takes much arithmetic, tiles of one point in x leave room for more threads.
template <class Work>
class StencilCandidates {
 public:
  explicit StencilCandidates(StencilAlignment const& alignment) {
    constexpr bool flat = Work::Order::rank < 3, tiles_first = flat || StencilTiles<Work>::element_bytes <= 4;
    bool const tiles = alignment.tile_width > 0;
    if (alignment.face_width > 0) add({StencilTaps::tile, alignment.face_width, true});
    if (tiles && tiles_first) add({StencilTaps::tile, alignment.tile_width});
    add({flat ? StencilTaps::cache : StencilTaps::queue});
    if (tiles && !tiles_first) add({StencilTaps::tile, alignment.tile_width});
    add({flat ? StencilTaps::queue : StencilTaps::cache});
    if (alignment.narrow_tiles) add({StencilTaps::tile, 1});
  }

  std::size_t size() const { return m_size; }
  StencilWay operator[](std::size_t number) const { return m_ways[number]; }

  std::size_t number_of(StencilWay const& way) const {
    return std::size_t(std::find(m_ways.begin(), m_ways.begin() + m_size, way) - m_ways.begin());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(m_size);
    for (std::size_t i = 0; i < m_size; ++i)
      names.emplace_back(m_ways[i].taps == StencilTaps::queue ? "queue"
                         : m_ways[i].taps == StencilTaps::cache
                             ? "cache"
                             : (m_ways[i].to_faces ? "tile to faces of " : "tile of ") +
                                   std::to_string(m_ways[i].width));
    return names;
  }

 private:
  void add(StencilWay const& way) { m_ways[m_size++] = way; }

  std::array<StencilWay, 5> m_ways{};
  std::size_t m_size = 0;
};

template <class Work>
TuningChoices stencil_choices(Kokkos::Cuda const& exec, std::string const& label, Work const& work,
                              StencilAlignment const& alignment) {
  auto const& n = work.extents;
  StencilCandidates<Work> const candidates(alignment);
  return {{"stencil", label, typeid(Work).name(),
           size_classes_text(n) + " points" + blocks_text(work.domain.blocks()) + alignment.text(),
           machine_of(Tag{}, exec)},
          {{"planes", n[0]}, {"rows", n[1]}, {"points a row", n[2]}},
          "taps",
          candidates.names(),
          candidates.size(),
          points_of(work)};
}

template <class Work>
void run_stencil_way(Kokkos::Cuda const& exec, std::string const& label, Work const& work, StencilWay const& way) {
  if (way.width > 0) return run_tiled_stencil(exec, label, work, way.width);
  if (way.taps == StencilTaps::cache) return run_cached_stencil(exec, label, work);
  run_queued_stencil(exec, label, work);
}

/// Runs a work in the way that the policy says or that calls turn out to be fastest. \param[in] run  run(way).
template <class Work, class Run>
void run_fastest_way(Kokkos::Cuda const& exec, std::string const& label, Work const& work,
                     StencilAlignment const& alignment, Run const& run) {
  if (work.taps == StencilTaps::tile)
    return run(alignment.face_width > 0 ? StencilWay{work.taps, alignment.face_width, true}
                                        : StencilWay{work.taps, alignment.tile_width});
  if (work.taps != StencilTaps::automatic) return run({work.taps});

  thread_local RecentTuners<Kokkos::Cuda> recent;
  auto const choices = [&] { return stencil_choices(exec, label, work, alignment); };
  auto const tuner   = [&] {
    int const number = alignment.number() + (size_class(work.domain.blocks()) << 16);
    return recent.get(exec, label, work.extents, number, choices);
  };
  StencilCandidates<Work> const candidates(alignment);
  auto const by_extents = is_small(exec, points_of(work)) ? candidates.number_of({StencilTaps::cache}) : 0;
  run_fastest(exec, points_of(work), by_extents, tuner, choices, [&](std::size_t number) { run(candidates[number]); });
}

/// From the queue, from registers or through the caches.
template <class Work>
void run_fastest_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  auto const run = [&](StencilWay const& way) { run_stencil_way(exec, label, work, way); };
  if (!can_be_cached(work)) return run({StencilTaps::queue});
  run_fastest_way(exec, label, work, alignment_of(work), run);
}

template <class... WorkArgs>
void run_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  if constexpr (has_active_points<StencilWork<WorkArgs...>>) run_active_stencil(exec, label, work);
  else run_fastest_stencil(exec, label, work);
}

template <class... WorkArgs>
void run_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_queued_stencil(exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
