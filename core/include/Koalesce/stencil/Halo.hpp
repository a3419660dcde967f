// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_HALO_HPP
#define KOALESCE_STENCIL_HALO_HPP

#include <Koalesce/stencil/HaloConditions.hpp>
#include <Koalesce/stencil/impl/FillHalo.hpp>

namespace Koalesce {

/// The types that fill_halo takes for a View; nested, so that none of them is deduced and braces do.
template <class View>
struct HaloConditionsOf {
  using Extents = Kokkos::Array<std::int64_t, View::rank()>;  ///< interior points per dimension
  /// For the View's element type and rank.
  using Conditions = HaloConditions<typename View::non_const_value_type, int(View::rank())>;
};

/// \brief Fills the halo of a field, the points that parallel_stencil reads but does not write.
///
/// As for parallel_stencil, the field has n + 2h points in a dimension with n interior points. The halo's width h
/// follows from the two; it may be 0 in some dimensions, but not in all. Interior points are only read. Without
/// interior points nothing is done.
///
/// Dimensions are filled one after the other, the first index first, each including the halos of those before it. So
/// edges and corners get the condition of the last of their dimensions, applied to what earlier dimensions wrote.
///
/// Asynchronous: kernels "Koalesce::fill_halo", one per dimension that has a halo, run on the instance given.
///
///     fill_halo(exec, u, {nz, ny, nx}, Periodic());
///     fill_halo(exec, u, {nz, ny, nx}, {Periodic(), Neumann(), {Dirichlet(1.), Dirichlet(0.)}});
///
/// \param[in] space      the instance that the kernels run on.
/// \param[in,out] field  a View of rank 1 to 3, of any layout.
/// \param[in] extents    number of interior points per dimension, in the order of the View's indices.
/// \param[in] conditions what the halo holds. A period may be shorter than the halo, down to one point.
/// \throws Error before anything runs: extents that do not match or leave no halo in any dimension, a dimension that is
///         periodic on one side only, a field without memory or out of the execution space's reach.
template <class Exec, class View>
void fill_halo(Exec const& space, View const& field, typename HaloConditionsOf<View>::Extents const& extents,
               typename HaloConditionsOf<View>::Conditions const& conditions) {
  static_assert(!std::is_const_v<typename View::value_type>,
                "Koalesce::fill_halo: the field is const, so its halo cannot be written; give a View of elements that "
                "are not const");
  Impl::check_halo<Exec>(field, extents, conditions);
  Impl::run_fill_halo(space, field, extents, conditions);
}

}  // namespace Koalesce

#endif
