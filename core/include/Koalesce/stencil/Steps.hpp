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

/// \brief A field of parallel_stencil_steps with two time levels, as time_levels() marks it.
template <class In, class View>
struct TimeLevels {
  In now;         ///< the newest level: a View, or what around() made of it
  View previous;  ///< the one before it
};

/// \brief Marks a field of parallel_stencil_steps whose next value depends on its last two, such as a wave:
///
///     parallel_stencil_steps("wave", policy, fields(time_levels(u, previous), constant(at_point(speed))), fields(),
///                            steps, leapfrog);
///
/// The functor receives the newest level around the point, and, among the values at the point, the level before it; it
/// returns the next level. The two Views change roles from step to step, so that the field needs no scratch and nothing
/// is copied; after an odd number of steps their values are exchanged once. Not for Staged shapes or many blocks.
///
/// \param[in] now       the newest level: a View, or what around() made of it.
/// \param[in] previous  the level before it: a View of the same type, interior and, without a boundary, halo. Its halo
///                      may be overwritten with that of the newest level.
template <class In, class View>
TimeLevels<In, View> time_levels(In const& now, View const& previous) {
  return {now, previous};
}

/// \brief A functor that is told the number of the step, as with_step() marks it.
template <class F>
struct WithStep {
  F functor;             ///< the caller's
  std::int64_t step{0};  ///< of the call, from 0 on

  /// functor(step, arguments...)
  template <class... Args>
  KOKKOS_FUNCTION auto operator()(Args&&... args) const -> decltype(functor(step, static_cast<Args&&>(args)...)) {
    return functor(step, static_cast<Args&&>(args)...);
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
///
/// A function that can be called with function(done, u, v, ...) also gets the Views that hold the newest values, one
/// for each field of the state that is not constant, in their order and of the state's or the scratch's Views. Before a
/// call no interior is copied for it but points that are not active, which matters where it is called after every few
/// steps; the halos are copied whole, once.
template <class F>
Every<F> every(std::int64_t period, F const& function) {
  return {period, function};
}

}  // namespace Koalesce

#endif
