// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_ACTIVE_POINTS_HPP
#define KOALESCE_STENCIL_ACTIVE_POINTS_HPP

#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/domain/ActiveState.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace Koalesce {

/// A box of points: from[d] <= i[d] < to[d] in every dimension d; without points where to[d] <= from[d].
template <int Rank>
struct IndexBox {
  Kokkos::Array<std::int64_t, Rank> from;  ///< its first point
  Kokkos::Array<std::int64_t, Rank> to;    ///< one after its last point in every dimension
};

/// \brief Which points of the interior a sweep computes: for oceans with land, fluids around bodies, adaptive meshes.
///
///     ActivePoints const wet(policy, mask);                                   // where mask(z, y, x) != 0
///     ActivePoints const fine(policy, boxes, Kokkos::LayoutRight());          // of fields with the rows of make_field
///     parallel_stencil("step", policy.with_active(wet), u, next, f);          // writes no other points
///
/// A bit a point and a list of the tiles that have any (32 x 8 x 8 points in three dimensions, 32 x 64 in two, 2048 in
/// one) are prepared once, and again when update() is called, not by sweeps. Both take an eighth of a byte a point, and
/// are shared by copies. Rows of bits follow the layout of the mask, or the one that is given with boxes; a sweep's
/// first output (or input, if it has no output) must have the same order of strides, and the others should.
///
/// \tparam Exec  execution space of the sweeps. \tparam Rank  number of dimensions.
template <class Exec, int Rank>
class ActivePoints {
 public:
  using execution_space = Exec;                               ///< of the sweeps
  using extents_type    = Kokkos::Array<std::int64_t, Rank>;  ///< points per dimension
  using box_type        = IndexBox<Rank>;                     ///< a box of points

  static constexpr int rank    = Rank;  ///< number of dimensions
  static constexpr int indices = 0;     ///< indices that fields have beside the point's

  /// \brief Prepares the points where a mask is not 0, on the policy's instance, and waits for it.
  ///
  /// \param[in] policy of the sweeps; it gives the instance and the extents.
  /// \param[in] mask   a View of bool or another integer, with the extents of the interior, or with a halo, which is
  ///                   ignored.
  /// \throws Error if the mask's extents do not match, or it has no memory or memory out of reach.
  template <class... Options, class Mask>
    requires(Kokkos::is_view_v<Mask>)
  ActivePoints(StencilPolicy<Options...> const& policy, Mask const& mask)
      : ActivePoints(policy.space(), policy.extents(), order_of(mask)) {
    update(mask);
  }

  /// \brief Prepares the points of boxes, which may overlap.
  ///
  /// \param[in] policy as above.
  /// \param[in] boxes  in the interior.
  /// \param[in] layout that of the Views, Kokkos::LayoutRight (also for those of make_field) or Kokkos::LayoutLeft. The
  ///                   default is the execution space's, which is LayoutLeft on GPUs.
  /// \throws Error if a box reaches beyond the interior.
  template <class... Options, class Layout = typename Exec::array_layout>
  ActivePoints(StencilPolicy<Options...> const& policy, std::vector<box_type> const& boxes,
               [[maybe_unused]] Layout layout = Layout())
      : ActivePoints(policy.space(), policy.extents(), Rank > 1 && std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    static_assert(std::is_same_v<Layout, Kokkos::LayoutLeft> || std::is_same_v<Layout, Kokkos::LayoutRight>,
                  "Koalesce::ActivePoints: the layout must be Kokkos::LayoutRight or Kokkos::LayoutLeft");
    update(boxes);
  }

  /// \brief Prepares the points of another mask, in the same memory. Every copy of this object sees them.
  ///
  /// Sweeps with the old points must be complete, or run on the same instance. Waits for the instance.
  /// \throws Error as the constructor, or if the mask's order of strides is not that of the first.
  template <class Mask>
    requires(Kokkos::is_view_v<Mask>)
  void update(Mask const& mask) {
    using T = typename Mask::const_value_type;
    static_assert(std::is_integral_v<typename Mask::non_const_value_type>,
                  "Koalesce::ActivePoints: a mask's elements must be bool or another integer type");
    std::string const where = "Koalesce::ActivePoints";
    Impl::check_field(where, interior(), mask, "the mask", -1, [](int) { return 0; });
    if (Impl::is_reversed(mask, is_reversed()) != is_reversed())
      Impl::fail(where, "the mask ", Impl::quoted_label(mask), " has its smallest stride in the ",
                 order_of(mask) ? "first" : "last",
                 " dimension, unlike that which the points were first prepared from; make new ActivePoints of it");
    Kokkos::Profiling::ScopedRegion const region(where);
    if (is_reversed()) m_state->prepare(Impl::canonical_field<Impl::IndexOrder<Rank, true>, T>(mask, interior()));
    else m_state->prepare(Impl::canonical_field<Impl::IndexOrder<Rank, false>, T>(mask, interior()));
  }

  /// The same for other boxes.
  void update(std::vector<box_type> const& boxes) {
    std::string const where = "Koalesce::ActivePoints";
    std::vector<Impl::ActiveBox> slabs;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      auto const& box = boxes[i];
      bool empty      = false;
      for (int d = 0; d < Rank; ++d) empty = empty || box.to[d] <= box.from[d];
      for (int d = 0; d < Rank && !empty; ++d)
        if (box.from[d] < 0 || box.to[d] > m_extents[d])
          Impl::fail(where, "box ", i, " goes from ", box.from[d], " to ", box.to[d], " in dimension ", d,
                     ", beyond the interior's ", m_extents[d], " points; cut it there");
      if (!empty) Impl::add_slabs(slabs, {in_order(box.from, is_reversed(), 0), in_order(box.to, is_reversed(), 1)});
    }
    Kokkos::Profiling::ScopedRegion const region(where);
    m_state->prepare(slabs);
  }

  /// Number of active points.
  std::int64_t count() const { return m_state->count(); }
  /// Points of the interior per dimension.
  extents_type const& extents() const { return m_extents; }
  /// Whether neighbors along the first dimension are adjacent in a row of bits, as in Kokkos::LayoutLeft.
  bool is_reversed() const { return m_state->is_reversed(); }

  /// Blocks of a field: one.
  std::int64_t blocks() const { return 1; }
  /// For kernels.
  Impl::ActiveTiles const& tiles() const { return m_state->tiles(); }

 private:
  ActivePoints(Exec const& space, extents_type const& extents, bool reversed) : m_extents(extents) {
    Impl::check_extents("Koalesce::ActivePoints", interior());
    m_state = std::make_shared<Impl::ActiveState<Exec, Rank>>(space, in_order(extents, reversed, 1), reversed);
  }

  template <class Mask>
  static bool order_of(Mask const& mask) {
    static_assert(Mask::rank() == Rank, "Koalesce::ActivePoints: the mask must have as many dimensions as the policy");
    return Impl::is_reversed(mask);
  }

  Impl::InteriorPolicy<Exec, Rank> interior() const { return {m_extents}; }

  /// Indices in canonical order; dimensions that do not exist get `missing`.
  static Impl::Extents3 in_order(extents_type const& index, bool reversed, std::int64_t missing) {
    Impl::Extents3 canonical{};
    for (int c = 0; c < 3; ++c) {
      int const d  = reversed ? Impl::IndexOrder<Rank, true>::user_dim(c) : Impl::IndexOrder<Rank, false>::user_dim(c);
      canonical[c] = d < 0 ? missing : index[d];
    }
    return canonical;
  }

  extents_type m_extents;
  std::shared_ptr<Impl::ActiveState<Exec, Rank>> m_state;
};

/// Deduces the execution space and the rank from the policy.
template <class... Options, class... Rest>
ActivePoints(StencilPolicy<Options...> const&, Rest const&...)
    -> ActivePoints<typename StencilPolicy<Options...>::execution_space, StencilPolicy<Options...>::rank>;

}  // namespace Koalesce

#endif
