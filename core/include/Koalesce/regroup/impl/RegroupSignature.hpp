// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_SIGNATURE_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_SIGNATURE_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/common/impl/ResultParameters.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

/// Compile-time checks of the functors of parallel_regroup and parallel_regroup_until, with one clear message each.
/// Each fails a static_assert and returns false if a functor is wrong; the caller then compiles no code that would add
/// errors of its own.
namespace Koalesce::Impl {

/// What a functor of a call with this result takes last.
template <class Result>
struct UpdateOf {
  using type = TypeList<typename ResultValue<Result>::type>;
};
template <>
struct UpdateOf<NoResult> {
  using type = TypeList<>;
};

template <class F, class... Arguments, class... Updates>
constexpr bool is_callable(TypeList<Arguments...>, TypeList<Updates...>) {
  return is_device_lambda<F> || std::is_invocable_v<F const&, Arguments..., Updates&...>;
}

/// check_results() of all functors, which can be called so.
template <class... Functors, class Arguments, class Update>
constexpr bool check_all_results(Arguments, Update) {
  constexpr auto passes = []<class F>(std::type_identity<F>) {
    if constexpr (is_device_lambda<F>) return true;
    else return check_results<F>(Arguments(), Update());
  };
  return (passes(std::type_identity<Functors>()) && ...);
}

template <class Predict>
constexpr bool check_predictor() {
  constexpr bool predicts = is_callable<Predict>(TypeList<std::int64_t&>(), TypeList<>());
  static_assert(predicts,
                "Koalesce::parallel_regroup: the predictor must be const and callable as predict(std::int64_t i)");
  return predicts;
}

/// The arguments after the policy, whose first may be the number of paths.
template <class Payload, class Args>
struct RegroupSignature {
  static constexpr bool passes(auto) {
    static_assert(std::tuple_size_v<Args> != std::tuple_size_v<Args>,
                  "Koalesce::parallel_regroup: give a predictor, then one functor per path");
    return false;
  }
};
template <class... Parts, class Predict, class... Functors>
struct RegroupSignature<Pack<Parts...>, std::tuple<Predict const&, Functors const&...>> {
  template <class Update>
  static constexpr bool passes(Update update) {
    constexpr auto arguments = TypeList<std::int64_t&, typename Parts::View::reference_type...>();
    constexpr bool some = sizeof...(Functors) > 0, callable = (is_callable<Functors>(arguments, Update()) && ...);
    static_assert(some, "Koalesce::parallel_regroup: give one functor per path");
    static_assert(callable,
                  "Koalesce::parallel_regroup: the functor of every path must be const and callable as f(std::int64_t "
                  "i), and after i with one T const& for every one_way() View<T*> of the payload and one T& for every "
                  "round_trip() one, then, of parallel_regroup_reduce, with a reference for the result");
    if constexpr (some && callable && check_predictor<Predict>())
      return check_all_results<Functors...>(arguments, update);
    return false;
  }
};
template <class... Parts, class Predict, class Functor>
struct RegroupSignature<Pack<Parts...>, std::tuple<Paths const&, Predict const&, Functor const&>> {
  template <class Update>
  static constexpr bool passes(Update update) {
    constexpr auto arguments = TypeList<std::int64_t&, int const&, typename Parts::View::reference_type...>();
    constexpr bool callable  = is_callable<Functor>(arguments, Update());
    static_assert(callable,
                  "Koalesce::parallel_regroup: with Paths(n) the functor must be const and callable as f(std::int64_t "
                  "i, int path), and after path with one T const& for every one_way() View<T*> of the payload and one "
                  "T& for every round_trip() one, then, of parallel_regroup_reduce, with a reference for the result");
    if constexpr (callable && check_predictor<Predict>()) return check_all_results<Functor>(arguments, update);
    return false;
  }
};

/// \tparam Args  a tuple of references to the arguments after the policy, but the result.
template <class Policy, class Result, class Args>
constexpr bool check_regroup_functors() {
  using Payload = std::decay_t<decltype(std::declval<Policy const&>().payload())>;
  return RegroupSignature<Payload, Args>::passes(typename UpdateOf<Result>::type());
}

/// The functors of parallel_regroup_until.
template <class Args>
struct UntilSignature {
  static constexpr bool passes(auto) { return false; }  // another number of functors: the caller says so
};
template <class Step>
struct UntilSignature<std::tuple<Step const&>> {
  template <class Update>
  static constexpr bool passes(Update update) {
    constexpr auto arguments = TypeList<std::int64_t&>();
    constexpr bool callable  = is_callable<Step>(arguments, Update());
    static_assert(callable,
                  "Koalesce::parallel_regroup_until: the functor must be const and callable as step(std::int64_t i), "
                  "of parallel_regroup_until_reduce with a reference for the result after i");
    if constexpr (callable) return check_all_results<Step>(arguments, update);
    return false;
  }
};
template <class Init, class Step, class Finish>
struct UntilSignature<std::tuple<Init const&, Step const&, Finish const&>> {
  template <class Update>
  static constexpr bool passes(Update update) {
    constexpr bool begins = is_callable<Init>(TypeList<std::int64_t>(), TypeList<>());
    static_assert(begins,
                  "Koalesce::parallel_regroup_until: the first functor must be const and callable as init(std::int64_t "
                  "i), returning the item's state");
    if constexpr (is_device_lambda<Init>) {
      return true;
    } else if constexpr (begins) {
      using State              = std::decay_t<std::invoke_result_t<Init const&, std::int64_t>>;
      constexpr auto arguments = TypeList<std::int64_t&, State const&>();
      constexpr bool steps     = is_callable<Step>(TypeList<std::int64_t&, State&>(), TypeList<>()),
                     ends      = is_callable<Finish>(arguments, Update());
      static_assert(steps,
                    "Koalesce::parallel_regroup_until: the second functor must be const and callable as "
                    "step(std::int64_t i, State& state) with what init(i) returns");
      static_assert(ends,
                    "Koalesce::parallel_regroup_until: the third functor must be const and callable as "
                    "finish(std::int64_t i, State const& state) with what init(i) returns, of "
                    "parallel_regroup_until_reduce with a reference for the result after it");
      if constexpr (steps && ends) return check_all_results<Finish>(arguments, update);
    }
    return false;
  }
};

template <class Result, class Args>
constexpr bool check_until_functors() {
  return UntilSignature<Args>::passes(typename UpdateOf<Result>::type());
}

}  // namespace Koalesce::Impl

#endif
