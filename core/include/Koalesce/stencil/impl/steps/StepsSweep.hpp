// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP

#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/// Sweeps of time steps: one step a sweep, or several.
namespace Koalesce::Impl {

/// A policy whose works are shown to the caller, with the values beyond the interior, instead of a backend.
template <class Policy, class Visit>
struct VisitingPolicy : Policy {
  Visit visit;
};

template <class Policy, class Visit, class Work>
void run_work(std::string const&, VisitingPolicy<Policy, Visit> const& policy, Work const& work) {
  policy.visit(work, NoBoundary());
}
template <class Policy, class Visit, class In, class Work>
void run_with_boundary(std::string const&, VisitingPolicy<Policy, Visit> const& policy, In const& in,
                       Work const& work) {
  using Order                = typename Work::Order;
  constexpr unsigned wrapped = wrapped_in<Order>(static_cast<typename Policy::boundary_type const*>(nullptr));
  if constexpr (std::popcount(wrapped) == Policy::rank) {
    policy.visit(work, StepsBoundary<Pack<>, wrapped>());
  } else {
    auto const values = transform(inputs_that<false>(in),
                                  [&](auto const& input, auto) { return boundary_value<Order>(policy, input); });
    policy.visit(work, StepsBoundary<std::decay_t<decltype(values)>, wrapped>{values});
  }
}

/// Whether a backend runs several steps of this work in one sweep. It then has, found by argument-dependent lookup
/// through its tag:
///
///     fused_depths(tag, exec, work, boundary)          numbers of steps, ascending, each at least 2 and a divisor of
///                                                      the last; none if this work cannot
///     run_fused_steps(tag, exec, label, work, boundary, depth)
///                                                      from `work.in` to `work.out`; it may leave anything in the
///                                                      interior of `work.in`
///
/// \tparam Boundary  NoBoundary, a StepsBoundary, or StepsInPlace.
template <class Tag, class Exec, class Work, class Boundary>
concept FusesSteps =
    requires(Tag tag, Exec const& exec, std::string const& label, Work const& work, Boundary const& boundary) {
      std::vector<int>(fused_depths(tag, exec, work, boundary));
      run_fused_steps(tag, exec, label, work, boundary, 2);
    };

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

/// The sweeps of a call of parallel_stencil_steps between two packs of Views.
template <class Policy, class State, class Views, class... Functors>
class StepsSweeps {
 public:
  /// \param[in] others  Views that change roles with those of the state.
  StepsSweeps(std::string const& label, Policy const& policy, State const& state, Views const& others,
              Functors const&... functors)
      : m_label(label),
        m_policy(policy),
        m_state(state),
        m_views{changing_views(state), others},
        m_functors(functors...) {
    if constexpr (fuses)
      if (has_points()) find_depths();
  }

  /// Goes on by so many steps.
  void run(std::int64_t steps) {
    for (auto const end = m_done + steps; m_done < end;) run_sweeps(end - m_done);
  }

  /// Brings the newest values into the state.
  void settle() {
    if (!m_in_other) return;
    for_each_changing([&](auto const& state, auto const& other, auto levels) {
      if constexpr (decltype(levels)::value) exchange(state, other);
      else copy(other, state);
    });
    m_in_other = false;
  }

  /// Whether a function takes the Views of the newest values.
  template <class F>
  static constexpr bool can_show = []<class... Vs>(Pack<Vs...> const*) {
    return std::is_invocable_v<F const&, std::int64_t, Vs const&...>;
  }(static_cast<Views const*>(nullptr));

  template <class F>
  void show(F const& function, std::int64_t done) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      function(done, get<I>(m_views[m_in_other])...);
    }(std::make_index_sequence<Views::size>());
  }

  /// Gives the other Views what no step writes.
  void prepare() const {
    constexpr bool blocks = Policy::field_rank > Policy::rank;
    if constexpr (!std::is_same_v<typename Policy::domain_type, WholeDomain>)
      for_each_changing([&](auto const& state, auto const& other, auto levels) {
        if constexpr (decltype(levels)::value) copy_inactive(state, other);
        else copy(state, other);
      });
    if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary> && !blocks) copy_halos();
  }

 private:
  using Exec  = typename Policy::execution_space;
  using Tag   = typename Policy::backend_type;
  using Order = IndexOrder<Policy::rank, false>;

  static constexpr bool fuses = []<class... Ins>(Pack<Ins...> const*) {
    return can_be_fused<Policy, Ins...>;
  }(static_cast<State const*>(nullptr));
  static constexpr bool steps_in_place = []<class... Ins>(Pack<Ins...> const*) {
    return (has_levels<Ins> || ...);
  }(static_cast<State const*>(nullptr));

  bool has_points() const {
    std::int64_t points = 1;
    for (int d = 0; d < Policy::rank; ++d) points *= m_policy.extents()[d];
    return points > 0;
  }

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

  /// Copies the interior.
  template <class View>
  void copy(View const& from, View const& to) const {
    if constexpr (Policy::field_rank > Policy::rank) Kokkos::deep_copy(m_policy.space(), to, from);
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

  /// Copies the halos that inputs need to the scratch.
  void copy_halos() const {
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
        in_d                    = std::min(in_d, (both - m_policy.extents()[d]) / 2);
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
    // As FillHalo: arguments of the launch.
    auto const range = Kokkos::Experimental::require(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_policy.space(), 0, points.size()),
        Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    Kokkos::parallel_for(kernel_label(Tag{}, m_label + ", scratch"), range, functor);
  }

  template <class Run>
  void with_functors(Run const& run) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run(later_by(get<I>(m_functors), m_done)...);
    }(std::index_sequence_for<Functors...>{});
  }

  void run_sweeps(std::int64_t left) {
    if constexpr (fuses)
      if (!m_depths.empty()) return run_fastest_depth(left);
    run_depth(1);
  }

  /// One sweep, of so many steps.
  void run_depth(int depth) {
    if (depth == 1) {
      with_functors([&](auto const&... functors) {
        dispatch_stencil(m_label, m_policy, inputs(), m_views[!m_in_other], NoReduction(), functors...);
      });
    } else if constexpr (fuses) {
      with_work([&](auto const& work, auto const& boundary) {
        using Work = std::decay_t<decltype(work)>;
        if constexpr (FusesSteps<Tag, Exec, Work, std::decay_t<decltype(boundary)>>)
          run_fused_steps(Tag{}, m_policy.space(), m_label, work, boundary, depth);
      });
    }
    m_done += depth;
    m_in_other = !m_in_other;
  }

  /// Of the next sweep.
  auto inputs() const { return inputs_in(m_views[m_in_other], m_views[!m_in_other], m_state); }

  /// Calls visit(work, boundary) with a sweep's work in canonical form.
  template <class Visit>
  void with_work(Visit const& visit) const {
    auto const in_place = [&](auto const& work, auto const& boundary) {
      if constexpr (steps_in_place) visit(work, StepsInPlace());
      else visit(work, boundary);
    };
    with_functors([&](auto const&... functors) {
      dispatch_order(m_label, VisitingPolicy<Policy, decltype(in_place)>{m_policy, in_place}, inputs(),
                     m_views[!m_in_other], NoReduction(), WholeDomain(), functors...);
    });
  }

  void find_depths() {
    with_work([&](auto const& work, auto const& boundary) {
      using Work = std::decay_t<decltype(work)>;
      if constexpr (FusesSteps<Tag, Exec, Work, std::decay_t<decltype(boundary)>>) {
        auto const most = m_policy.fused_steps();
        for (int const depth : fused_depths(Tag{}, m_policy.space(), work, boundary))
          if (most == 0 || depth <= most) m_depths.push_back(depth);
        m_extents = work.extents;
        m_type    = typeid(Work).name();
      }
    });
    if (!m_depths.empty()) m_depths.insert(m_depths.begin(), 1);
  }

  /// The steps of the next sweep, if no more than `most` shall share one: with as few sweeps as possible, and an even
  /// number of them, so that the last one writes the state.
  int next_depth(std::int64_t left, int most) const {
    auto const sweeps_from = [&](std::int64_t steps, int from) {
      std::int64_t sweeps = 0;
      for (std::size_t i = m_depths.size(); i-- > 0;)
        if (m_depths[i] <= from) {
          sweeps += steps / m_depths[i];
          steps %= m_depths[i];
        }
      return sweeps;
    };
    int fallback = 1;
    for (std::size_t i = m_depths.size(); i-- > 0;) {
      int const depth = m_depths[i];
      if (depth > most || depth > left) continue;
      fallback         = std::max(fallback, depth);
      auto const after = sweeps_from(left - depth, depth);
      if ((1 + after + m_in_other) % 2 == 0) return depth;
    }
    return fallback;
  }

  /// Sweeps of as many steps as turn out to be fastest, or one of what is left.
  void run_fastest_depth(std::int64_t left) {
    int const deepest = m_depths.back();
    if (m_policy.fused_steps() > 0) return run_depth(next_depth(left, deepest));
    if (left < 2 * deepest) return run_depth(next_depth(left, m_depths[m_fastest.value_or(m_depths.size() - 1)]));

    double const points = double(m_extents[0]) * double(m_extents[1]) * double(m_extents[2]);
    auto const choices  = [&] { return depth_choices(points); };
    thread_local RecentTuners<Exec> recent;
    auto const tuner = [&] { return recent.get(m_policy.space(), m_label, m_extents, deepest, choices); };
    // All do the same number of steps, so that what a measurement costs does not favor one of them.
    run_fastest(m_policy.space(), points, m_depths.size() - 1, tuner, choices, [&](std::size_t number) {
      m_fastest = number;
      for (int done = 0; done < deepest; done += m_depths[number]) run_depth(m_depths[number]);
    });
  }

  TuningChoices depth_choices(double points) const {
    std::vector<std::string> names;
    names.reserve(m_depths.size());
    for (int const depth : m_depths) names.push_back(std::to_string(depth));
    return {{"stencil_steps", m_label, m_type, size_classes_text(m_extents) + " points",
             machine_of(Tag{}, m_policy.space())},
            {{"planes", m_extents[0]}, {"rows", m_extents[1]}, {"points a row", m_extents[2]}},
            "steps per sweep",
            names,
            names.size(),
            points};
  }

  std::string m_label;
  Policy m_policy;
  State m_state;
  Views m_views[2];  ///< of the state, and those that they change roles with
  Pack<Functors...> m_functors;
  std::int64_t m_done = 0;
  bool m_in_other     = false;  ///< where the newest values are

  std::vector<int> m_depths;             ///< what may be chosen from; empty: one step a sweep
  std::optional<std::size_t> m_fastest;  ///< of them, as far as is known
  Extents3 m_extents{};
  std::string m_type;
};

}  // namespace Koalesce::Impl

#endif
