// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_PARALLEL_STENCIL_HPP
#define KOALESCE_STENCIL_PARALLEL_STENCIL_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/Fields.hpp>
#include <Koalesce/stencil/Inputs.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/StencilShape.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>
#include <Koalesce/stencil/impl/StencilCall.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace Koalesce {

/// \brief Applies a stencil to every interior point: out(p) = functor(values of in around p, p).
///
/// The method is a plane queue (a circular queue in its source): thread blocks march along the slowest dimension and
/// keep the 2r + 1 planes around the current one, with their halos, on chip; each step reads one new plane, coalesced,
/// into the slot of the oldest (C. Hu, A. Wang, J. Li, J. Li, University of Science and Technology Beijing: "A GPU
/// stencil method supporting coalesced access and a circular queue", Chinese patent application, 2023). Because planes
/// are whole, boxes and composite operators also run in one sweep.
///
/// Fields have the policy's rank. A field with n interior points in a dimension and a halo of width h has n + 2h points
/// there; the interior starts at index h. Each field has its own h: inputs need h >= the shape's radius, outputs need
/// none. Only interior points of the outputs are written. LayoutRight, LayoutLeft and LayoutStride may be mixed; the
/// order of the loops follows the first output.
///
/// On CUDA a functor's first calls time up to five ways, from the queue, from tiles in registers and through the
/// caches, and keep the fastest one (see StencilPolicy::with_taps()). Its results may therefore differ in their last
/// bits from run to run and from call to call. If with_taps() names one, all runs with the same number of threads on
/// the same GPU model agree. Between kernels, backends and extents, and between points of one call, bits agree only in
/// programs compiled with -ffp-contract=off (nvcc: -fmad=false), because the compiler otherwise contracts products and
/// sums differently in each kernel. A LinearStencil or SymmetricStencil always gives the same bits.
///
/// Inputs are read in the policy's shape. around() gives an input a shape of its own; at_point() marks one that is read
/// at the point alone: it needs no halo, costs no room on chip, and an output may be the identical View.
///
/// If the policy has a boundary (StencilPolicy::with_boundary()), no field needs a halo. An input that is read around
/// the point may have its own, as `around(shape, view).with_boundary(...)`.
///
/// \param[in] label   name of the kernel for profilers; it appears as "Koalesce::<backend>::<label>".
/// \param[in] policy  execution space instance, interior extents, shape.
/// \param[in] in      a View, or several as fields(a, around(shape, b), at_point(c), ...).
/// \param[in] out     a View, or several as fields(a, b, ...).
/// \param[in] functor called as functor(u..., v..., i...): one Neighborhood<T, Shape> for every input that is read
///                    around the point, then the values of those marked at_point(), each in the order given, then the
///                    indices of the point (std::int64_t, 0 <= i < interior extent); returns the output's value, or
///                    values(...) with one value for every output. Known weights are a functor, too. It has no side
///                    effects: it may be called more than once for a point, and at the ends of rows with values that
///                    are not its neighbors, the result of which is dropped.
/// \throws Error before anything runs, if extents do not match, a halo is narrower than the radius, an output overlaps
///         another field, a View of a face or itself, a field has no memory or memory that the execution space cannot
///         access, nothing fits on chip, a boundary's condition cannot hold (see fill_halo()), or active points were
///         prepared for other extents or another layout than the fields'.
template <class... Options, class In, class Out, class Functor>
void parallel_stencil(std::string const& label, StencilPolicy<Options...> const& policy, In const& in, Out const& out,
                      Functor const& functor) {
  using Shape = typename StencilPolicy<Options...>::shape_type;
  static_assert(!Impl::is_staged<Shape>, "Koalesce::parallel_stencil: a Staged shape needs one functor per stage");
  if constexpr (!Impl::is_staged<Shape>)
    Impl::call_stencil(label, policy, Impl::as_pack(in), Impl::as_pack(out), Impl::NoReduction(), functor);
}

/// \brief Applies known weights to one input, and a functor to their sum: out(p) = then(sum, values at p, p).
///
/// The sum is that of the weights alone, with the same bits.
///
///     parallel_stencil("wave", policy, fields(u, at_point(u), at_point(previous)), previous, laplace, then);
///
/// \param[in] label, policy, out  as above.
/// \param[in] in       the input that the weights are for, and others marked at_point(), as fields(...).
/// \param[in] weights  a LinearStencil or SymmetricStencil, in the shape in which that input is read.
/// \param[in] then     called as then(sum, v..., i...): the weighted sum, the values of inputs marked at_point(), the
///                     indices of the point; returns the output's value, or values(...).
/// \throws Error as above.
template <class... Options, class In, class Out, class Weights, class Then>
  requires(!Impl::is_staged<typename StencilPolicy<Options...>::shape_type> && Impl::is_weights<Weights>)
void parallel_stencil(std::string const& label, StencilPolicy<Options...> const& policy, In const& in, Out const& out,
                      Weights const& weights, Then const& then) {
  Impl::call_stencil(label, policy, Impl::as_pack(in), Impl::as_pack(out), Impl::NoReduction(), weights, then);
}

/// \brief Applies two or more stencils in one sweep: each reads the results of the one before it around each point.
///
/// mid(p) = first(values of in around p, p) is computed for the interior and the halo that the second shape needs,
/// and stays on chip; out(p) = second(values of mid around p, in at p, p). So div(D grad u), the biharmonic operator or
/// a Cahn-Hilliard step read and write their fields once. With a third stage, second(...) is mid2(p), and stays on
/// chip, too; out(p) = third(values of mid2 around p, in at p, p). More stages continue so.
///
/// As above, with Shape = Staged<First, Second> or Staged<First, Second, Third>; inputs need a halo of the sum of all
/// radii, those marked at_point() of all but the first one, and no output may be an input. There is one kernel, so
/// results do not depend on time. Known weights as a later functor ignore the inputs. With a boundary, points near
/// the faces compute the stages before the last anew for every point that reads them, so a third stage is costly there
/// if its shape has many points.
///
/// \param[in] label  name of the kernel for profilers.
/// \param[in] policy execution space instance, interior extents, Staged shape.
/// \param[in] in     as above; inputs that do not say anything are read in the first shape.
/// \param[in] out    a View, or several as fields(a, b, ...).
/// \param[in] first  called as first(u..., v..., i...) with Neighborhood<T, First>; the indices go from -r to
///                   n - 1 + r, r the sum of the later shapes' radii. Returns a value, or values(...): the fields
///                   between this stage and the next.
/// \param[in] second called as second(m..., c..., i...): one Neighborhood<M, Second> for every field between the
///                   stages, the value of every input at the point, those marked at_point() last, the indices of the
///                   point.
/// \param[in] more   the functors of later stages, called as `second` is, with their own shapes, on what the one before
///                   returns. The last one returns the outputs' values; the indices of one before it go beyond the
///                   interior, as those of `first` do.
/// \throws Error as above.
template <class... Options, class In, class Out, class F, class G, class... More>
  requires(Impl::is_staged<typename StencilPolicy<Options...>::shape_type>)
void parallel_stencil(std::string const& label, StencilPolicy<Options...> const& policy, In const& in, Out const& out,
                      F const& first, G const& second, More const&... more) {
  Impl::call_stencil(label, policy, Impl::as_pack(in), Impl::as_pack(out), Impl::NoReduction(), first, second, more...);
}

/// \brief A stencil of any of these kinds that also reduces: norms of residuals, maxima, sums, in the same sweep.
///
///     double norm = 0, most = 0;  // jacobi(u, f, z, y, x, sum, max)
///     parallel_stencil_reduce("jacobi", policy, fields(u, at_point(f)), next, jacobi, norm,
///                             Kokkos::Max<double>(most));
///
/// The functor has one more parameter for every result, after the indices, and adds to it as that of
/// Kokkos::parallel_reduce does: `sum += r * r; max = Kokkos::max(max, r);`. Of known weights with a functor, or of
/// stages, it is the last functor. `fields()` as outputs makes a sweep that only reduces; its functor returns
/// nothing.
///
/// Every thread block leaves a partial result, and a second kernel joins these in a fixed order: what a kernel sums
/// does not change from run to run. Which kernel runs may, and with it the order and the last bits, unless the policy
/// names one (see StencilPolicy::with_taps()); on CPUs they also depend on the number of threads. A ReproducibleSum has
/// the same bits in any order.
///
/// \param[in] label, policy, in, out  as above.
/// \param[in] args  the functor, or several, as above, then the results: each a variable or a View of rank 0, for sums,
///                  or a Kokkos reducer, with Kokkos::parallel_reduce's meaning of each. A variable holds the result
///                  when the call returns. Views that kernels can write are written asynchronously; nothing waits for
///                  them. Memory for the partial results stays allocated until Kokkos is finalized.
/// \throws Error as above, or if a result has no memory or memory that neither the execution space nor the host can
///         access; if there is no memory for the partial results; or, while a graph is captured, if no earlier call on
///         this instance has left any.
template <class... Options, class In, class Out, class... Args>
void parallel_stencil_reduce(std::string const& label, StencilPolicy<Options...> const& policy, In const& in,
                             Out const& out, Args&&... args) {
  using Shape                    = typename StencilPolicy<Options...>::shape_type;
  constexpr std::size_t functors = Impl::functor_count<Shape, std::decay_t<Args>...>;
  static_assert(sizeof...(Args) > functors,
                "Koalesce::parallel_stencil_reduce: give the functors, then at least one result");
  if constexpr (sizeof...(Args) > functors) {
    std::tuple<Args&...> const all(args...);
    [&]<std::size_t... F, std::size_t... R>(std::index_sequence<F...>, std::index_sequence<R...>) {
      if constexpr (Impl::check_result_types<std::tuple_element_t<functors + R, std::tuple<Args&...>>...>())
        Impl::call_stencil(label, policy, Impl::as_pack(in), Impl::as_pack(out),
                           Impl::make_reduction(std::get<functors + R>(all)...), std::as_const(std::get<F>(all))...);
    }(std::make_index_sequence<functors>{}, std::make_index_sequence<sizeof...(Args) - functors>{});
  }
}

}  // namespace Koalesce

#endif
