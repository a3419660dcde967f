// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_PARALLEL_STENCIL_STEPS_HPP
#define KOALESCE_STENCIL_PARALLEL_STENCIL_STEPS_HPP

#include <Koalesce/stencil/ParallelStencil.hpp>
#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/steps/StepsCall.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce {

/// \brief Runs time steps of a stencil, several for one pass over memory where that is faster, and leaves the result in
/// `state`.
///
///     parallel_stencil_steps("heat", policy, fields(u, constant(at_point(k))), scratch, 1000, functor);
///
/// One step is what parallel_stencil does, from the state to the scratch or back. Several steps may share a sweep:
///
/// - On CUDA it moves along the slowest dimension as a pipeline, in which each step computes one plane for every plane
///   that is read, out of the newest planes of the step before it, which stay in registers and shared memory; tiles
///   overlap by what the steps read around them (overlapped temporal tiling, as in A. Nguyen, N. Satish, J. Chhugani,
///   C. Kim, P. Dubey: "3.5-D Blocking Optimization for Stencil Computations on Modern CPUs and GPUs", SC 2010).
///   This is done in two and three dimensions for states that are all read around the point, with constants at the
///   point, without active points or blocks, where the boundary is NoBoundary, or each dimension is periodic or has
///   Dirichlet conditions on both sides (and no corner is read of a periodic dimension and a later one whose condition
///   depends on the place), or mirrors and slopes of a number.
/// - Of the same states, those that fit in the GPU's shared memory can stay there: a kernel makes up to 10000 steps.
///   Its blocks send each other what lies at the edges of their tiles (a persistent kernel, as in L. Zhang, M. Wahib,
///   P. Chen, J. Meng, X. Wang, T. Endo, S. Matsuoka: "PERKS: a Locality-Optimized Execution Model for Iterative
///   Memory-bound GPU Applications", ICS 2023). Its messages take a buffer, which the execution space's instance keeps.
/// - On CPU threads steps follow each other through the planes as a wavefront (G. Wellein, G. Hager, T. Zeiser, M.
///   Wittmann, H. Fehske: "Efficient temporal blocking for stencil computations by multicore-aware wavefront
///   parallelization", COMPSAC 2009), for the same states and boundaries, and with NoBoundary for time_levels().
/// - On the portable backend two steps queue their planes in scratch memory, for the same states and boundaries but
///   mirrors and slopes; on hosts only if with_fused_steps() asks.
///
/// All else takes one step per sweep. How many steps share a sweep is found out by time, as candidates of the tuner,
/// unless StencilPolicy::with_fused_steps() says it.
///
/// The result has the same bits however many steps share a sweep: of known weights always, of a functor if the
/// compiler does not contract products and sums (-ffp-contract=off; nvcc: -fmad=false). A functor must not have side
/// effects: where tiles overlap it is called more than once for a point and step, and at their edges with values that
/// are not the point's neighbors, the result of which is dropped.
///
/// Without a boundary the state's halo stays as it is, and holds for all steps; the scratch's halo is overwritten with
/// it. With a boundary (StencilPolicy::with_boundary()) it holds at every step. Of active points
/// (StencilPolicy::with_active()) the others keep the state's values.
///
/// \param[in]     label   name of the kernels for profilers, as for parallel_stencil.
/// \param[in]     policy  as for parallel_stencil.
/// \param[in,out] state   the fields at the first step, then at the last one: a View, or several as
///                        fields(a, around(shape, b), at_point(c), constant(at_point(k)), ...). Those marked constant()
///                        are read only (over a Domain their halo may be written, if they are not const);
///                        time_levels() marks those that depend on their last two values.
/// \param[in,out] scratch as many Views as the state has without its constants and time levels, in the same order,
///                        each of the same type and with the same interior; fields() if there are none. Their values
///                        are lost.
/// \param[in]     steps   number of time steps; 0 is allowed.
/// \param[in]     args    what parallel_stencil takes as functors: one, known weights with or without a functor after
///                        them, or one per stage; then, if wanted, every(). The functor returns a value for each field
///                        of the state that is not constant, in their order. with_step() makes one that knows the step.
/// \throws Error before anything runs, as parallel_stencil does for a sweep from the state to the scratch or back; if
///         there are fewer than 0 steps, fewer than 0 fused ones, or a period of fewer than 1; if a constant overlaps
///         with the state or the scratch. What every()'s function throws passes through; the state then holds the
///         result of the steps that it was told.
template <class... Options, class State, class Scratch, class... Args>
void parallel_stencil_steps(std::string const& label, StencilPolicy<Options...> const& policy, State const& state,
                            Scratch const& scratch, std::int64_t steps, Args const&... args) {
  constexpr std::size_t functors = sizeof...(Args) - Impl::pauses_in<Args...>;
  if constexpr (Impl::check_pauses<functors, Args...>())
    Impl::split_steps<functors>(label, policy, Impl::as_pack(state), Impl::as_pack(scratch), steps, args...);
}

/// \brief Time steps as above of which the last one also reduces: the norm of the last change, the energy at the end.
///
///     double norm = 0;  // jacobi(u, f, z, y, x, sum)
///     parallel_stencil_steps_reduce("jacobi", policy, fields(u, constant(at_point(f))), scratch, 100, jacobi, norm);
///
/// The functor has one more parameter for every result, as that of parallel_stencil_reduce; the steps before the last
/// one drop what it adds there. The last step has a sweep to itself. Of 0 steps, results are the reducers' identities.
///
/// \param[in] label, policy, state, scratch, steps  as above.
/// \param[in] args  the functor, or several, and every(), as above, then the results, as of parallel_stencil_reduce.
/// \throws Error as above, or if a result has no memory or memory that neither the execution space nor the host can
///         access. If there is no memory for partial results, the state holds the result of all steps but the last.
template <class... Options, class State, class Scratch, class... Args>
void parallel_stencil_steps_reduce(std::string const& label, StencilPolicy<Options...> const& policy,
                                   State const& state, Scratch const& scratch, std::int64_t steps, Args&&... args) {
  using Shape                    = typename StencilPolicy<Options...>::shape_type;
  constexpr std::size_t functors = Impl::functor_count<Shape, std::decay_t<Args>...>;
  constexpr bool results         = sizeof...(Args) > functors + Impl::pauses_in<Args...>;
  static_assert(results,
                "Koalesce::parallel_stencil_steps_reduce: give the functors, then every() if wanted, then at least one "
                "result");
  if constexpr (results && Impl::check_pauses<functors, Args...>())
    Impl::split_steps<functors>(label, policy, Impl::as_pack(state), Impl::as_pack(scratch), steps, args...);
}

}  // namespace Koalesce

#endif
