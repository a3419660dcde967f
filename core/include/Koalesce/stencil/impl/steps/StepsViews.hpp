// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_VIEWS_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_VIEWS_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>
#include <Koalesce/stencil/impl/domain/ActiveTiles.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

/// The memory of time steps: the Views of the state, and those that they change roles with.
namespace Koalesce::Impl {

/// Copies these points of a field. \tparam T  its elements.
template <class T>
struct CopyPoints {
  HaloPoints points;
  Field<T const> from;
  Field<T> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at           = points(i);
    *to.at(at[0], at[1], at[2]) = *from.at(at[0], at[1], at[2]);
  }
};

/// Exchanges these points of two fields. \tparam T  their elements.
template <class T>
struct ExchangePoints {
  HaloPoints points;
  Field<T> a, b;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at = points(i);
    T const value     = *a.at(at[0], at[1], at[2]);

    *a.at(at[0], at[1], at[2]) = *b.at(at[0], at[1], at[2]);
    *b.at(at[0], at[1], at[2]) = value;
  }
};

/// Copies these points of a field, unless they are active.
template <class T>
struct CopyInactive {
  CopyPoints<T> copy;
  ActiveTiles active;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at = copy.points(i);
    if (!is_active(active, at[0], at[1], at[2])) copy(i);
  }
};

/// Where the newest values of a state are.
template <class Policy, class State, class Views>
class StepsViews {
 public:
  /// \param[in] others  the scratch and the previous time levels, as other_views() returns them.
  StepsViews(std::string const& label, Policy const& policy, State const& state, Views const& others)
      : m_label(label), m_policy(policy), m_state(state), m_views{changing_views(state), others} {}

  /// Of the next sweep.
  auto inputs() const { return inputs_in(m_views[m_in_other], m_views[!m_in_other], m_state); }
  Views const& outputs() const { return m_views[!m_in_other]; }
  /// Of the sweep after it.
  auto inputs_back() const { return inputs_in(m_views[!m_in_other], m_views[m_in_other], m_state); }

  /// After a sweep: its outputs are the newest values.
  void turn() { m_in_other = !m_in_other; }

  /// Whether the newest values are not in the state.
  bool in_other() const { return m_in_other; }
  Views const& newest() const { return m_views[m_in_other]; }

  /// Brings the newest values into the state.
  void settle() {
    if (!m_in_other) return;
    for_each_changing([&](auto const& state, auto const& other, auto levels) {
      if constexpr (decltype(levels)::value) exchange(state, other);
      else copy(other, state);
    });
    m_in_other = false;
  }

  /// How much of the halos the other Views need.
  enum class Halos { none, as_steps_read, whole };

  /// Gives the other Views what no step writes.
  void prepare(Halos halos) const {
    constexpr bool blocks = Policy::field_rank > Policy::rank;
    if constexpr (!std::is_same_v<typename Policy::domain_type, WholeDomain>)
      for_each_changing([&](auto const& state, auto const& other, auto levels) {
        if constexpr (decltype(levels)::value) copy_inactive(state, other);
        else copy(state, other);
      });
    if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary> && !blocks)
      if (halos != Halos::none) copy_halos(halos == Halos::whole);
  }

  /// Gives the other Views what points hold that are not active, if the newest values may have been changed there.
  void renew_inactive() const {
    for_each_changing([&](auto const& state, auto const& other, auto) {
      if (m_in_other) copy_inactive(other, state);
      else copy_inactive(state, other);
    });
  }

 private:
  using Exec  = typename Policy::execution_space;
  using Tag   = typename Policy::backend_type;
  using Order = IndexOrder<Policy::rank, false>;

  Extents3 interior() const {
    Extents3 extents{1, 1, 1};
    for (int d = 0; d < Policy::rank; ++d) extents[Order::canonical_dim(d)] = m_policy.extents()[d];
    return extents;
  }

  HaloPoints interior_points() const { return HaloPoints({0, 0, 0}, {0, 0, 0}, interior()); }

  /// Calls visit(view, other, has_levels) for what changes from step to step.
  template <class Visit>
  void for_each_changing(Visit const& visit) const {
    [&]<class... Ins>(Pack<Ins...> const&) {
      static_for<int(sizeof...(Ins))>([&](auto i) {
        using In = std::tuple_element_t<i.value, std::tuple<Ins...>>;
        if constexpr (!is_constant<In>) {
          constexpr auto here = changing_before<Ins...>(i.value);
          visit(get<here>(m_views[0]), get<here>(m_views[1]), std::bool_constant<has_levels<In>>());
        }
      });
    }(m_state);
  }

  /// Copies the interior; of many blocks all.
  template <class View>
  void copy(View const& from, View const& to) const {
    if constexpr (is_field_list<View>)
      for (std::size_t b = 0; b < from.blocks().size(); ++b)
        Kokkos::deep_copy(m_policy.space(), to.blocks()[b], from.blocks()[b]);
    else if constexpr (Policy::field_rank > Policy::rank) Kokkos::deep_copy(m_policy.space(), to, from);
    else copy_points(interior_points(), from, to);
  }

  /// Copies the interior's points that are not active.
  template <class View>
  void copy_inactive(View const& from, View const& to) const {
    if constexpr (is_active_points<typename Policy::domain_type>) {
      using T              = typename View::value_type;
      auto const copy_with = [&](auto order) {
        using TheOrder = decltype(order);
        Extents3 extents{1, 1, 1};
        for (int d = 0; d < Policy::rank; ++d) extents[TheOrder::canonical_dim(d)] = m_policy.extents()[d];
        HaloPoints const points({0, 0, 0}, {0, 0, 0}, extents);
        launch(points, CopyInactive<T>{{points, canonical_field<TheOrder, T const>(from, m_policy),
                                        canonical_field<TheOrder, T>(to, m_policy)},
                                       m_policy.domain().tiles()});
      };
      if (m_policy.domain().is_reversed()) copy_with(IndexOrder<Policy::rank, true>());
      else copy_with(IndexOrder<Policy::rank, false>());
    }
  }

  template <class View>
  void exchange(View const& a, View const& b) const {
    using T           = typename View::value_type;
    auto const points = interior_points();
    launch(points,
           ExchangePoints<T>{points, canonical_field<Order, T>(a, m_policy), canonical_field<Order, T>(b, m_policy)});
  }

  /// Copies the halos that inputs need to the scratch, or whole ones.
  void copy_halos(bool whole) const {
    Extents3 width{0, 0, 0};
    for_each(inputs_in(m_views[0], m_views[1], m_state), [&](auto const& input, auto) {
      for (int d = 0; d < Policy::rank; ++d) {
        std::int64_t const r = input_radius<std::decay_t<decltype(input)>, typename Policy::shape_type>(d);
        auto& in_d           = width[Order::canonical_dim(d)];
        in_d                 = std::max(in_d, r);
      }
    });
    for_each(m_views[0], [&](auto const& view, auto i) {
      auto const& other = get<decltype(i)::value>(m_views[1]);
      auto halo         = width;  // not more than both fields have
      for (int d = 0; d < Policy::rank; ++d) {
        auto& in_d              = halo[Order::canonical_dim(d)];
        std::int64_t const both = std::min(view.extent(d), other.extent(d));
        std::int64_t const has  = (both - m_policy.extents()[d]) / 2;
        in_d                    = whole ? has : std::min(in_d, has);
      }
      copy_points(HaloPoints(interior(), halo), view, other);
    });
  }

  template <class View>
  void copy_points(HaloPoints const& points, View const& from, View const& to) const {
    using T = typename View::value_type;
    launch(points, CopyPoints<T>{points, canonical_field<Order, T const>(from, m_policy),
                                 canonical_field<Order, T>(to, m_policy)});
  }

  template <class Functor>
  void launch(HaloPoints const& points, Functor const& functor) const {
    Kokkos::parallel_for(kernel_label(Tag{}, m_label + ", scratch"), argument_range(m_policy.space(), points.size()),
                         functor);
  }

  std::string m_label;
  Policy m_policy;
  State m_state;
  Views m_views[2];  ///< of the state, and the others
  bool m_in_other = false;
};

}  // namespace Koalesce::Impl

#endif
