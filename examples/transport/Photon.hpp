// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_PHOTON_HPP
#define TRANSPORT_PHOTON_HPP

#include "Materials.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace examples::transport {

using Exec  = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;

/// \brief Statistical weight, in units of 2^-32 of what a photon starts with.
///
/// Integers: sums do not depend on their order, so runs can be compared bit by bit, and nothing is lost by rounding.
using Weight           = std::uint64_t;
constexpr Weight whole = Weight(1) << 32;

/// What happens to a photon at the end of a flight.
enum class Event : std::uint8_t {
  pass,      ///< nothing: the flight was as long as in the densest tissue, and ended in a thinner one
  scatter,   ///< a new direction
  absorb,    ///< part of the weight stays here; the rest is scattered
  split,     ///< two photons of half the weight, because it has more than photons need here
  roulette,  ///< it is lost, or goes on with a multiple of its weight, because it has little
  escape     ///< it is outside
};
constexpr int events = 6;

constexpr char const* event_names[events]{"pass", "scatter", "absorb", "split", "roulette", "escape"};

struct Photon {
  float position[3];   ///< mm from the grid's corner
  float direction[3];  ///< of length 1
  Weight weight;
  std::uint64_t id;
  std::uint32_t draws;  ///< events for which it drew random numbers
};

/// What the head looks like to kernels.
struct Grid {
  Kokkos::View<std::uint8_t const*, Exec> tissue;
  Kokkos::View<Material const*, Exec> materials;
  float cells_per_mm[3];
  Index size[3];
  float densest;  ///< absorption and scattering, events a mm

  /// The number of the cell, or -1 outside.
  KOKKOS_FUNCTION Index cell(float const (&position)[3]) const {
    Index number = 0;
    for (int d = 2; d >= 0; --d) {
      float const at = position[d] * cells_per_mm[d];
      if (!(at >= 0 && at < float(size[d]))) return -1;
      number = number * size[d] + Index(at);
    }
    return number;
  }
  KOKKOS_FUNCTION Material const& material(Index cell) const { return materials(tissue(cell)); }
};

/// What histories did, but for what they absorbed: that is the dose.
struct Tally {
  std::int64_t count[events] = {};
  std::int64_t unsplit       = 0;  ///< splits that were left out, because there was no room for the second half
  Weight escaped             = 0;
  std::int64_t lost          = 0;  ///< by roulette, less what it won

  KOKKOS_FUNCTION Tally& operator+=(Tally const& other) {
    for (int e = 0; e < events; ++e) count[e] += other.count[e];
    unsplit += other.unsplit;
    escaped += other.escaped;
    lost += other.lost;
    return *this;
  }
};

}  // namespace examples::transport

template <>
struct Kokkos::reduction_identity<examples::transport::Tally> {
  KOKKOS_FUNCTION static examples::transport::Tally sum() { return {}; }
};

#endif
