// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_PARALLEL_REGROUP_UNTIL_HPP
#define KOALESCE_REGROUP_PARALLEL_REGROUP_UNTIL_HPP

#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/UntilDispatch.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace Koalesce {

/// \brief Loops of different lengths: for every item i a step is repeated until it says that the item is done.
///
///     parallel_regroup_until("fixed points", RegroupPolicy(exec, 0, n), step);            // step(i) -> done?
///     parallel_regroup_until("orbits", RegroupPolicy(exec, 0, n), init, step, finish);
///
/// In a plain loop a warp is busy until the longest of its 32 items is done. Here, on CUDA, items that
/// are not done after every few steps wait until they fill a warp again (compacted), or, where their state is larger
/// than 64 bytes or must be copied by its constructor, lanes that are done take the next item (refilled); a CPU thread
/// that is done takes the next block of items. Whether, and after how many steps, is measured by the first calls with a
/// label and class of sizes (tuning_decisions() tells).
///
/// Results are the plain loop's: an item's steps run one after the other, though not all by one thread. Asynchronous,
/// as Kokkos::parallel_for: kernels are called "Koalesce::<backend>::<label> [<variant>]".
///
/// \param[in] label    name of the loop, for profilers and decisions.
/// \param[in] policy   a RegroupPolicy without payload, order and plan, a Kokkos::RangePolicy as parallel_regroup()
///                     takes it, or a number of items. Regroup::never is the plain loop, Regroup::always the fastest
///                     other one.
/// \param[in] args     step(i), which returns true when item i (std::int64_t) is done; or three functors: init(i)
///                     returns the item's state, of any type that can be copied and made without arguments, which stays
///                     on chip; step(i, state) changes it, and returns true when the item is done; finish(i, state) is
///                     called once after that. Every item has at least one step. Functors must not depend on what those
///                     of other items write.
/// \throws Error  before anything runs: a negative range, or one that ends beyond 2^62, or a scope or remap.
/// \see persistent threads: T. Aila, S. Laine, "Understanding the efficiency of ray traversal on GPUs", HPG 2009.
template <class Policy, class... Args>
void parallel_regroup_until(std::string const& label, Policy const& policy, Args const&... args) {
  static_assert(sizeof...(Args) == 1 || sizeof...(Args) == 3,
                "Koalesce::parallel_regroup_until: give one functor, step(i), or three: init(i), step(i, state) and "
                "finish(i, state)");
  if constexpr (Impl::check_regroup_policy<Policy>()) {
    Impl::NoResult none;
    Impl::regroup_until("Koalesce::parallel_regroup_until", label, policy, none, std::tie(args...));
  }
}

/// \brief parallel_regroup_until() with a reduction: step(i, update), or finish(i, state, update).
///
/// Which items a thread runs one after the other depends on when they are done, so sums of floating-point numbers may
/// differ in their last bits from call to call, except with Regroup::never, and with Backend::OpenMP, where they do not
/// even depend on the number of threads. A ReproducibleSum never differs.
///
/// \param[in] label   name of the loop, for profilers and decisions.
/// \param[in] policy  as parallel_regroup_until's.
/// \param[in] args    as parallel_regroup_until's, and last the result, as parallel_regroup_reduce() takes it.
/// \throws Error as parallel_regroup_until does.
template <class Policy, class... Args>
void parallel_regroup_until_reduce(std::string const& label, Policy const& policy, Args&&... args) {
  static_assert(sizeof...(Args) == 2 || sizeof...(Args) == 4,
                "Koalesce::parallel_regroup_until_reduce: give one functor, step(i, update), or three: init(i), "
                "step(i, state) and finish(i, state, update); and last the result");
  if constexpr (Impl::check_regroup_policy<Policy>()) {
    auto const all       = std::tie(args...);
    constexpr auto count = sizeof...(Args) - 1;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Impl::regroup_until("Koalesce::parallel_regroup_until_reduce", label, policy, std::get<count>(all),
                          std::tie(std::as_const(std::get<I>(all))...));
    }(std::make_index_sequence<count>{});
  }
}

}  // namespace Koalesce

#endif
