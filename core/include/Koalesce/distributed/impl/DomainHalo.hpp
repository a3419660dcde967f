// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_DOMAIN_HALO_HPP
#define KOALESCE_DISTRIBUTED_IMPL_DOMAIN_HALO_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/distributed/impl/GlobalFaces.hpp>
#include <Koalesce/distributed/impl/HaloExchange.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// The halos of some fields, brought up to date: by neighbors, and at the faces of the whole grid by conditions.
namespace Koalesce::Impl {

/// The order of points in messages. It comes of the type alone: strides of one process say nothing of another's.
template <class View>
inline constexpr bool first_is_contiguous =
    View::rank() > 1 && std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;

/// Instead of conditions: halos beyond the faces of the whole grid stay, unless there is a period.
struct HaloStays {};

/// A field whose halo is needed.
template <class View, class Conditions>
struct HaloField {
  using view_type = View;

  View view;
  Conditions conditions;  ///< a pack of Sides, or HaloStays
  HaloNeed<int(View::rank())> need;
};
template <class View, class Conditions>
HaloField(View, Conditions, HaloNeed<int(View::rank())>) -> HaloField<View, Conditions>;

template <int Rank>
auto periodic_everywhere() {
  return sides_per_dimension<Rank>(Periodic());
}

template <class Exec, int Rank, class... Fields>
class DomainHalo {
 public:
  /// \param[in] where  of a call. \param[in] fields  HaloFields.
  /// \param[in] beside  whether halos travel beside what the instance is given between start() and finish().
  DomainHalo(Exec const& exec, Domain<Rank> const& domain, std::string const& where, Pack<Fields...> const& fields,
             bool beside = false)
      : m_exec(exec), m_domain(domain), m_where(where), m_fields(fields), m_beside(beside) {
    std::vector<HaloNeed<Rank>> needs;
    std::string name = where + " on " + Exec::name();
    for_each(fields, [&](auto const& field, auto) {
      needs.push_back(field.need);
      name += "; " + field.need.text();
    });
    using Exchange = HaloExchange<Exec, Rank>;
    m_exchange     = domain.state()->template plan<Exchange>(
        name, [&] { return std::make_shared<Exchange>(exec, domain, name, needs); });
  }

  /// Whether halos come from other processes.
  bool has_messages() const { return m_exchange->has_messages(); }

  /// The instance that sees neighbors' halos after receive(); the caller's does after finish().
  Exec const& side() const { return m_exchange->exec(); }

  /// Fills faces that need no neighbor, and packs.
  void start() {
    fill(m_exec, false);
    m_exchange->start(m_exec, m_beside);
    if (!has_messages()) return;
    for_each(m_fields, [&](auto const& field, auto i) {
      using View = typename std::decay_t<decltype(field)>::view_type;
      m_exchange->pack(std::size_t(int(i)), canonical<typename View::const_value_type>(field.view));
    });
  }

  /// Waits until neighbors make this call, too.
  void receive() {
    if (!has_messages()) return;
    m_exchange->exchange(m_where);
    for_each(m_fields, [&](auto const& field, auto i) {
      using View = typename std::decay_t<decltype(field)>::view_type;
      m_exchange->unpack(std::size_t(int(i)), canonical<typename View::value_type>(field.view));
    });
    fill(side(), true);
  }

  void finish() { m_exchange->finish(m_exec, m_beside); }

 private:
  template <class T, class View>
  auto canonical(View const& view) const {
    using Order = IndexOrder<Rank, first_is_contiguous<View>>;
    return canonical_field<Order, T>(view, InteriorPolicy<Exec, Rank>{m_domain.extents()});
  }

  void fill(Exec const& exec, bool received) const {
    for_each(m_fields, [&](auto const& field, auto) {
      if (received && !field.need.corners) return;
      using Conditions        = std::decay_t<decltype(field.conditions)>;
      constexpr bool reversed = first_is_contiguous<typename std::decay_t<decltype(field)>::view_type>;
      if constexpr (std::is_same_v<Conditions, HaloStays>)
        fill_faces<reversed, false>(exec, m_domain, field.view, field.need, periodic_everywhere<Rank>(), received);
      else fill_faces<reversed, true>(exec, m_domain, field.view, field.need, field.conditions, received);
    });
  }

  Exec m_exec;
  Domain<Rank> m_domain;
  std::string m_where;
  Pack<Fields...> m_fields;
  bool m_beside;
  std::shared_ptr<HaloExchange<Exec, Rank>> m_exchange;
};

/// A View's own halo.
template <class View, int Rank>
HaloNeed<Rank> whole_halo(View const& view, Domain<Rank> const& domain) {
  HaloNeed<Rank> need;
  for (int d = 0; d < Rank; ++d) need.halo[d] = (std::int64_t(view.extent(d)) - domain.extents()[d]) / 2;
  need.width    = need.halo;
  need.size     = sizeof(typename View::value_type);
  need.reversed = first_is_contiguous<View>;
  return need;
}

/// Throws unless neighbors' halos come from one neighbor each.
template <int Rank>
void check_thickness(std::string const& where, Domain<Rank> const& domain, std::string const& field,
                     HaloNeed<Rank> const& need) {
  for (int d = 0; d < Rank; ++d)
    if (domain.ranks()[d] > 1 && domain.extents()[d] < need.width[d])
      fail(where, field, " takes a halo of ", need.width[d], " points in dimension ", d,
           " from its neighbors, but this process has only ", domain.extents()[d], " of the grid's ",
           domain.global_extents()[d], " there; use fewer processes in this dimension (DomainOptions::ranks)");
}

}  // namespace Koalesce::Impl

#endif
