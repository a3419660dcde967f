// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_EVENTS_HPP
#define TRANSPORT_EVENTS_HPP

#include "Flight.hpp"
#include "Photon.hpp"
#include "Random.hpp"

/// A functor an event: what parallel_regroup_reduce calls for the photons that have it next.
namespace examples::transport {

KOKKOS_INLINE_FUNCTION void count(Event event, Tally& tally) { ++tally.count[int(event)]; }

struct Pass {
  KOKKOS_FUNCTION void operator()(Index, Photon&, Tally& tally) const { count(Event::pass, tally); }
};

/// A new direction, by the distribution of L. Henyey and J. Greenstein (Astrophysical Journal 93 (1941) 70-83).
struct Scatter {
  Grid grid;

  KOKKOS_FUNCTION void operator()(Index, Photon& p, Tally& tally) const {
    count(Event::scatter, tally);
    p.scatters = false;
    Random random(p.id, p.draws++);
    float const g = grid.material(grid.cell(p.position)).forward;
    float const s = (1 - g * g) / (1 - g + 2 * g * random());
    float const c = g == 0 ? 2 * random() - 1 : (1 + g * g - s * s) / (2 * g);
    turn(p.direction, Kokkos::fmax(-1.F, Kokkos::fmin(1.F, c)), 6.2831853F * random());
  }

 private:
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

/// Part of the weight stays in the cell; then what is left is scattered.
struct Absorb {
  Grid grid;
  Kokkos::View<Weight*, Exec> dose;

  KOKKOS_FUNCTION void operator()(Index, Photon& p, Tally& tally) const {
    count(Event::absorb, tally);
    Weight const part = p.weight >> absorption_shift;
    Kokkos::atomic_add(&dose(grid.cell(p.position)), part);
    p.weight -= part;
    p.scatters = true;
    tally.absorbed += part;
  }
};

/// The second half is item i's, too, so that where it goes depends on no order.
struct Split {
  Photons born;

  KOKKOS_FUNCTION void operator()(Index i, Photon& p, Tally& tally) const {
    count(Event::split, tally);
    ++p.importance;
    Photon half = p;
    half.weight = p.weight / 2;
    half.id     = mix(p.id ^ mix(~std::uint64_t(p.draws)));
    half.draws  = 0;
    p.weight -= half.weight;
    born(i) = half;
    ++tally.born;
  }
};

struct Roulette {
  KOKKOS_FUNCTION void operator()(Index, Photon& p, Tally& tally) const {
    count(Event::roulette, tally);
    Weight const before = p.weight;
    bool const survives = Random(p.id, p.draws++)() * float(1 << p.odds) <= 1;
    p.weight            = survives ? before << p.odds : 0;
    if (survives) tally.won += p.weight - before;
    else tally.lost += before;
    if (!survives) ++tally.gone;
  }
};

struct Escape {
  KOKKOS_FUNCTION void operator()(Index, Photon& p, Tally& tally) const {
    count(Event::escape, tally);
    tally.escaped += p.weight;
    p.weight = 0;
    ++tally.gone;
  }
};

/// The same loop in plain Kokkos: a switch.
struct PlainStep {
  Photons photons;
  Kokkos::View<Event const*, Exec> next;
  Pass pass;
  Scatter scatter;
  Absorb absorb;
  Split split;
  Roulette roulette;
  Escape escape;

  KOKKOS_FUNCTION void operator()(Index i, Tally& tally) const {
    Photon& p = photons(i);
    switch (next(i)) {
      case Event::pass: pass(i, p, tally); break;
      case Event::scatter: scatter(i, p, tally); break;
      case Event::absorb: absorb(i, p, tally); break;
      case Event::split: split(i, p, tally); break;
      case Event::roulette: roulette(i, p, tally); break;
      case Event::escape: escape(i, p, tally); break;
    }
  }
};

/// What parallel_regroup_reduce asks.
struct NextEvent {
  Kokkos::View<Event const*, Exec> next;

  KOKKOS_FUNCTION Event operator()(Index i) const { return next(i); }
};

/// Those that are left, with the second halves behind the first ones, in the order they had.
struct Gather {
  Photons from, born, to;
  Kokkos::View<Event const*, Exec> next;

  KOKKOS_FUNCTION void operator()(Index i, Index& at, bool final) const {
    if (from(i).weight == 0) return;
    if (final) to(at) = from(i);
    ++at;
    if (next(i) != Event::split) return;
    if (final) to(at) = born(i);
    ++at;
  }
};

}  // namespace examples::transport

#endif
