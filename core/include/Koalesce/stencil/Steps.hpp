// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_STEPS_HPP
#define KOALESCE_STENCIL_STEPS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce {

/// \brief A field of parallel_stencil_steps that no step changes, as constant() marks it.
template <class In>
struct Constant {
  In input;  ///< the View, or what around() or at_point() made of it
};

/// \brief Marks a field of parallel_stencil_steps that no step changes, such as a coefficient:
/// `fields(u, constant(at_point(diffusivity)))`.
template <class In>
Constant<In> constant(In const& input) {
  return {input};
}

/// \brief A functor that is told the number of the step, as with_step() marks it.
template <class F>
struct WithStep {
  F functor;             ///< the caller's
  std::int64_t step{0};  ///< of the call, from 0 on

  /// functor(step, arguments...)
  template <class... Args>
  KOKKOS_FUNCTION auto operator()(Args const&... args) const -> decltype(functor(step, args...)) {
    return functor(step, args...);
  }
};

/// \brief Marks a functor of parallel_stencil_steps that is called with the number of the step first, from 0 on:
/// functor(step, u..., v..., i...).
template <class F>
WithStep<F> with_step(F const& functor) {
  return {functor};
}

/// \brief What parallel_stencil_steps calls between steps, as every() makes it.
template <class F>
struct Every {
  std::int64_t period;  ///< in steps
  F function;           ///< called with the number of steps that are done
};

/// \brief An argument of parallel_stencil_steps: function(done) is called on the host after every `period` steps, when
/// the state holds the result of `done` steps. Nothing waits for the execution space; what the function starts on the
/// policy's instance sees that result.
template <class F>
Every<F> every(std::int64_t period, F const& function) {
  return {period, function};
}

}  // namespace Koalesce

#endif
