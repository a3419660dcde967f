// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_FUNCTOR_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_FUNCTOR_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// The caller's functor as each of the steps calls it.
namespace Koalesce::Impl {

/// A functor that reduces, as the steps before the last one call it: what it reduces is dropped.
/// \tparam Update  what it reduces, as a Pack.
template <class F, class Update>
struct WithoutResults;
template <class F, class... Ts>
struct WithoutResults<F, Pack<Ts...>> {
  F functor;

  template <class... Args>
  KOKKOS_FUNCTION auto operator()(Args const&... args) const {
    Pack<Ts...> dropped{};
    return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
      return functor(args..., get<I>(dropped)...);
    }(std::index_sequence_for<Ts...>{});
  }
};

template <class Update, class F>
auto without_results(F const& functor) {
  if constexpr (std::is_same_v<Update, Pack<>>) return functor;
  else return wrap_functor(functor, [](auto const& f) { return WithoutResults<std::decay_t<decltype(f)>, Update>{f}; });
}

/// Whether a functor is told the number of the step. What wraps functors says so of them, and has a go_on() of its own.
template <class F>
inline constexpr bool knows_step = false;
template <class F>
inline constexpr bool knows_step<WithStep<F>> = true;
template <class F, class Update>
inline constexpr bool knows_step<WithoutResults<F, Update>> = knows_step<F>;
template <class Weights, class F>
inline constexpr bool knows_step<LinearThen<Weights, F>> = knows_step<F>;

/// Makes a functor that of so many steps later.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void go_on(WithStep<F>& functor, std::int64_t steps) {
  functor.step += steps;
}
template <class F, class Update>
KOKKOS_FORCEINLINE_FUNCTION void go_on(WithoutResults<F, Update>& functor, std::int64_t steps) {
  go_on(functor.functor, steps);
}
template <class Weights, class F>
KOKKOS_FORCEINLINE_FUNCTION void go_on(LinearThen<Weights, F>& functor, std::int64_t steps) {
  go_on(functor.then, steps);
}

/// A functor as a later step calls it.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION F const& later_by(F const& functor, std::int64_t) {
  return functor;
}
template <class F>
  requires knows_step<F>
KOKKOS_FORCEINLINE_FUNCTION F later_by(F const& functor, std::int64_t steps) {
  F later = functor;
  go_on(later, steps);
  return later;
}

}  // namespace Koalesce::Impl

#endif
