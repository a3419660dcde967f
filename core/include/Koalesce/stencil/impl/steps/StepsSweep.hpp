// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_SWEEP_HPP

#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/domain/LocalPolicy.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>
#include <Koalesce/stencil/impl/steps/StepsViews.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/TuningGroup.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
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
  constexpr auto sides       = static_cast<typename Policy::boundary_type const*>(nullptr);
  constexpr unsigned wrapped = dimensions_with<Order>(StepsFaces::wrap, sides);
  constexpr unsigned near    = dimensions_with<Order>(StepsFaces::near, sides);
  if constexpr (std::popcount(wrapped) == Policy::rank) {
    policy.visit(work, StepsBoundary<Pack<>, wrapped, near, Policy::rank>());
  } else {
    auto const values = transform(inputs_that<false>(in), [&](auto const& input, auto) {
      return with_known_faces(boundary_value<Order>(policy, input), boundary_of(input, policy.boundary()));
    });
    policy.visit(work, StepsBoundary<std::decay_t<decltype(values)>, wrapped, near, Policy::rank>{values});
  }
}

/// Whether a backend runs several steps of this work in one sweep. It then has, found by argument-dependent lookup
/// through its tag:
///
///     fused_depths(tag, exec, work, boundary, wanted)  numbers of steps, ascending, each at least 2 and a divisor of
///                                                      the last; none if this work cannot. More than are `wanted` are
///                                                      not taken; 0: as many as are fastest
///     run_fused_steps(tag, exec, label, work, boundary, depth)
///                                                      from `work.in` to `work.out`; it may leave anything in the
///                                                      interior of `work.in`
///
/// \tparam Boundary  NoBoundary, a StepsBoundary, or StepsInPlace.
template <class Tag, class Exec, class Work, class Boundary>
concept FusesSteps =
    requires(Tag tag, Exec const& exec, std::string const& label, Work const& work, Boundary const& boundary) {
      std::vector<int>(fused_depths(tag, exec, work, boundary, 2));
      run_fused_steps(tag, exec, label, work, boundary, 2);
    };

/// Whether it may keep the fields on chip from step to step. It then also has
///
///     fits_on_chip(tag, exec, work, boundary)           whether there is room for the fields of this work
///     run_on_chip(tag, exec, label, work, boundary, steps)
///                                                       any number of steps, from `work.in` to `work.out`; or it
///                                                       returns false if something is missing now
template <class Tag, class Exec, class Work, class Boundary>
concept KeepsOnChip =
    FusesSteps<Tag, Exec, Work, Boundary> &&
    requires(Tag tag, Exec const& exec, std::string const& label, Work const& work, Boundary const& boundary) {
      bool(fits_on_chip(tag, exec, work, boundary));
      run_on_chip(tag, exec, label, work, boundary, 2);
    };

/// Steps on chip: the fewest that pay for reading and writing the fields; so many as are compared with other sweeps, a
/// multiple of the numbers of steps of these; the most of a kernel, so that others have their turn.
inline constexpr int min_on_chip = 24, trial_on_chip = 48, max_on_chip = 10000;

/// The sweeps of a call of parallel_stencil_steps between two packs of Views.
template <class Policy, class State, class Views, class... Functors>
class StepsSweeps {
 public:
  /// \param[in] others  Views that change roles with those of the state.
  StepsSweeps(std::string const& label, Policy const& policy, State const& state, Views const& others,
              Pack<Functors...> const& functors)
      : m_label(label), m_policy(policy), m_views(label, local_policy(policy), state, others), m_functors(functors) {
    if constexpr (over_ranks) {
      m_block = steps_per_exchange(label, policy, m_views.inputs(), m_views.inputs_back());
      if (m_block > 1) m_tuning = tuning_over_ranks(call_text("Koalesce::parallel_stencil_steps", label), policy);
    }
    if constexpr (fuses)
      if (has_points() && m_block != 1) find_depths();
  }

  /// Gives the other Views what no step writes, before so many steps.
  /// \param[in] shown  whether show() may be called.
  void prepare(std::int64_t steps, bool shown) const {
    using Halos = typename decltype(m_views)::Halos;
    if (m_block > 1 && steps > 1) exchange(std::min<std::int64_t>(m_block, steps));
    if (shown || (m_block > 1 && steps > 1)) m_views.prepare(Halos::whole);
    else m_views.prepare(steps > 1 ? Halos::as_steps_read : Halos::none);
  }

  /// After every()'s function, which may change points that no step writes.
  void renew_inactive() const { m_views.renew_inactive(); }

  /// Brings the newest values into the state.
  void settle() { m_views.settle(); }

  /// Goes on by so many steps.
  /// \param[in] settles       whether settle() follows, which copies nothing if the newest values are in the state.
  /// \param[in] sweeps_after  what follows before that.
  void run(std::int64_t steps, bool settles, int sweeps_after = 0) {
    m_settles = m_ends = settles;
    m_sweeps_after     = sweeps_after;
    for (auto const end = m_done + steps; m_done < end;)
      if (m_block > 1 && end - m_done > 1) run_blocks(std::min<std::int64_t>(m_block, end - m_done), end);
      else run_sweeps(end - m_done);
  }

  /// One more step, which reduces.
  template <class Reduction, class... Reducing>
  void run_reducing(Reduction const& reduction, Reducing const&... functors) {
    dispatch_stencil(m_label, m_policy, m_views.inputs(), m_views.outputs(), reduction, later_by(functors, m_done)...);
    finish_sweep(1);
  }

  /// Whether a function takes the Views of the newest values.
  template <class F>
  static constexpr bool can_show = []<class... Vs>(Pack<Vs...> const*) {
    return std::is_invocable_v<F const&, std::int64_t, Vs const&...>;
  }(static_cast<Views const*>(nullptr));

  template <class F>
  void show(F const& function, std::int64_t done) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      function(done, get<I>(m_views.newest())...);
    }(std::make_index_sequence<Views::size>());
  }

 private:
  using Exec = typename Policy::execution_space;
  using Tag  = typename Policy::backend_type;

  static constexpr bool over_ranks = is_over_ranks<typename Policy::domain_type>;
  static constexpr bool fuses      = []<class... Ins>(Pack<Ins...> const*) {
    return can_be_fused<LocalPolicy<Policy>, Ins...>;
  }(static_cast<State const*>(nullptr));
  static constexpr bool steps_in_place = []<class... Ins>(Pack<Ins...> const*) {
    return (has_levels<Ins> || ...);
  }(static_cast<State const*>(nullptr));

  bool has_points() const {
    std::int64_t points = 1;
    for (int d = 0; d < Policy::rank; ++d) points *= m_policy.extents()[d];
    return points > 0;
  }

  template <class Run>
  void with_functors(Run const& run) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run(later_by(get<I>(m_functors), m_done)...);
    }(std::index_sequence_for<Functors...>{});
  }

  void exchange([[maybe_unused]] std::int64_t steps) const {
    if constexpr (over_ranks) exchange_for_steps(m_label, m_policy, m_views.inputs(), steps);
  }

  /// So many steps, with as many exchanges of halos as turn out to be fastest.
  void run_blocks(std::int64_t steps, std::int64_t end) {
    if constexpr (over_ranks) {
      m_tuning->begin();
      // First it is found out how sweeps run.
      if (m_tuning->comparisons() == 0 || tuning_mode() == TuningMode::by_extents || steps < m_block)
        return run_block(steps, end);
      TuningGroup::Scope const scope(m_tuning.get(), "steps per exchange");
      std::vector<std::string> names;
      for (std::int64_t n = m_block; n > 0; n /= 2) names.push_back(std::to_string(n));
      m_tuning->run(m_policy.space(), 1, names, 0, [&](std::size_t number) {
        std::int64_t const block = m_block >> number;
        for (std::int64_t left = steps; left > 0; left -= std::min(block, left)) run_block(std::min(block, left), end);
      });
    }
  }

  /// So many steps between exchanges of halos: each computes those points around the interior that the others read.
  void run_block(std::int64_t steps, std::int64_t end) {
    if (steps == 1) return run_depth(1);
    TuningGroup::Scope const scope(m_tuning.get(), "sweeps of steps");
    exchange(steps);
    m_ends = m_settles && m_done + steps == end;
    for (m_ahead = steps; m_ahead > 0;) run_sweeps(m_ahead);
    m_ends = m_settles;
  }

  void run_sweeps(std::int64_t left) {
    if constexpr (fuses)
      if (!m_depths.empty()) return run_fastest_depth(left);
    run_depth(1);
  }

  /// One sweep, of so many steps.
  void run_depth(int depth) {
    if (depth == 1 && m_ahead == 0) {
      with_functors([&](auto const&... functors) {
        dispatch_stencil(m_label, m_policy, m_views.inputs(), m_views.outputs(), NoReduction(), functors...);
      });
    } else if (depth == 1) {
      if constexpr (over_ranks) {
        // How one of them reads is another choice than how many steps share one.
        TuningGroup::Scope const scope(m_tuning.get(), "single sweeps of steps");
        with_work([&](auto const& work, auto const&) { run_work(m_label, local_policy(m_policy), work); });
      }
    } else if constexpr (fuses) {
      with_work([&](auto const& work, auto const& boundary) {
        using Work = std::decay_t<decltype(work)>;
        if constexpr (FusesSteps<Tag, Exec, Work, std::decay_t<decltype(boundary)>>)
          run_fused_steps(Tag{}, m_policy.space(), m_label, work, boundary, depth);
      });
    }
    finish_sweep(depth);
  }

  /// One sweep on chip; where it cannot be made, others.
  void run_on_chip_or_not(int steps) {
    bool done = false;
    with_work([&](auto const& work, auto const& boundary) {
      using Work = std::decay_t<decltype(work)>;
      if constexpr (KeepsOnChip<Tag, Exec, Work, std::decay_t<decltype(boundary)>>)
        done = steps > 1 && run_on_chip(Tag{}, m_policy.space(), m_label, work, boundary, steps);
    });
    if (done) return finish_sweep(steps);
    for (auto const end = m_done + steps; m_done < end;)
      run_depth(next_depth(end - m_done, m_depths[m_depths.size() - 2]));
  }

  void finish_sweep(int steps) {
    m_done += steps;
    m_ahead = std::max<std::int64_t>(0, m_ahead - steps);
    m_views.turn();
  }

  /// Calls visit(work, boundary) with a sweep's work in canonical form.
  template <class Visit>
  void with_work(Visit const& visit) const {
    auto const in_place = [&](auto const& work, auto const& boundary) {
      if constexpr (steps_in_place) visit(work, StepsInPlace());
      else visit(work, boundary);
    };
    auto const of_part = [&](auto const& work, [[maybe_unused]] auto const& boundary) {
      if constexpr (over_ranks) in_place(work_for_steps(m_policy, work, std::max<std::int64_t>(m_ahead, 1)), boundary);
      else in_place(work, boundary);
    };
    with_functors([&](auto const&... functors) {
      dispatch_order(m_label, VisitingPolicy<LocalPolicy<Policy>, decltype(of_part)>{local_policy(m_policy), of_part},
                     m_views.inputs(), m_views.outputs(), NoReduction(), WholeDomain(), functors...);
    });
  }

  void find_depths() {
    with_work([&](auto const& work, auto const& boundary) {
      using Work = std::decay_t<decltype(work)>;
      if constexpr (FusesSteps<Tag, Exec, Work, std::decay_t<decltype(boundary)>>) {
        auto const most = m_policy.fused_steps();
        for (int const depth : fused_depths(Tag{}, m_policy.space(), work, boundary, most))
          if ((most == 0 || depth <= most) && (m_block == 0 || depth <= m_block)) m_depths.push_back(depth);
        if constexpr (KeepsOnChip<Tag, Exec, Work, std::decay_t<decltype(boundary)>>)
          m_on_chip = (most == 0 || most >= min_on_chip) && m_block == 0 &&
                      fits_on_chip(Tag{}, m_policy.space(), work, boundary);
        if (m_on_chip) m_depths.push_back(trial_on_chip);
        m_extents = work.extents;
        m_type    = std::string(typeid(Work).name()) + ' ' + typeid(boundary).name();
      }
    });
    if (!m_depths.empty()) m_depths.insert(m_depths.begin(), 1);
  }

  /// How often the Views change roles between the steps that are run now and the end, if that shall be in the state.
  int turns_left() const { return m_sweeps_after + m_views.in_other(); }

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
      if (!m_ends || (1 + after + turns_left()) % 2 == 0) return depth;
    }
    return fallback;
  }

  /// The next sweep on chip: with as few of them as possible, and an even number if they end in the state, but in a
  /// graph that is captured, which may have memory for one.
  void run_sweep_on_chip(std::int64_t left) {
    std::int64_t const most = m_policy.fused_steps() > 0 ? m_policy.fused_steps() : max_on_chip;
    std::int64_t sweeps     = (left + most - 1) / most;
    if (m_ends && Stopwatch<Exec>::can_measure(m_policy.space())) sweeps += (sweeps + turns_left()) % 2;
    run_on_chip_or_not(int((left + sweeps - 1) / sweeps));
  }

  /// Sweeps of as many steps as turn out to be fastest, or one of what is left.
  void run_fastest_depth(std::int64_t left) {
    if (left == 1) return run_depth(1);
    int const deepest = m_depths.back();
    auto const last   = m_depths.size() - 1;
    if (m_policy.fused_steps() > 0) return m_on_chip ? run_sweep_on_chip(left) : run_depth(next_depth(left, deepest));

    double const points = double(m_extents[0]) * double(m_extents[1]) * double(m_extents[2]);
    auto const choices  = [&] { return depth_choices(points); };
    thread_local RecentTuners<Exec> recent;
    auto const tuner = [&] { return recent.get(m_policy.space(), m_label, m_extents, set_of_depths(), choices); };
    bool const few   = left < (m_ends ? 2 : 1) * deepest;
    if (m_on_chip || few) {
      auto const known = known_fastest(tuner);
      if (known || (few && !m_fastest)) m_fastest = known.value_or(m_on_chip && left < min_on_chip ? last - 1 : last);
      if (m_on_chip && m_fastest == last && (few || known)) return run_sweep_on_chip(left);
    }
    // In the last ones the number of sweeps has to be even.
    if (few) return run_depth(next_depth(left, m_depths[*m_fastest]));

    // All do the same number of steps, so that what a measurement costs does not favor one of them.
    run_fastest(m_policy.space(), points, m_depths.size() - 1, tuner, choices, [&](std::size_t number) {
      m_fastest = number;
      if (m_on_chip && number == last) return run_on_chip_or_not(deepest);
      for (int done = 0; done < deepest; done += m_depths[number]) run_depth(m_depths[number]);
    });
  }

  /// What run_fastest() will run, if that is known.
  template <class FindTuner>
  std::optional<std::size_t> known_fastest(FindTuner const& tuner) const {
    if (tuning_mode() == TuningMode::by_extents) return m_depths.size() - 1;
    if (TuningContext::is_wanted() || TuningGroup::current() != nullptr) return std::nullopt;
    return tuner()->chosen();
  }

  /// The choices, a bit each.
  int set_of_depths() const {
    unsigned set = 0;
    for (int const depth : m_depths) set |= 1U << std::min(depth, 30);
    return int(set);
  }

  TuningChoices depth_choices(double points) const {
    std::vector<std::string> names;
    names.reserve(m_depths.size());
    for (int const depth : m_depths) names.push_back(std::to_string(depth));
    if (m_on_chip) names.back() = "on chip";
    auto type = m_type;
    for (auto const& name : names) type += ' ' + name;
    return {
        {"stencil_steps", m_label, type, size_classes_text(m_extents) + " points", machine_of(Tag{}, m_policy.space())},
        {{"planes", m_extents[0]}, {"rows", m_extents[1]}, {"points a row", m_extents[2]}},
        "steps per sweep",
        names,
        names.size(),
        points};
  }

  std::string m_label;
  Policy m_policy;
  StepsViews<LocalPolicy<Policy>, State, Views> m_views;
  Pack<Functors...> m_functors;
  std::int64_t m_done  = 0;
  std::int64_t m_block = 0;     ///< most steps per exchange of halos; 0: there are no other processes
  std::int64_t m_ahead = 0;     ///< steps that are left until the next exchange
  int m_sweeps_after   = 0;     ///< of the steps that are run now
  bool m_settles       = true;  ///< whether the state shall hold the newest values after the steps that are run now
  bool m_ends          = true;  ///< whether those that sweeps are chosen for are the last of them, if so

  std::shared_ptr<TuningGroup> m_tuning;  ///< choices that all processes make alike, if there are others

  std::vector<int> m_depths;             ///< what may be chosen from; empty: one step a sweep
  bool m_on_chip = false;                ///< whether the last of them stands for any number of steps, on chip
  std::optional<std::size_t> m_fastest;  ///< of them, as far as is known
  Extents3 m_extents{};
  std::string m_type;
};

}  // namespace Koalesce::Impl

#endif
