// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_HISTORY_HPP
#define TRANSPORT_HISTORY_HPP

#include "Photon.hpp"
#include "Random.hpp"

/// The functors of parallel_regroup_until_reduce: a history begins, flies on, and ends.
namespace examples::transport {

/// Absorptions are so many times as frequent as in nature, and take only this part of the weight: less noise.
constexpr float absorptions    = 16;
constexpr int absorption_shift = 4;

/// \brief The weight window of a tissue: photons above it are split, photons below play roulette.
///
/// Much wider than the factor between two tissues' windows, so that who flies to and fro between them pays once.
KOKKOS_INLINE_FUNCTION Weight highest(Material const& here) { return whole >> here.importance; }
constexpr int window = 2;  ///< powers of two below the highest weight; who survives roulette wins as many

/// A beam of parallel light.
struct Beam {
  float center[3];  ///< where it enters the grid, mm from its corner
  float direction[3];
  int axis;
  float radius;
};

/// A photon that the beam sent, and those that it is split into, one after the other.
struct History {
  static constexpr int room = 16;  ///< for second halves: with none left, a photon is not split

  Photon photon;
  Photon later[room];
  int waiting;  ///< of these
  bool stays;   ///< the next flight has the length 0: what happens where it ended is still due
  std::uint32_t count[events];
  std::uint32_t unsplit;
  Weight escaped;
  std::int64_t lost;
};

/// Photons are numbered through the whole run.
struct Begin {
  Beam beam;
  std::uint64_t first;  ///< number
  std::uint64_t seed;

  KOKKOS_FUNCTION History operator()(Index i) const {
    History h;
    h.waiting = 0;
    h.stays   = false;
    for (auto& count : h.count) count = 0;
    h.unsplit = 0;
    h.escaped = 0;
    h.lost    = 0;

    Photon& p = h.photon;
    p.id      = mix(mix(seed) + first + std::uint64_t(i));
    p.weight  = whole;
    p.draws   = 0;
    Random random(p.id, p.draws++);
    float const r = beam.radius * Kokkos::sqrt(random()), angle = 6.2831853F * random();
    float const across[2] = {r * Kokkos::cos(angle), r * Kokkos::sin(angle)};
    for (int d = 0, a = 0; d < 3; ++d) {
      p.direction[d] = beam.direction[d];
      p.position[d]  = beam.center[d] + (d == beam.axis ? 0 : across[a++]);
    }
    return h;
  }
};

/// \brief A flight to where the next event may be, and this event.
///
/// Woodcock's delta tracking: flights are as short as in the densest tissue everywhere, so that no borders of cells
/// have to be looked for; in a thinner tissue some end with no event.
struct Fly {
  Grid grid;
  Kokkos::View<Weight*, Exec> dose;

  KOKKOS_FUNCTION bool operator()(Index, History& h) const {
    Photon& p = h.photon;
    Random random(p.id, p.draws++);
    float const length = h.stays ? 0 : -Kokkos::log(random()) / grid.densest;
    h.stays            = false;
    for (int d = 0; d < 3; ++d) p.position[d] += length * p.direction[d];
    Index const cell = grid.cell(p.position);
    if (cell < 0) {
      count(h, Event::escape);
      h.escaped += p.weight;
      return was_last(h);
    }
    Material const& here = grid.material(cell);
    if (p.weight < highest(here) >> window) {
      h.stays = true;
      return !survives(h) && was_last(h);
    }
    if (p.weight > highest(here)) {
      if (h.waiting < History::room) {
        h.stays = true;
        split(h);
        return false;
      }
      ++h.unsplit;
    }
    float const pick = random() * grid.densest, absorption = absorptions * here.absorption;
    if (pick > absorption + here.scattering) {
      count(h, Event::pass);
      return false;
    }
    if (pick <= absorption) {
      count(h, Event::absorb);
      Weight const part = p.weight >> absorption_shift;
      Kokkos::atomic_add(&dose(cell), part);
      p.weight -= part;
    }
    count(h, Event::scatter);
    scatter(p, here.forward);
    return false;
  }

 private:
  KOKKOS_FUNCTION static void count(History& h, Event event) { ++h.count[int(event)]; }

  /// Goes on with a second half, if there is one.
  KOKKOS_FUNCTION static bool was_last(History& h) {
    if (h.waiting == 0) return true;
    --h.waiting;
    h.photon = h.later[h.waiting];
    h.stays  = true;
    return false;
  }

  KOKKOS_FUNCTION static bool survives(History& h) {
    count(h, Event::roulette);
    Photon& p           = h.photon;
    Weight const before = p.weight;
    bool const survives = Random(p.id, p.draws++)() * float(1 << window) <= 1;
    if (survives) p.weight = before << window;
    h.lost += survives ? std::int64_t(before) - std::int64_t(p.weight) : std::int64_t(before);
    return survives;
  }

  KOKKOS_FUNCTION static void split(History& h) {
    count(h, Event::split);
    Photon& p   = h.photon;
    Photon half = p;
    half.weight = p.weight / 2;
    half.id     = mix(p.id ^ mix(~std::uint64_t(p.draws)));
    half.draws  = 0;
    p.weight -= half.weight;
    h.later[h.waiting] = half;
    ++h.waiting;
  }

  /// A new direction, by the distribution of L. Henyey and J. Greenstein (Astrophysical Journal 93 (1941) 70-83).
  KOKKOS_FUNCTION static void scatter(Photon& p, float g) {
    Random random(p.id, p.draws++);
    float const s = (1 - g * g) / (1 - g + 2 * g * random());
    float const c = g == 0 ? 2 * random() - 1 : (1 + g * g - s * s) / (2 * g);
    turn(p.direction, Kokkos::fmax(-1.F, Kokkos::fmin(1.F, c)), 6.2831853F * random());
  }

  /// By an angle, given by its cosine, to any side.
  KOKKOS_FUNCTION static void turn(float (&u)[3], float cosine, float side) {
    float const sine = Kokkos::sqrt(1 - cosine * cosine);
    float const a = sine * Kokkos::cos(side), b = sine * Kokkos::sin(side);
    // Two vectors across u: T. Duff et al., Journal of Computer Graphics Techniques 6 (2017) 1-8.
    float const sign = u[2] < 0 ? -1.F : 1.F;
    float const h    = -1 / (sign + u[2]);
    float const k    = u[0] * u[1] * h;
    float const v[3]{1 + sign * u[0] * u[0] * h, sign * k, -sign * u[0]};
    float const w[3]{k, sign + u[1] * u[1] * h, -u[1]};
    float square = 0;
    for (int d = 0; d < 3; ++d) {
      u[d] = cosine * u[d] + a * v[d] + b * w[d];
      square += u[d] * u[d];
    }
    float const scale = 1 / Kokkos::sqrt(square);
    for (int d = 0; d < 3; ++d) u[d] *= scale;
  }
};

/// Adds up what a history did.
struct End {
  KOKKOS_FUNCTION void operator()(Index, History const& h, Tally& tally) const {
    for (int e = 0; e < events; ++e) tally.count[e] += h.count[e];
    tally.unsplit += h.unsplit;
    tally.escaped += h.escaped;
    tally.lost += h.lost;
  }
};

/// The same histories in plain Kokkos.
struct Plain {
  Begin begin;
  Fly fly;
  End end;

  KOKKOS_FUNCTION void operator()(Index i, Tally& tally) const {
    History h = begin(i);
    while (!fly(i, h)) continue;
    end(i, h, tally);
  }
};

}  // namespace examples::transport

#endif
