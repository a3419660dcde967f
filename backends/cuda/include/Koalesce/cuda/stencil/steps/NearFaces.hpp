// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_NEAR_FACES_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_NEAR_FACES_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>

#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// What a thread of a fused sweep needs to know of faces beyond which values follow, after every step, from the points
/// next to them: mirrors and slopes. Such faces lie between threads, because tiles begin and end there. In z and x a
/// thread computes what it is about to read, in y what its warp will read, together with the rows that it leaves.
///
/// \tparam Boundary  a StepsBoundary with such dimensions.
/// \tparam Value     the BoundaryValue of the field.
template <class Order, class Boundary, class Value>
struct NearFaces {
  Value const& value;
  Kokkos::Array<int, 3> first;  ///< canonical indices of the first point that the thread computes
  bool edge_z;                  ///< whether it may read beyond a face in z

  KOKKOS_FUNCTION static constexpr bool exist(int c) { return Boundary::is_near(c); }

  /// Whether the thread's first point of canonical dimension c is the interior's first, or its last point the last.
  template <int c>
  __device__ __forceinline__ bool is_first() const {
    return first[c] == 0;
  }
  template <int c, int own>
  __device__ __forceinline__ bool is_last() const {
    return first[c] + own == int(value.extent[Order::user_dim(c)]);
  }

  /// Gives a point its value if it lies beyond a face of canonical dimension c.
  /// \tparam i, own, radius  its place in a line along c, where the thread's own points have the places from 0 on, and
  ///                         how far they read
  /// \param[in] offset       from the thread's first point.
  /// \param[in] line         (integral_constant place) -> the value there.
  template <int c, int i, int own, int radius, class T, class Line>
  __device__ __forceinline__ void fill(T& point, Kokkos::Array<int, 3> const& offset, Line const& line) const {
    int const end = int(value.extent[Order::user_dim(c)]);
    static_for<radius>([&](auto before) KOALESCE_INLINE_LAMBDA {
      constexpr int k = before.value + 1;
      // One of the thread's own points must be inside: else none reads this one.
      if constexpr (i + k < own && (i + k) % own == 0)
        if (T const there = beyond<T, c, i, k, 1, own, radius>(offset, line); first[c] + i == -k) point = there;
      if constexpr (i - k >= 0 && (i - k + 1) % own == 0)
        if (T const there = beyond<T, c, i, k, -1, own, radius>(offset, line); first[c] + i == end - 1 + k)
          point = there;
    });
  }

  /// The k-th point beyond a face, in place i; the outermost one inside lies k places further in direction `inward`.
  template <class T, int c, int i, int k, int inward, int own, int radius, class Line>
  __device__ __forceinline__ T beyond(Kokkos::Array<int, 3> const& offset, Line const& line) const {
    auto const& both = get<Order::user_dim(c)>(value.faces);
    if constexpr (inward > 0) return beyond_face<T, i, k, inward, own, radius>(both.low, offset, line);
    else return beyond_face<T, i, k, inward, own, radius>(both.high, offset, line);
  }

 private:
  template <class T, int i, int k, int inward, int own, int radius, class Face, class Line>
  __device__ __forceinline__ T beyond_face(Face const& face, Kokkos::Array<int, 3> const& offset,
                                           Line const& line) const {
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
  static constexpr bool edge_z = false;

  KOKKOS_FUNCTION static constexpr bool exist(int) { return false; }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
