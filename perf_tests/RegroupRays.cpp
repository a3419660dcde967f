// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rays through a volume that end early: regroup/until/rays_<volume>/<kind>/<impl>, implementations as in
// RegroupUntil.cpp. Volumes: the 8-bit NIfTI file that the environment variable KOALESCE_PERF_VOLUME names (head), or
// the phantom of Shepp and Logan. Kinds: camera, a picture with light and shade from front to back, until what lies
// behind is hidden; scattered, rays in random directions from what the camera sees.
//
// M. Levoy, "Efficient ray tracing of volume data", ACM Trans. Graph. 9 (1990) 245.

#include <cstdint>
#include <string>

#include "Regroup.hpp"
#include "RegroupUntilCases.hpp"
#include "RegroupVolume.hpp"

namespace perf::regroup {
namespace {

struct Point {
  float x, y, z;
};

/// A volume that light passes.
struct Medium {
  Voxels voxels;

  KOKKOS_FORCEINLINE_FUNCTION bool contains(Point const& p) const {
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < float(voxels.extent_int(2) - 1) &&
           p.y < float(voxels.extent_int(1) - 1) && p.z < float(voxels.extent_int(0) - 1);
  }

  /// Of a place in the volume, linear between voxels.
  KOKKOS_FORCEINLINE_FUNCTION float density(Point const& p) const {
    int const i = int(p.x), j = int(p.y), k = int(p.z);
    float const u = p.x - float(i), v = p.y - float(j), w = p.z - float(k);
    auto const row   = [&](int z, int y) { return voxels(z, y, i) + u * (voxels(z, y, i + 1) - voxels(z, y, i)); };
    float const near = row(k, j) + v * (row(k, j + 1) - row(k, j));
    float const far  = row(k + 1, j) + v * (row(k + 1, j + 1) - row(k + 1, j));
    return near + w * (far - near);
  }
};

enum class Kind { camera, scattered };

/// Rays, a step of half a voxel at a time.
struct Rays {
  static constexpr int width = on_host ? 192 : 2048;

  struct State {
    Point at, step;
    float light, passes;
  };

  Medium medium;
  Kokkos::View<double*, Exec> light;  // of each ray
  Kokkos::View<Point*, Exec> start;   // of scattered rays; empty: the camera's

  KOKKOS_FUNCTION State init(Index r) const {
    Point at{}, step{};
    if (start.extent(0) > 0) {
      float const z = float(2 * random_at(r, 80) - 1), turn = float(6.2831853 * random_at(r, 81));
      float const across = 0.5F * Kokkos::sqrt(1 - z * z);
      at                 = start(r);
      step               = {across * Kokkos::cos(turn), across * Kokkos::sin(turn), 0.5F * z};
    } else {
      // From above, parallel rays at a slant; a ray begins where it enters the volume's box.
      float const nx = float(medium.voxels.extent_int(2) - 1), ny = float(medium.voxels.extent_int(1) - 1);
      step = {0.1F, 0.2F, -0.4472136F};
      at   = {nx * (float(r % width) + 0.5F) / width, ny * (float(r / width) + 0.5F) / width,
              float(medium.voxels.extent_int(0) - 1) - 0.001F};
    }
    return {at, step, 0, 1};
  }

  KOKKOS_FUNCTION bool step(Index, State& s) const {
    if (!medium.contains(s.at)) return true;
    float const density = medium.density(s.at), opaque = 0.25F * density * density * (3 - 2 * density);
    s.light += s.passes * opaque * density;
    s.passes *= 1 - opaque;
    s.at = {s.at.x + s.step.x, s.at.y + s.step.y, s.at.z + s.step.z};
    return s.passes < 0.02F;
  }

  KOKKOS_FUNCTION void finish(Index r, State const& s) const { light(r) = s.light; }
};

/// Where the camera's rays have lost half of their light; outside, if they have not.
struct FindSurface {
  Rays rays;
  Kokkos::View<Point*, Exec> surface;

  KOKKOS_FUNCTION void operator()(Index i) const {
    auto state = rays.init(i);
    while (state.passes > 0.5F && !rays.step(i, state)) continue;
    surface(i) = state.at;
  }
};

struct CountSteps {
  Rays rays;

  KOKKOS_FUNCTION void operator()(Index i, double& steps) const {
    auto state = rays.init(i);
    do ++steps;
    while (!rays.step(i, state));
  }
};

void add_rays(Kind kind) {
  auto const name = std::string(volume_file() ? "rays_head" : "rays_phantom");
  add_distribution(name + (kind == Kind::camera ? "/camera" : "/scattered"), 40, false, [=] {
    Index const items = Index(Rays::width) * Rays::width;
    Kokkos::View<double*, Exec> const light("light", std::size_t(items));
    Rays rays{Medium{make_volume()}, light, {}};
    if (kind == Kind::scattered) {
      Kokkos::View<Point*, Exec> const surface("surface", std::size_t(items));
      Kokkos::parallel_for("surface", Range(0, items), FindSurface{rays, surface});
      rays.start = surface;
    }
    double steps = 0;
    Kokkos::parallel_reduce("steps", Range(0, items), CountSteps{rays}, steps);
    return Case<Rays>{items, rays, rays, light, steps};
  });
}

}  // namespace

void add_until_rays() {
  add_rays(Kind::camera);
  add_rays(Kind::scattered);
}

}  // namespace perf::regroup
