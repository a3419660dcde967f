// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_FUNCTORS_HPP
#define KOALESCE_PERF_STENCIL_FUNCTORS_HPP

#include <Koalesce/Stencil.hpp>

/// Functors that are measured for single sweeps and for time steps.
namespace perf {

using WaveShape = Koalesce::Star<4, 4, 4>;

/// One time step of the acoustic wave equation, eighth order in space: next = 2 u - previous + speed * laplacian(u).
template <class T>
struct Wave {
  static constexpr int point_inputs = 2;
  static constexpr int flops        = 2 + 4 * 7 + 4;

  /// Of the second derivative, eighth order.
  T center = T(-3 * 205. / 72), weight[4] = {T(8. / 5), T(-1. / 5), T(8. / 315), T(-1. / 560)};

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION T next(U const& u, T previous, T speed) const {
    T laplacian = center * u();
    Koalesce::Impl::static_for<4>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int d = i.value + 1;
      laplacian += weight[i.value] * (u(-d, 0, 0) + u(d, 0, 0) + u(0, -d, 0) + u(0, d, 0) + u(0, 0, -d) + u(0, 0, d));
    });
    return 2 * u() - previous + speed * laplacian;
  }

  template <class U, class Previous, class Speed, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, Previous const& previous, Speed const& speed, Index...) const {
    return next(u, previous(), speed());
  }
};

/// The same as parallel_stencil calls it.
template <class T>
struct FieldsWave {
  Wave<T> wave;

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, T previous, T speed, Index...) const {
    return wave.next(u, previous, speed);
  }
};

/// Edge-preserving diffusion with all 26 neighbors (P. Perona, J. Malik: "Scale-space and edge detection using
/// anisotropic diffusion", 1990): a division a neighbor.
struct PeronaMalik {
  static constexpr char const* name = "perona_malik";
  static constexpr int flops        = 26 * 7 + 2;
  using value_type                  = float;
  using Shape                       = Koalesce::Box<1, 1, 1>;

  float inverse_k2 = 4, step = 0.03f;

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION float operator()(U const& u, Index...) const {
    float const center = u(0, 0, 0);
    float sum          = 0;
    Koalesce::Impl::static_for<27>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int k = decltype(i)::value, dz = k / 9 - 1, dy = k / 3 % 3 - 1, dx = k % 3 - 1;
      if constexpr (k != 13) {
        float const d = u(dz, dy, dx) - center;
        sum += d * (1 / (1 + d * d * inverse_k2));
      }
    });
    return center + step * sum;
  }
};

}  // namespace perf

#endif
