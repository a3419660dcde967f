// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_UNTIL_WORK_HPP
#define KOALESCE_REGROUP_IMPL_UNTIL_WORK_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace Koalesce::Impl {

/// Items whose state is in the user's Views: one functor.
template <class Step>
struct StepsInMemory {
  struct State {};

  Step functor;

  KOKKOS_FORCEINLINE_FUNCTION State init(std::int64_t) const { return {}; }
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION bool step(std::int64_t item, State&, Update& update) const {
    if constexpr (std::is_same_v<Update, NoUpdate>) return done(functor(item));
    else return done(functor(item, update));
  }
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t, State const&, Update&) const {}

 private:
  template <class Done>
  KOKKOS_FORCEINLINE_FUNCTION static bool done(Done is_done) {
    static_assert(std::is_same_v<Done, bool>,
                  "Koalesce::parallel_regroup_until: step(i) must return a bool, whether the item is done");
    return is_done;
  }
};

/// Items whose state stays on chip: three functors.
template <class Init, class Step, class Finish>
struct StepsInRegisters {
  using State = std::decay_t<decltype(std::declval<Init const&>()(std::int64_t()))>;

  static_assert(std::is_default_constructible_v<State> && std::is_copy_assignable_v<State>,
                "Koalesce::parallel_regroup_until: the state that init(i) returns must be default constructible and "
                "copyable, because threads keep that of one item after the other");

  Init first;
  Step functor;
  Finish last;

  KOKKOS_FORCEINLINE_FUNCTION State init(std::int64_t item) const { return first(item); }
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION bool step(std::int64_t item, State& state, Update&) const {
    static_assert(std::is_same_v<decltype(functor(item, state)), bool>,
                  "Koalesce::parallel_regroup_until: step(i, state) must return a bool, whether the item is done");
    return functor(item, state);
  }
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t item, State const& state, Update& update) const {
    if constexpr (std::is_same_v<Update, NoUpdate>) last(item, state);
    else last(item, state, update);
  }
};

/// A loop whose items take steps until they are done.
template <class StepsOfItems>
struct UntilWork {
  using Steps = StepsOfItems;
  using State = typename Steps::State;

  std::int64_t begin, end;
  Steps steps;

  std::int64_t items() const { return end - begin; }

  /// All of an item, as in the plain loop.
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t item, Update& update) const {
    State state = steps.init(item);
    while (!steps.step(item, state, update)) continue;
    steps.finish(item, state, update);
  }
};

template <class Policy, class Step>
auto until_work(Policy const& policy, std::tuple<Step const&> const& args) {
  return UntilWork<StepsInMemory<Step>>{policy.begin(), policy.end(), {std::get<0>(args)}};
}
template <class Policy, class Init, class Step, class Finish>
auto until_work(Policy const& policy, std::tuple<Init const&, Step const&, Finish const&> const& args) {
  return UntilWork<StepsInRegisters<Init, Step, Finish>>{
      policy.begin(), policy.end(), {std::get<0>(args), std::get<1>(args), std::get<2>(args)}};
}

}  // namespace Koalesce::Impl

#endif
