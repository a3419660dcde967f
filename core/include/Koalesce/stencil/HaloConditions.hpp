// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_HALO_CONDITIONS_HPP
#define KOALESCE_STENCIL_HALO_CONDITIONS_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

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

/// \brief The condition at one face, by name.
enum class HaloKind { periodic, neumann, dirichlet };

/// \brief What lies beyond one face: Periodic, Neumann or Dirichlet.
template <class T>
struct HaloFace {
  HaloKind kind;  ///< which condition
  T value{};      ///< of a Dirichlet condition

  /// The field goes on periodically.
  HaloFace(Periodic) : kind(HaloKind::periodic) {}
  /// The gradient across the face is zero.
  HaloFace(Neumann) : kind(HaloKind::neumann) {}
  /// A given value.
  template <class V>
  HaloFace(Dirichlet<V> const& d) : kind(HaloKind::dirichlet) {
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
  HaloConditions(HaloSides<T> const& s0)
    requires(Rank == 1)
      : sides{{s0}} {}
  /// Rank 2.
  HaloConditions(HaloSides<T> const& s0, HaloSides<T> const& s1)
    requires(Rank == 2)
      : sides{{s0, s1}} {}
  /// Rank 3.
  HaloConditions(HaloSides<T> const& s0, HaloSides<T> const& s1, HaloSides<T> const& s2)
    requires(Rank == 3)
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

}  // namespace Koalesce

#endif
