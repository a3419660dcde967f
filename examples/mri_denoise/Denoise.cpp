// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Denoise.hpp"

#include "../common/PlainLoop.hpp"
#include "Diffusion.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace examples::mri {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
/// A volume with a halo of one point, in the order of the file: x, the last index, is the fastest.
using Field = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

/// The points of a field without its halo.
template <class View>
auto interior(View const& field) {
  auto const inside = [&](int d) { return std::pair<std::size_t, std::size_t>(1, field.extent(d) - 1); };
  return Kokkos::subview(field, inside(0), inside(1), inside(2));
}

/// Two fields that change roles every step.
class Fields {
 public:
  Fields(Exec const& exec, Volume const& volume)
      : m_exec(exec),
        m_extents{volume.size[2], volume.size[1], volume.size[0]},
        m_now(Kokkos::view_alloc(exec, "now"), m_extents[0] + 2, m_extents[1] + 2, m_extents[2] + 2),
        m_next(Kokkos::view_alloc(exec, "next"), m_extents[0] + 2, m_extents[1] + 2, m_extents[2] + 2) {
    load(volume);
  }

  auto const& extents() const { return m_extents; }
  auto const& now() const { return m_now; }
  auto const& next() const { return m_next; }
  void swap() { std::swap(m_now, m_next); }

  void fill_halo() const { Koalesce::fill_halo(m_exec, m_now, m_extents, Koalesce::Neumann()); }

  void load(Volume const& volume) {
    auto const host = Kokkos::create_mirror_view(m_now);
    Kokkos::View<float const***, Kokkos::LayoutRight, Kokkos::HostSpace> const voxels(
        volume.voxels.data(), m_extents[0], m_extents[1], m_extents[2]);
    Kokkos::deep_copy(interior(host), voxels);
    Kokkos::deep_copy(m_now, host);
  }

  std::vector<float> voxels() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_now);
    std::vector<float> result(m_extents[0] * m_extents[1] * m_extents[2]);
    Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> const voxels(result.data(), m_extents[0],
                                                                                m_extents[1], m_extents[2]);
    Kokkos::deep_copy(voxels, interior(host));
    return result;
  }

 private:
  Exec m_exec;
  Extents m_extents;
  Field m_now, m_next;
};

PeronaMalik perona_malik(Volume const& volume, DiffusionSettings const& settings) {
  return {volume.spacing[2], volume.spacing[1], volume.spacing[0], settings.k, settings.step};
}

/// Applies `stencil(in, out)` the given number of times; returns the median time of a step in seconds.
template <class Stencil>
double run_steps(Exec const& exec, Fields& fields, int steps, Stencil const& stencil,
                 std::function<void()> const& after_step) {
  std::vector<double> times;
  for (int s = 0; s < steps; ++s) {
    exec.fence();
    Kokkos::Timer const timer;
    fields.fill_halo();
    stencil(fields.now(), fields.next());
    exec.fence();
    times.push_back(timer.seconds());
    fields.swap();
    after_step();
  }
  return median(times);
}

/// A loop over a step's points, by which Kokkos can run it.
struct PlainLoop {
  std::string name;
  std::function<void(Field const&, Field const&)> step;
};

/// The first one has the tiling that Kokkos chooses.
template <class Space>
std::vector<PlainLoop> plain_loops(Space const& exec, Extents const& n, PeronaMalik const& op) {
  std::vector<PlainLoop> loops;
  for (auto const& tile : tilings<Space>(n))
    loops.push_back({"MDRangePolicy, " + text_of(tile), [=](Field const& in, Field const& out) {
                       plain_loop("mri_denoise::plain", exec, 1, n, tile, PlainStep<Field>{in, out, op});
                     }});
  if constexpr (on_host<Space>)
    loops.push_back({"RangePolicy, simd rows", [=](Field const& in, Field const& out) {
                       row_loop("mri_denoise::plain", exec, 1, n, PlainStep<Field>{in, out, op});
                     }});
  return loops;
}

}  // namespace

DiffusionResult diffuse(Volume const& volume, DiffusionSettings const& settings, Progress const& progress) {
  Exec const exec;
  Fields fields(exec, volume);
  auto const op     = perona_malik(volume, settings);
  auto const policy = Koalesce::StencilPolicy(exec, Shape{}, fields.extents()).with_boundary(Koalesce::Neumann());

  std::vector<double> times;
  auto const run = [&](int steps) {
    exec.fence();
    Kokkos::Timer timer;
    Koalesce::parallel_stencil_steps("mri_denoise", policy, fields.now(), fields.next(), steps, op,
                                     Koalesce::every(1, [&](std::int64_t done, Field const&) {
                                       exec.fence();
                                       times.push_back(timer.seconds());
                                       progress(double(done) / settings.steps);
                                       timer.reset();
                                     }));
  };
  run(1);  // warm up
  fields.load(volume);
  times.clear();
  run(settings.steps);
  return {.voxels = fields.voxels(), .seconds = median(times)};
}

DiffusionResult diffuse_plain(Volume const& volume, DiffusionSettings const& settings, Progress const& progress) {
  Exec const exec;
  Fields fields(exec, volume);
  auto const loops = plain_loops(exec, fields.extents(), perona_malik(volume, settings));
  int const trials = 3, all = settings.steps + trials * int(loops.size());
  int done         = 0;
  auto const count = [&] { progress(double(++done) / all); };

  DiffusionResult result;
  PlainLoop best;
  double best_seconds = std::numeric_limits<double>::infinity();
  run_steps(exec, fields, 1, loops.front().step, [] {});  // warm up
  for (auto const& loop : loops) {
    double const seconds = run_steps(exec, fields, trials, loop.step, count);
    if (&loop == &loops.front()) result.default_seconds = seconds;
    if (seconds < best_seconds) {
      best_seconds = seconds;
      best         = loop;
    }
  }
  fields.load(volume);
  result.seconds = std::min(best_seconds, run_steps(exec, fields, settings.steps, best.step, count));
  result.voxels  = fields.voxels();
  result.loop    = best.name;
  return result;
}

}  // namespace examples::mri
