// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_FILL_HALO_HPP
#define KOALESCE_STENCIL_IMPL_FILL_HALO_HPP

#include <Koalesce/stencil/HaloConditions.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

/// Writes the halo points below and above dimension `dim` (canonical, 0 to 2) of a block of points.
template <class T, class Face>
struct FillHalo {
  T* origin;        // the first interior point
  Extents3 stride;  // elements from one point to the next
  Extents3 first;   // of the block; in dimension `dim` the block is the halo:
  Extents3 count;   // `width` points below the interior, then as many above
  int dim;
  std::int64_t interior, width;
  Face low, high;

  std::int64_t points() const { return count[0] * count[1] * count[2]; }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t offset = 0, layer = 0;
    for (int c = 2; c >= 0; --c) {
      std::int64_t const at = i % count[c];
      i /= count[c];
      if (c == dim) layer = at;
      else offset += (first[c] + at) * stride[c];
    }
    bool const below           = layer < width;
    std::int64_t const to      = below ? layer - width : interior + layer - width;
    std::int64_t const wrap    = to % interior;
    std::int64_t const from    = (below ? low : high).kind == HaloKind::neumann ? (below ? 0 : interior - 1)
                                                                                : (wrap < 0 ? wrap + interior : wrap);
    std::int64_t const step    = dim == 0 ? stride[0] : dim == 1 ? stride[1] : stride[2];
    Face const& face           = below ? low : high;
    origin[offset + to * step] = face.kind == HaloKind::dirichlet ? face.value : origin[offset + from * step];
  }
};

/// The part of a StencilPolicy that check_field and canonical_field use.
template <class Exec, int Rank>
struct HaloPolicy {
  using execution_space     = Exec;
  static constexpr int rank = Rank;

  Kokkos::Array<std::int64_t, Rank> m_extents;

  auto const& extents() const { return m_extents; }
};

template <class Exec, class View, class Extents, class Conditions>
void check_halo(View const& field, Extents const& extents, Conditions const& conditions) {
  std::string const where = "Koalesce::fill_halo";
  constexpr int rank      = View::rank();
  check_extents(where, HaloPolicy<Exec, rank>{extents});
  check_field(where, HaloPolicy<Exec, rank>{extents}, field, "the", -1, [](int) { return 0; });
  bool some = false, empty = false;
  for (int d = 0; d < rank; ++d) {
    some  = some || std::int64_t(field.extent(d)) > extents[d];
    empty = empty || extents[d] == 0;
  }
  if (!some && !empty)
    fail(where, "the field ", quoted_label(field),
         " has no halo in any dimension, because the interior extents given are its own extents; give the numbers of "
         "interior points, without the halo, or a field that has a halo");
  for (int d = 0; d < rank; ++d) {
    auto const& [low, high] = conditions.sides[d];
    if ((low.kind == HaloKind::periodic) != (high.kind == HaloKind::periodic))
      fail(where, "the field ", quoted_label(field), " is periodic on the ",
           low.kind == HaloKind::periodic ? "low" : "high", " side of dimension ", d,
           " only; a period joins both sides, so give Periodic for both or for none");
  }
}

template <bool Reversed, class Exec, class View, class Extents, class Conditions>
void fill_halo_in_order(Exec const& space, View const& view, Extents const& extents, Conditions const& conditions) {
  constexpr int rank = View::rank();
  using Order        = IndexOrder<rank, Reversed>;
  using T            = typename View::value_type;
  using Face         = std::decay_t<decltype(conditions.sides[0].low)>;

  Field<T> const field = canonical_field<Order, T>(view, HaloPolicy<Exec, rank>{extents});
  Extents3 first{0, 0, 0}, count{1, 1, 1};
  for (int c = 0; c < 3; ++c)
    if (Order::user_dim(c) >= 0) count[c] = extents[Order::user_dim(c)];

  for (int d = 0; d < rank; ++d) {
    int const c              = Order::canonical_dim(d);
    std::int64_t const width = (std::int64_t(view.extent(d)) - extents[d]) / 2;
    if (width == 0) continue;
    FillHalo<T, Face> fill{field.origin,
                           field.stride,
                           first,
                           count,
                           c,
                           extents[d],
                           width,
                           conditions.sides[d].low,
                           conditions.sides[d].high};
    fill.count[c] = 2 * width;
    Kokkos::parallel_for("Koalesce::fill_halo",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(space, 0, fill.points()), fill);
    first[c] = -width;
    count[c] += 2 * width;
  }
}

template <class Exec, class View, class Extents, class Conditions>
void run_fill_halo(Exec const& space, View const& view, Extents const& extents, Conditions const& conditions) {
  for (int d = 0; d < int(View::rank()); ++d)
    if (extents[d] == 0) return;

  Kokkos::Profiling::ScopedRegion const region("Koalesce::fill_halo");
  if (is_reversed(view)) {
    if constexpr (can_be_reversed<View, true>()) fill_halo_in_order<true>(space, view, extents, conditions);
  } else {
    if constexpr (can_be_reversed<View, false>()) fill_halo_in_order<false>(space, view, extents, conditions);
  }
}

}  // namespace Koalesce::Impl

#endif
