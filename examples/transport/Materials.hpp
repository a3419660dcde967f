// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_MATERIALS_HPP
#define TRANSPORT_MATERIALS_HPP

#include <array>
#include <cstdint>

namespace examples::transport {

/// What a cell is made of.
enum class Tissue : std::uint8_t { air, csf, grey, white, bone, scalp };
constexpr int tissues = 6;

/// How light goes through a tissue.
struct Material {
  char const* name;
  float absorption;  ///< events a mm
  float scattering;
  float forward;   ///< mean cosine of the angle by which light is scattered
  int importance;  ///< photons here weigh at most 2^-importance of what they started with
};

/// \brief Near-infrared light of about 800 nm.
///
/// Made up, of the size that is published for heads: absorption, and scattering times (1 - forward), which is what
/// counts deep inside; less scattering in white matter than in nature. The published `forward` of 0.9 gives much the
/// same picture with four times the events. The index of refraction is 1 everywhere. Air has no events.
constexpr std::array<Material, tissues> materials{{{"air", 0, 0, 0, 0},
                                                   {"CSF", 0.010F, 0.25F, 0.6F, 1},
                                                   {"grey matter", 0.030F, 2.75F, 0.6F, 1},
                                                   {"white matter", 0.016F, 3.00F, 0.6F, 2},
                                                   {"bone", 0.015F, 2.25F, 0.6F, 0},
                                                   {"scalp", 0.018F, 2.00F, 0.6F, 0}}};

}  // namespace examples::transport

#endif
