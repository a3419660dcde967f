// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_DIFFUSION_HPP
#define MRI_DENOISE_DIFFUSION_HPP

#include <Koalesce/Stencil.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace examples::mri {

/// The stencil: a point and its 26 neighbors.
using Shape = Koalesce::Box<1, 1, 1>;

/// \brief One explicit step of edge-preserving diffusion.
///
/// P. Perona, J. Malik: "Scale-space and edge detection using anisotropic diffusion", IEEE Transactions on Pattern
/// Analysis and Machine Intelligence 12 (1990) 629-639, in three dimensions and with all 26 neighbors:
///
///     u  <-  u + step * sum over neighbors of  weight * g(d) * d,     d = u_neighbor - u,
///     g(d) = 1 / (1 + (d / K)^2)
///
/// Differences well below K are evened out, those well above it (edges) are left alone. The weights fall with the
/// squared distance to the neighbor and add up to one, so for 0 < step <= 1 the new value is an average of the old
/// ones: nothing grows, the scheme is stable. g is 1 at most, and this one of the two that the authors suggest needs
/// no exponential function, which lets compilers vectorize it.
struct PeronaMalik {
  float weight[2][2][2];  ///< by |dz|, |dy|, |dx|
  float inverse_k2;       ///< 1 / K^2
  float step;

  /// \param[in] dz,dy,dx distances of neighboring points, in any unit of length.
  PeronaMalik(double dz, double dy, double dx, double k, double step_)
      : inverse_k2(float(std::min(1 / (k * k), double(std::numeric_limits<float>::max())))), step(float(step_)) {
    double sum = 0, w[8] = {};
    for (int i = 1; i < 8; ++i) {
      int const z = i >> 2 & 1, y = i >> 1 & 1, x = i & 1;
      w[i] = 1 / (z * dz * dz + y * dy * dy + x * dx * dx);
      sum += w[i] * (1 << (z + y + x));  // so many neighbors have this distance
    }
    for (int i = 0; i < 8; ++i) weight[i >> 2 & 1][i >> 1 & 1][i & 1] = float(w[i] / sum);
  }

  /// What comes from a neighbor. Not a lambda: a loop with calls that are not inlined does not vectorize.
  template <class Values>
  struct Flow {
    Values const& u;
    float center, inverse_k2;

    KOKKOS_FORCEINLINE_FUNCTION float operator()(int z, int y, int x) const {
      float const d = u(z, y, x) - center;
      return d * (1 / (1 + d * d * inverse_k2));  // divisions of zeros, where nothing differs, are slow on GPUs
    }
  };

  /// \param[in] u u(dz, dy, dx) is the value at these offsets from the point.
  template <class Values>
  KOKKOS_FORCEINLINE_FUNCTION float next(Values const& u) const {
    float const center = u(0, 0, 0);
    Flow<Values> const flow{u, center, inverse_k2};

    // Written out: compilers vectorize this, and not loops over the neighbors.
    float const z   = flow(-1, 0, 0) + flow(1, 0, 0);
    float const y   = flow(0, -1, 0) + flow(0, 1, 0);
    float const x   = flow(0, 0, -1) + flow(0, 0, 1);
    float const zy  = flow(-1, -1, 0) + flow(-1, 1, 0) + flow(1, -1, 0) + flow(1, 1, 0);
    float const zx  = flow(-1, 0, -1) + flow(-1, 0, 1) + flow(1, 0, -1) + flow(1, 0, 1);
    float const yx  = flow(0, -1, -1) + flow(0, -1, 1) + flow(0, 1, -1) + flow(0, 1, 1);
    float const zyx = flow(-1, -1, -1) + flow(-1, -1, 1) + flow(-1, 1, -1) + flow(-1, 1, 1) +  //
                      flow(1, -1, -1) + flow(1, -1, 1) + flow(1, 1, -1) + flow(1, 1, 1);

    return center + step * (weight[1][0][0] * z + weight[0][1][0] * y + weight[0][0][1] * x + weight[1][1][0] * zy +
                            weight[1][0][1] * zx + weight[0][1][1] * yx + weight[1][1][1] * zyx);
  }

  /// What parallel_stencil_steps calls.
  KOKKOS_FUNCTION float operator()(Koalesce::Neighborhood<float, Shape> const& u, std::int64_t, std::int64_t,
                                   std::int64_t) const {
    return next(u);
  }
};

/// The same step for Kokkos' own policies, without Koalesce.
template <class Field>
struct PlainStep {
  struct Values {
    Field const& in;
    int z, y, x;

    KOKKOS_FORCEINLINE_FUNCTION float operator()(int dz, int dy, int dx) const { return in(z + dz, y + dy, x + dx); }
  };

  Field in, out;
  PeronaMalik op;

  /// z, y, x: indices of the fields, which start at 1 inside the halo.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int z, int y, int x) const {
    out(z, y, x) = op.next(Values{in, z, y, x});
  }
};

}  // namespace examples::mri

#endif
