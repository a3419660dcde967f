// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_HALO_HPP
#define KOALESCE_STENCIL_HALO_HPP

#include <Koalesce/stencil/Boundary.hpp>
#include <Koalesce/stencil/impl/boundary/FillHalo.hpp>

namespace Koalesce {

/// Interior points per dimension of a View, as fill_halo takes them; nested, so that braces do.
template <class View>
struct HaloExtents {
  using type = Kokkos::Array<std::int64_t, View::rank()>;  ///< one per dimension
};

/// \brief Fills the halo of a field, the points that parallel_stencil reads but does not write.
///
/// As for parallel_stencil, the field has n + 2h points in a dimension with n interior points. The halo's width h
/// follows from the two; it may be 0 in some dimensions, but not in all. Interior points are only read. Without
/// interior points nothing is done.
///
/// Edges and corners hold what they would if dimensions were filled one after the other, the first index first, each
/// including the halos of those before it: the condition of the last of their dimensions, applied to what the
/// conditions of earlier dimensions give.
///
/// Asynchronous: one kernel, "Koalesce::fill_halo", runs on the instance given.
///
///     fill_halo(exec, u, {nz, ny, nx}, Periodic());
///     fill_halo(exec, u, {nz, ny, nx}, Periodic(), Mirror(), sides(Dirichlet(1.), Neumann(0.5)));
///
/// \param[in] space      the instance that the kernel runs on.
/// \param[in,out] field  a View of rank 1 to 3, of any layout.
/// \param[in] extents    number of interior points per dimension, in the order of the View's indices.
/// \param[in] conditions what lies beyond the faces: one condition for all dimensions, or one per dimension. A period
///                       may be shorter than the halo, down to one point.
/// \throws Error before anything runs: extents that do not match or leave no halo in any dimension; a field whose
///         elements share memory; a dimension that is periodic on one side only; a mirror or an extrapolation that
///         needs more interior points, or an extrapolation whose order is not 0 to 2; a View of a face with other
///         extents, or with halo points of the field; a field or such a View without memory or out of the execution
///         space's reach.
template <class Exec, class View, class... Conditions>
void fill_halo(Exec const& space, View const& field, typename HaloExtents<View>::type const& extents,
               Conditions const&... conditions) {
  static_assert(Kokkos::is_view_v<View>,
                "Koalesce::fill_halo: the field must be a Kokkos View; of a list of Views, fill the halo of each");
  static_assert(!std::is_const_v<typename View::value_type>,
                "Koalesce::fill_halo: the field is const, so its halo cannot be written; give a View of elements that "
                "are not const");
  constexpr int rank  = View::rank();
  constexpr bool fits = rank >= 1 && rank <= 3;
  static_assert(fits, "Koalesce::fill_halo: the field must have one, two or three dimensions");
  if constexpr (fits && Kokkos::is_view_v<View>) {
    if constexpr (Impl::check_conditions<typename View::non_const_value_type, rank, Conditions...>()) {
      auto const all_sides = Impl::sides_per_dimension<rank>(conditions...);
      Impl::check_halo<Exec>(field, extents, all_sides);
      Impl::run_fill_halo(space, field, extents, all_sides);
    }
  }
}

}  // namespace Koalesce

#endif
