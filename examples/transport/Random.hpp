// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_RANDOM_HPP
#define TRANSPORT_RANDOM_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace examples::transport {

/// Scatters the bits of a number: the finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// \brief Random numbers that depend on who draws them and for which event, not on when: a photon's history is the same
/// in whatever order photons are worked on.
class Random {
 public:
  KOKKOS_FUNCTION Random(std::uint64_t photon, std::uint32_t event) : m_state(mix(photon + mix(event))) {}

  /// Greater than 0, at most 1.
  KOKKOS_FUNCTION float operator()() {
    m_state = mix(m_state);
    return (float(m_state >> 40) + 1) * 0x1p-24F;
  }

 private:
  std::uint64_t m_state;
};

}  // namespace examples::transport

#endif
