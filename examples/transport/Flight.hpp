// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_FLIGHT_HPP
#define TRANSPORT_FLIGHT_HPP

#include "Photon.hpp"
#include "Random.hpp"

namespace examples::transport {

/// Absorptions are so many times as frequent as in nature, and take only this part of the weight: less noise.
constexpr float absorptions     = 16;
constexpr int absorption_shift  = 4;
constexpr Weight little         = whole >> 6;  ///< with less, times the importance, it is roulette
constexpr std::uint8_t low_odds = 3;

/// A beam of parallel light.
struct Beam {
  float center[3];  ///< where it enters the grid, mm from its corner
  float direction[3];
  int axis;
  float radius;
};

/// New photons, numbered through the whole run, behind those that are under way.
struct Start {
  Photons photons;
  Beam beam;
  Index to;             ///< in `photons`
  std::uint64_t first;  ///< number
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Photon p{};
    p.id     = mix(mix(seed) + first + std::uint64_t(i));
    p.weight = whole;
    Random random(p.id, p.draws++);
    float const r = beam.radius * Kokkos::sqrt(random()), angle = 6.2831853F * random();
    float const across[2] = {r * Kokkos::cos(angle), r * Kokkos::sin(angle)};
    for (int d = 0, a = 0; d < 3; ++d) {
      p.direction[d] = beam.direction[d];
      p.position[d]  = beam.center[d] + (d == beam.axis ? 0 : across[a++]);
    }
    photons(to + i) = p;
  }
};

/// \brief Flies every photon to where its next event may be, and says which one it is.
///
/// Woodcock's delta tracking: flights are as short as in the densest tissue everywhere, so that no borders of cells
/// have to be looked for; in a thinner tissue some end with no event.
struct Flight {
  Photons photons;
  Kokkos::View<Event*, Exec> next;
  Grid grid;
  bool may_split;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Photon p   = photons(i);
    next(i)    = event(p);
    photons(i) = p;
  }

 private:
  KOKKOS_FUNCTION Event event(Photon& p) const {
    if (p.scatters) return Event::scatter;
    Random random(p.id, p.draws++);
    float const length = p.stays ? 0 : -Kokkos::log(random()) / grid.densest;
    for (int d = 0; d < 3; ++d) p.position[d] += length * p.direction[d];
    p.stays          = false;
    Index const cell = grid.cell(p.position);
    if (cell < 0) return Event::escape;

    Material const& here = grid.material(cell);
    if (must_change(p, here)) {
      p.stays = true;
      return p.odds > 0 ? Event::roulette : Event::split;
    }
    float const pick = random() * grid.densest, absorption = absorptions * here.absorption;
    if (pick <= absorption) return Event::absorb;
    return pick <= absorption + here.scattering ? Event::scatter : Event::pass;
  }

  /// Whether the weight fits neither the importance nor what is worth working on.
  KOKKOS_FUNCTION bool must_change(Photon& p, Material const& here) const {
    p.odds = 0;
    if (here.importance > p.importance) return may_split;
    if (here.importance < p.importance) {
      p.odds       = std::uint8_t(p.importance - here.importance);
      p.importance = std::uint8_t(here.importance);
      return true;
    }
    if (p.weight >= little >> p.importance) return false;
    p.odds = low_odds;
    return true;
  }
};

}  // namespace examples::transport

#endif
