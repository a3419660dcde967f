// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Regroup.hpp>

#include <concepts>

/// Calls of parallel_regroup that do not compile: one for each macro that CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

using Exec = Kokkos::DefaultExecutionSpace;
using Team = Kokkos::TeamPolicy<Exec>::member_type;

enum class Kind { first, second };

template <class Path>
struct Predict {
  KOKKOS_FUNCTION Path operator()(std::int64_t item) const { return Path(item % 2); }
};

/// A key that is no number.
struct Name {
  KOKKOS_FUNCTION char const* operator()(std::int64_t) const { return "item"; }
};

struct Ignore {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};
struct Count {
  KOKKOS_FUNCTION void operator()(std::int64_t, int& count) const { ++count; }
};

struct AddToCopy {
  KOKKOS_FUNCTION void operator()(std::int64_t, int count) const { ++count; }
};
struct AddOnPath {
  KOKKOS_FUNCTION void operator()(std::same_as<std::int64_t> auto, std::same_as<int> auto, auto&& count) const {
    ++count;
  }
};
struct AddToCopyOnPath {
  KOKKOS_FUNCTION void operator()(std::int64_t, int, int count) const { ++count; }
};
struct Mutable {
  KOKKOS_FUNCTION void operator()(std::int64_t) {}
};

template <class Path = int>
void loop(auto const& policy) {
  parallel_regroup("must not compile", policy, Predict<Path>(), Ignore(), Ignore());
}

template <class Path = int>
void reduce(auto const& policy) {
  int count = 0;
  parallel_regroup_reduce("must not compile", policy, Predict<Path>(), Count(), Count(), count);
}

template <class... Properties>
Kokkos::RangePolicy<Exec, Properties...> range() {
  return {Exec(), 0, 10};
}

/// A kernel of the user's.
template <class Path>
struct Branch {
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    team_regroup(team, 10, Paths(2), Predict<Path>(), [](int, int) {});
  }
};

struct alignas(32) Aligned {
  double values[4];
};
struct IgnoreAligned {
  KOKKOS_FUNCTION void operator()(std::int64_t, Aligned const&) const {}
};

struct Tag {};

struct Copied {
  Copied() = default;
  KOKKOS_FUNCTION Copied(Copied const& other) : value(other.value) {}
  int value = 0;
};

/// One element of a payload.
struct IgnoreElement {
  KOKKOS_FUNCTION void operator()(std::int64_t, auto&) const {}
};

void payload(auto const& moved) {
  parallel_regroup("must not compile", RegroupPolicy(Exec(), 0, 10).with_payload(moved), Predict<int>(),
                   IgnoreElement(), IgnoreElement());
}

/// The states of items.
template <class State>
struct Begin {
  KOKKOS_FUNCTION State operator()(std::int64_t) const { return State(3); }
};
template <class State, class Done>
struct Step {
  KOKKOS_FUNCTION Done operator()(std::int64_t, State&) const { return Done(1); }
};
template <class State>
struct End {
  KOKKOS_FUNCTION void operator()(std::int64_t, State const&) const {}
};

template <class Update>
struct StepAndAdd {
  KOKKOS_FUNCTION bool operator()(std::int64_t, Update count) const { return ++count > 0; }
};
template <class Update>
struct EndAndAdd {
  KOKKOS_FUNCTION void operator()(std::int64_t, int state, Update count) const { count += state; }
};

template <class State, class Done>
void until() {
  parallel_regroup_until("must not compile", 10, Begin<State>(), Step<State, Done>(), End<State>());
}

struct Required {
  KOKKOS_FUNCTION explicit Required(int v) : value(v) {}
  int value;
};

/// A kernel that needs no number of paths, or has a payload.
template <class Path>
struct BranchOfTwo {
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    team_regroup(team, 10, Predict<Path>(), [](int, bool) {});
  }
};
template <class View>
struct BranchWithPayload {
  View view;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    TeamRegroup const items(
        team, 10, Paths(2), [](int, auto const&) { return 0; }, one_way(view));
  }
};

void check() {
  [[maybe_unused]] int count = 0;
#if defined(MUST_NOT_COMPILE_regroup)
  loop(RegroupPolicy(Exec(), 0, 10));
  loop(range());
  loop(range<Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Static>, Kokkos::LaunchBounds<>>());
  loop(10);
  loop(std::size_t(10));
  loop<bool>(10);
  loop<Kind>(10);
  loop<unsigned char>(10);
  loop(RegroupPolicy(Exec(), 0, 10).with_order(Predict<float>()));
  payload(one_way(Kokkos::View<int*>("p", 10)));
  parallel_regroup_until("must compile", 10, Predict<bool>());
  until<int, bool>();
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), BranchOfTwo<bool>());
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), BranchWithPayload<Kokkos::View<int*>>());
  reduce(range<Kokkos::IndexType<long>>());
  reduce<Kind>(10);
  parallel_regroup_reduce("must compile", 10, Paths(2), Predict<int>(), AddOnPath(), count);
  parallel_regroup_until_reduce("must compile", 10, StepAndAdd<int&>(), count);
  parallel_regroup_until_reduce("must compile", 10, Begin<int>(), Step<int, bool>(), EndAndAdd<int&>(), count);
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), Branch<Kind>());
#elif defined(MUST_NOT_COMPILE_regroup_functor_of_two)
  parallel_regroup("must not compile", 10, Predict<int>(), Ignore(), Count());
#elif defined(MUST_NOT_COMPILE_regroup_functor_not_const)
  parallel_regroup("must not compile", 10, Predict<int>(), Mutable(), Mutable());
#elif defined(MUST_NOT_COMPILE_regroup_functor_of_one_way)
  parallel_regroup("must not compile",
                   RegroupPolicy(Exec(), 0, 10).with_payload(one_way(Kokkos::View<int*, Exec>("p", 10))),
                   Predict<int>(), Count(), Count());
#elif defined(MUST_NOT_COMPILE_regroup_reduced_functor)
  parallel_regroup_reduce("must not compile", 10, Predict<int>(), Ignore(), count);
#elif defined(MUST_NOT_COMPILE_regroup_functor_without_path)
  parallel_regroup("must not compile", 10, Paths(2), Predict<int>(), Ignore());
#elif defined(MUST_NOT_COMPILE_regroup_predictor_of_two)
  parallel_regroup("must not compile", 10, Count(), Ignore());
#elif defined(MUST_NOT_COMPILE_regroup_without_functors)
  parallel_regroup("must not compile", 10, Predict<int>());
#elif defined(MUST_NOT_COMPILE_regroup_by_value)
  parallel_regroup_reduce("must not compile", 10, Predict<int>(), Count(), AddToCopy(), count);
#elif defined(MUST_NOT_COMPILE_regroup_paths_by_value)
  parallel_regroup_reduce("must not compile", 10, Paths(2), Predict<int>(), AddToCopyOnPath(), count);
#elif defined(MUST_NOT_COMPILE_regroup_until_by_value)
  parallel_regroup_until_reduce("must not compile", 10, StepAndAdd<int>(), count);
#elif defined(MUST_NOT_COMPILE_regroup_until_finish_by_value)
  parallel_regroup_until_reduce("must not compile", 10, Begin<int>(), Step<int, bool>(), EndAndAdd<int>(), count);
#elif defined(MUST_NOT_COMPILE_regroup_until_functor)
  parallel_regroup_until("must not compile", 10, Step<int, bool>());
#elif defined(MUST_NOT_COMPILE_regroup_until_begin)
  parallel_regroup_until("must not compile", 10, Step<int, bool>(), Step<int, bool>(), End<int>());
#elif defined(MUST_NOT_COMPILE_regroup_until_second_functor)
  parallel_regroup_until("must not compile", 10, Begin<int>(), Begin<int>(), End<int>());
#elif defined(MUST_NOT_COMPILE_regroup_until_third_functor)
  parallel_regroup_until("must not compile", 10, Begin<int>(), Step<int, bool>(), Begin<int>());
#elif defined(MUST_NOT_COMPILE_regroup_work_tag)
  loop(range<Tag>());
#elif defined(MUST_NOT_COMPILE_regroup_launch_bounds)
  loop(range<Kokkos::LaunchBounds<128, 2>>());
#elif defined(MUST_NOT_COMPILE_regroup_schedule)
  loop(range<Kokkos::Schedule<Kokkos::Dynamic>>());
#elif defined(MUST_NOT_COMPILE_regroup_occupancy)
  loop(Kokkos::Experimental::prefer(range(), Kokkos::Experimental::DesiredOccupancy(50)));
#elif defined(MUST_NOT_COMPILE_regroup_reduced_work_tag)
  reduce(range<Tag>());
#elif defined(MUST_NOT_COMPILE_regroup_team_policy)
  loop(Kokkos::TeamPolicy<Exec>(1, 1));
#elif defined(MUST_NOT_COMPILE_regroup_number_of_items)
  loop(1.5);
#elif defined(MUST_NOT_COMPILE_regroup_reduced_number_of_items)
  reduce(true);
#elif defined(MUST_NOT_COMPILE_regroup_predictor)
  loop<double>(10);
#elif defined(MUST_NOT_COMPILE_regroup_reduced_predictor)
  reduce<float>(10);
#elif defined(MUST_NOT_COMPILE_regroup_payload_twice)
  Kokkos::View<int*> const a("a", 10), b("b", 10);
  RegroupPolicy(Exec(), 0, 10).with_payload(one_way(a)).with_payload(one_way(b));
#elif defined(MUST_NOT_COMPILE_regroup_payload_alignment)
  parallel_regroup("must not compile",
                   RegroupPolicy(Exec(), 0, 10).with_payload(one_way(Kokkos::View<Aligned*>("a", 10))), Predict<int>(),
                   IgnoreAligned(), IgnoreAligned());
#elif defined(MUST_NOT_COMPILE_regroup_key)
  loop(RegroupPolicy(Exec(), 0, 10).with_order(Name()));
#elif defined(MUST_NOT_COMPILE_regroup_until_key)
  parallel_regroup_until("must not compile", RegroupPolicy(Exec(), 0, 10).with_order(Predict<float>()),
                         Predict<bool>());
#elif defined(MUST_NOT_COMPILE_regroup_until_two_functors)
  parallel_regroup_until("must not compile", 10, Predict<bool>(), Predict<bool>());
#elif defined(MUST_NOT_COMPILE_regroup_until_step)
  parallel_regroup_until("must not compile", 10, Predict<int>());
#elif defined(MUST_NOT_COMPILE_regroup_team_predictor)
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), Branch<double>());
#elif defined(MUST_NOT_COMPILE_regroup_payload_of_planes)
  payload(one_way(Kokkos::View<int**>("p", 10, 10)));
#elif defined(MUST_NOT_COMPILE_regroup_payload_of_no_bytes)
  payload(one_way(Kokkos::View<Copied*>("p", 10)));
#elif defined(MUST_NOT_COMPILE_regroup_const_payload_returns)
  payload(round_trip(Kokkos::View<int const*>(Kokkos::View<int*>("p", 10))));
#elif defined(MUST_NOT_COMPILE_regroup_until_state)
  until<Required, bool>();
#elif defined(MUST_NOT_COMPILE_regroup_until_step_of_state)
  until<int, int>();
#elif defined(MUST_NOT_COMPILE_regroup_team_of_two_paths)
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), BranchOfTwo<int>());
#elif defined(MUST_NOT_COMPILE_regroup_team_payload_of_planes)
  Kokkos::parallel_for(Kokkos::TeamPolicy<Exec>(1, 1), BranchWithPayload<Kokkos::View<int**>>());
#endif
}

}  // namespace Koalesce::Test
