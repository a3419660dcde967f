// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_NEAR_FACES_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_NEAR_FACES_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>

#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// What a thread of a fused sweep needs to know of faces beyond which values follow, after every step, from the points
/// next to them: mirrors and slopes. It computes them for what it is about to read.
/// \tparam Boundary  a StepsBoundary with such dimensions.
/// \tparam Value     the BoundaryValue of the field.
template <class Order, class Boundary, class Value>
struct NearFaces {
  Value const& value;
  Kokkos::Array<int, 3> first;  ///< canonical indices of the first point that the thread computes
  bool edge_z, edge_y;          ///< whether its warp may read beyond a face in z, and in y

  KOKKOS_FUNCTION static constexpr bool exist(int c) { return Boundary::is_near(c); }

  /// Gives a point its value if it lies beyond a face of canonical dimension c.
  /// \tparam i, own, radius  its place in a line along c, where the thread's own points have the places from 0 on, and
  ///                         how far they read
  /// \param[in] offset       from the thread's first point.
  /// \param[in] line         (integral_constant place) -> the value there.
  template <int c, int i, int own, int radius, class T, class Line>
  __device__ __forceinline__ void fill(T& point, Kokkos::Array<int, 3> const& offset, Line const& line) const {
    auto const& both = get<Order::user_dim(c)>(value.faces);
    int const end    = int(value.extent[Order::user_dim(c)]);
    static_for<radius>([&](auto before) KOALESCE_INLINE_LAMBDA {
      constexpr int k = before.value + 1;
      // One of the thread's own points must be inside: else none reads this one. (In x the interior
      // begins with a thread's first.)
      if constexpr (i + k < own && (c != 2 || (i + k) % own == 0))
        if (T const there = beyond<T, i, k, 1, own, radius>(both.low, offset, line); first[c] + i == -k) point = there;
      if constexpr (i - k >= 0)
        if (T const there = beyond<T, i, k, -1, own, radius>(both.high, offset, line); first[c] + i == end - 1 + k)
          point = there;
    });
  }

 private:
  /// The k-th point beyond a face; the outermost one inside lies k places further in direction `inward`.
  template <class T, int i, int k, int inward, int own, int radius, class Face, class Line>
  __device__ __forceinline__ T beyond(Face const& face, Kokkos::Array<int, 3> const& offset, Line const& line) const {
    auto const point = user_index<Order>(first[0] + offset[0], first[1] + offset[1], first[2] + offset[2]);
    return value_beyond<T>(face, point, value.extent, k, 0, [&](std::int64_t wanted) KOALESCE_INLINE_LAMBDA {
      // Registers have no indices.
      T found = line(std::integral_constant<int, i + inward * k>());
      static_for<radius>([&](auto before) KOALESCE_INLINE_LAMBDA {
        constexpr int place = i + inward * (k + before.value + 1);
        if constexpr (place >= -radius && place < own + radius)
          if (wanted == before.value + 1) found = line(std::integral_constant<int, place>());
      });
      return found;
    });
  }
};

/// The same of boundaries that have none.
struct NoNearFaces {
  static constexpr bool edge_z = false, edge_y = false;

  KOKKOS_FUNCTION static constexpr bool exist(int) { return false; }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
