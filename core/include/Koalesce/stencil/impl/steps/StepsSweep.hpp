// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP

#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>

#include <algorithm>
#include <string>
#include <typeinfo>
#include <vector>

/// Sweeps of time steps: one step a sweep, or several.
namespace Koalesce::Impl {

/// A policy whose works are shown to the caller instead of a backend.
template <class Policy, class Visit>
struct VisitingPolicy : Policy {
  Visit visit;
};

template <class Policy, class Visit, class Work>
void run_work(std::string const&, VisitingPolicy<Policy, Visit> const& policy, Work const& work) {
  policy.visit(work);
}

/// Whether a backend runs several steps of this work in one sweep. It then has, found by argument-dependent lookup
/// through its tag:
///
///     fused_depths(tag, exec, work)                    numbers of steps, ascending, each at least 2; none if this work
///                                                      cannot
///     run_fused_steps(tag, exec, label, work, depth)   from `work.in` to `work.out`, which is all that it writes
template <class Tag, class Exec, class Work>
concept FusesSteps = requires(Tag tag, Exec const& exec, std::string const& label, Work const& work) {
  std::vector<int>(fused_depths(tag, exec, work));
  run_fused_steps(tag, exec, label, work, 2);
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

/// The sweeps of a call of parallel_stencil_steps between two packs of Views.
template <class Policy, class State, class Views, class... Functors>
class StepsSweeps {
 public:
  StepsSweeps(std::string const& label, Policy const& policy, State const& state, Views const& scratch,
              Functors const&... functors)
      : m_label(label),
        m_policy(policy),
        m_state(state),
        m_views{changing_views(state), scratch},
        m_functors(functors...) {
    if constexpr (fuses)
      if (has_points()) find_depths();
  }

  /// Goes on by so many steps, and leaves the result in the state.
  void run(std::int64_t steps) {
    bool in_scratch = false;
    while (steps > 0) {
      auto const depth = run_sweep(in_scratch, steps);
      m_done += depth;
      steps -= depth;
      in_scratch = !in_scratch;
    }
    if (in_scratch) copy(m_views[1], m_views[0]);
  }

  /// Gives the scratch what no step writes.
  void prepare() const {
    constexpr bool blocks = Policy::field_rank > Policy::rank;
    if constexpr (!std::is_same_v<typename Policy::domain_type, WholeDomain>) copy(m_views[0], m_views[1]);
    if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary> && !blocks) copy_halos();
  }

 private:
  using Exec  = typename Policy::execution_space;
  using Tag   = typename Policy::backend_type;
  using Order = IndexOrder<Policy::rank, false>;

  static constexpr bool fuses = []<class... Ins>(Pack<Ins...> const*) {
    return can_be_fused<Policy, Ins...>;
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

  /// Copies the interiors.
  void copy(Views const& from, Views const& to) const {
    for_each(from, [&](auto const& view, auto i) {
      auto const& other = get<decltype(i)::value>(to);
      if constexpr (Policy::field_rank > Policy::rank) Kokkos::deep_copy(m_policy.space(), other, view);
      else copy_points(HaloPoints({0, 0, 0}, {0, 0, 0}, interior()), view, other);
    });
  }

  /// Copies the halos that inputs need to the scratch.
  void copy_halos() const {
    Extents3 width{0, 0, 0};
    for_each(inputs_in(m_views[0], m_state), [&](auto const& input, auto) {
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
    // As FillHalo: arguments of the launch.
    auto const range = Kokkos::Experimental::require(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_policy.space(), 0, points.size()),
        Kokkos::Experimental::WorkItemProperty::HintLightWeight);
    Kokkos::parallel_for(kernel_label(Tag{}, m_label + ", scratch"), range,
                         CopyPoints<T>{points, canonical_field<Order, T const>(from, m_policy),
                                       canonical_field<Order, T>(to, m_policy)});
  }

  template <class Run>
  void with_functors(Run const& run) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run(later_by(get<I>(m_functors), m_done)...);
    }(std::index_sequence_for<Functors...>{});
  }

  std::int64_t run_one(bool from_scratch) const {
    with_functors([&](auto const&... functors) {
      dispatch_stencil(m_label, m_policy, inputs_in(m_views[from_scratch], m_state), m_views[!from_scratch],
                       NoReduction(), functors...);
    });
    return 1;
  }

  std::int64_t run_sweep(bool from_scratch, std::int64_t left) {
    if constexpr (fuses)
      if (!m_depths.empty()) return run_fastest_depth(from_scratch, left);
    return run_one(from_scratch);
  }

  /// Calls visit(work) with a sweep's work in canonical form.
  template <class Visit>
  void with_work(bool from_scratch, Visit const& visit) const {
    with_functors([&](auto const&... functors) {
      dispatch_order(m_label, VisitingPolicy<Policy, Visit>{m_policy, visit}, inputs_in(m_views[from_scratch], m_state),
                     m_views[!from_scratch], NoReduction(), WholeDomain(), functors...);
    });
  }

  void find_depths() {
    with_work(false, [&](auto const& work) {
      using Work = std::decay_t<decltype(work)>;
      if constexpr (FusesSteps<Tag, Exec, Work>) {
        auto const most = m_policy.fused_steps();
        for (int const depth : fused_depths(Tag{}, m_policy.space(), work))
          if (most == 0 || depth <= most) m_depths.push_back(depth);
        m_extents = work.extents;
        m_type    = typeid(Work).name();
      }
    });
    if (!m_depths.empty()) m_depths.insert(m_depths.begin(), 1);
  }

  void run_depth(bool from_scratch, int depth) const {
    if (depth == 1) return void(run_one(from_scratch));
    with_work(from_scratch, [&](auto const& work) {
      using Work = std::decay_t<decltype(work)>;
      if constexpr (FusesSteps<Tag, Exec, Work>) run_fused_steps(Tag{}, m_policy.space(), m_label, work, depth);
    });
  }

  /// The steps of the next sweep, if no more than `most` shall share one: with as few sweeps as possible, and an even
  /// number of them, so that the last one writes the state.
  int next_depth(bool in_scratch, std::int64_t left, int most) const {
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
      if ((1 + after + in_scratch) % 2 == 0) return depth;
    }
    return fallback;
  }

  /// One sweep of as many steps as turn out to be fastest, or of what is left.
  std::int64_t run_fastest_depth(bool in_scratch, std::int64_t left) {
    int const deepest = m_depths.back();
    std::int64_t done = 0;
    auto const run    = [&](int depth) {
      run_depth(in_scratch, depth);
      done = depth;
    };
    double const points   = double(m_extents[0]) * double(m_extents[1]) * double(m_extents[2]);
    auto const choices    = [&] { return depth_choices(points); };
    auto const run_number = [&](std::size_t number) {
      int const most = m_depths[number];
      // Sweeps that are left over at the end are not of this candidate; they come last.
      run(left >= 2 * deepest ? most : next_depth(in_scratch, left, most));
    };
    if (m_policy.fused_steps() > 0) {
      run(next_depth(in_scratch, left, deepest));
    } else if (left < 2 * deepest) {
      if (m_last < 0) m_last = m_depths.size() - 1;
      run(next_depth(in_scratch, left, m_depths[std::size_t(m_last)]));
    } else {
      thread_local RecentTuners<Exec> recent;
      auto const tuner = [&] { return recent.get(m_policy.space(), m_label, m_extents, int(deepest), choices); };
      auto const size  = [&](std::size_t number) { return points * m_depths[number]; };
      run_fastest(m_policy.space(), size, m_depths.size() - 1, tuner, choices, [&](std::size_t number) {
        m_last = std::ptrdiff_t(number);
        run_number(number);
      });
    }
    return done;
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
  Views m_views[2];  ///< of the state, and of the scratch
  Pack<Functors...> m_functors;
  std::int64_t m_done = 0;

  std::vector<int> m_depths;  ///< what may be chosen from; empty: one step a sweep
  std::ptrdiff_t m_last = -1;
  Extents3 m_extents{};
  std::string m_type;
};

}  // namespace Koalesce::Impl

#endif
