// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_HALO_HPP
#define KOALESCE_STENCIL_HALO_HPP

#include <Koalesce/stencil/impl/FillHalo.hpp>

namespace Koalesce {

/// \brief Halo points hold the value of the interior point that lies a whole number of periods away.
struct Periodic {};

/// \brief Halo points hold the value of the nearest interior point: the gradient across the face is zero.
struct Neumann {};

/// \brief Halo points hold a given value, the same on the whole face.
template <class T>
struct Dirichlet {
  T value;  ///< what the halo points get

  /// \param[in] v  what the halo points get.
  explicit Dirichlet(T const& v) : value(v) {}
};

/// \brief What lies beyond one face: Periodic, Neumann or Dirichlet.
template <class T>
struct HaloFace {
  Impl::HaloKind kind;  ///< which condition
  T value{};            ///< of a Dirichlet condition

  /// The field goes on periodically.
  HaloFace(Periodic) : kind(Impl::HaloKind::periodic) {}
  /// The gradient across the face is zero.
  HaloFace(Neumann) : kind(Impl::HaloKind::neumann) {}
  /// A given value.
  template <class V>
  HaloFace(Dirichlet<V> const& d) : kind(Impl::HaloKind::dirichlet) {
    constexpr bool converts = std::is_convertible_v<V, T>;
    static_assert(converts,
                  "Koalesce::fill_halo: Dirichlet takes a value that converts to the field's elements, such as a "
                  "number, and no function of the point; write other values with a kernel of your own");
    if constexpr (converts) value = d.value;
  }
};

/// \brief The two faces of one dimension, low indices first; one condition stands for both.
template <class T>
struct HaloSides {
  HaloFace<T> low,  ///< at the lowest index
      high;         ///< at the highest index

  /// A condition per face.
  HaloSides(HaloFace<T> const& l, HaloFace<T> const& h) : low(l), high(h) {}
  /// The field goes on periodically.
  HaloSides(Periodic both) : low(both), high(both) {}
  /// The gradients across both faces are zero.
  HaloSides(Neumann both) : low(both), high(both) {}
  /// The same value on both faces.
  template <class V>
  HaloSides(Dirichlet<V> const& both) : low(both), high(both) {}
};

/// \brief The faces of every dimension, in the order of the View's indices; one condition stands for all.
///
///     {Periodic(), Periodic(), {Dirichlet(0.), Neumann()}}   // a channel
template <class T, int Rank>
struct HaloConditions {
  Kokkos::Array<HaloSides<T>, Rank> sides;  ///< one per dimension

  /// Rank 1.
  HaloConditions(HaloSides<T> const& s0) requires(Rank == 1) : sides{{s0}} {}
  /// Rank 2.
  HaloConditions(HaloSides<T> const& s0, HaloSides<T> const& s1) requires(Rank == 2) : sides{{s0, s1}} {}
  /// Rank 3.
  HaloConditions(HaloSides<T> const& s0, HaloSides<T> const& s1, HaloSides<T> const& s2) requires(Rank == 3)
      : sides{{s0, s1, s2}} {}

  /// Periodic in every dimension.
  HaloConditions(Periodic all) : sides(repeat(all)) {}
  /// The gradients across all faces are zero.
  HaloConditions(Neumann all) : sides(repeat(all)) {}
  /// The same value on all faces.
  template <class V>
  HaloConditions(Dirichlet<V> const& all) : sides(repeat(all)) {}

 private:
  static Kokkos::Array<HaloSides<T>, Rank> repeat(HaloSides<T> const& s) {
    if constexpr (Rank == 1) return {{s}};
    else if constexpr (Rank == 2) return {{s, s}};
    else return {{s, s, s}};
  }
};

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
  static_assert(!std::is_const_v<typename View::value_type>, "Koalesce::fill_halo: the field is const");
  Impl::check_halo<Exec>(field, extents, conditions);
  Impl::run_fill_halo(space, field, extents, conditions);
}

}  // namespace Koalesce

#endif
