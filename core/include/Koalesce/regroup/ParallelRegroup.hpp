// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_PARALLEL_REGROUP_HPP
#define KOALESCE_REGROUP_PARALLEL_REGROUP_HPP

#include <Koalesce/regroup/RegroupLog.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/RegroupChecks.hpp>
#include <Koalesce/regroup/impl/RegroupDispatch.hpp>

#include <string>
#include <tuple>

namespace Koalesce {

/// \brief A loop that branches: f_p(i) for every item i, where p = predict(i) is the item's path.
///
///     parallel_regroup("events", RegroupPolicy(exec, 0, n), predict, f0, f1, ..., fk);
///     parallel_regroup("events", RegroupPolicy(exec, 0, n), Paths(k), predict, f);  // f(i, path)
///
/// Items are regrouped so that whole warps take one path (on a CPU, so that the items of a path are one loop), if that
/// pays. Every item runs once, at its own index, with the same data as in the plain loop; the order of items is
/// different, and deterministic within a path. The method is that of H. Lin, Z. Wang, H. Liu (Huawei),
/// "Method and device for eliminating branch divergence", Chinese patent application, 2019.
///
/// Regroup::automatic times the plain loop and the regrouped ones in the first calls with a label, class of sizes (a
/// power of two of items) and histogram of paths, and keeps the fastest. regroup_decisions() tells what it chose and
/// why, and the tuning_file() keeps it for the next run. A Kokkos tuning tool, if there is one, may choose instead. In
/// TuningMode::by_extents the plain loop runs.
///
/// Because time decides, two runs of a program may run different kernels, in which the compiler may contract products
/// and sums differently and items run in another order: floating-point results may differ in their last bits from run
/// to run. A policy that allows one kernel avoids that: with_regroup(Regroup::never), or with_regroup(Regroup::always)
/// with a scope and a remap.
///
/// Asynchronous, as Kokkos::parallel_for: kernels "Koalesce::<backend>::<label> [<variant>]" run on the instance given.
/// Calls that are measured wait for it, except on CUDA.
///
/// \param[in] label    name of the loop, for profilers and decisions: one label, one kind of loop.
/// \param[in] policy   a RegroupPolicy; a Kokkos::RangePolicy without work tag, launch bounds, schedule and desired
///                     occupancy (those do not compile; its chunk size and its hints have no effect); or a number of
///                     items, which run on the default execution space.
/// \param[in] args     the predictor, then a functor per path, called as f(i) with std::int64_t i; or Paths(k), the
///                     predictor and one functor f(i, path). The payload's elements follow, in the policy's order.
///                     predict(i) is the path of item i, an integer, enumerator or bool, in [0, paths). It is called on
///                     the device, any number of times per item; it must have no side effects and read nothing that
///                     another item's functor writes.
/// \throws Error  before anything runs: a negative range, or one that ends beyond 2^62, paths without a functor,
///                RegroupRemap::data without a payload, payload Views that are too short, overlap, or have no memory or
///                memory that the execution space cannot access. A predicted path outside [0, paths) is detected only
///                while the loop runs: that item runs no path, the others run. The Error names the first such item.
///                This call throws it if it waits (host execution spaces, reductions into variables); otherwise the
///                next call with this label or check_paths() throws it.
template <class Policy, class... Args>
void parallel_regroup(std::string const& label, Policy const& policy, Args const&... args) {
  if constexpr (Impl::check_regroup_policy<Policy>()) {
    Impl::NoResult none;
    Impl::regroup("Koalesce::parallel_regroup", label, policy, none, std::tie(args...));
  }
}

/// \brief parallel_regroup() with a reduction: f_p(i, update); the payload's elements, if any, come before update.
///
/// Sums of floating-point numbers are rounded in the order of the variant that runs, and Regroup::automatic chooses
/// variants by time: the result may differ in its last bits from call to call and from run to run. With a policy that
/// leaves one variant (see parallel_regroup()) it does not change with time. With Backend::OpenMP, the native one of
/// the host's execution spaces, a variant's order does not depend on the number of threads either.
///
/// \param[in] label    name of the loop, for profilers and decisions: one label, one kind of loop.
/// \param[in] policy   as parallel_regroup's.
/// \param[in] args     as parallel_regroup's, and last the result: a variable, a View of rank 0 or a Kokkos reducer,
///                     with Kokkos::parallel_reduce's meaning of each: a variable holds the result when the call
///                     returns; Views are written asynchronously.
/// \throws Error as parallel_regroup does.
template <class Policy, class... Args>
void parallel_regroup_reduce(std::string const& label, Policy const& policy, Args&&... args) {
  static_assert(sizeof...(Args) >= 3,
                "Koalesce::parallel_regroup_reduce: give a predictor, a functor per path, and last the result");
  if constexpr (Impl::check_regroup_policy<Policy>()) {
    auto const all       = std::tie(args...);
    constexpr auto count = sizeof...(Args) - 1;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      Impl::regroup("Koalesce::parallel_regroup_reduce", label, policy, std::get<count>(all),
                    std::tie(std::as_const(std::get<I>(all))...));
    }(std::make_index_sequence<count>{});
  }
}

/// \brief Waits for an instance, and throws if a loop on its execution space predicted a path out of range.
/// \throws Error that names the loop and the item; every error is thrown once. Errors that were not thrown are printed
///         when Kokkos is finalized.
template <class Exec>
  requires Kokkos::is_execution_space_v<Exec>
void check_paths(Exec const& exec) {
  exec.fence("Koalesce::check_paths");
  Impl::RegroupLoops<Exec>::check();
}

/// \brief Frees the memory that loops regrouped over the grid keep for the next ones, on all instances of a space.
///
/// A loop over n items with up to 254 paths needs about 6 n bytes, plus the size of the payload if elements move. The
/// loops on an instance share one allocation, which is as large as the largest of them needs. Memory of loops that were
/// captured into graphs stays until Kokkos is finalized.
template <class Exec>
  requires Kokkos::is_execution_space_v<Exec>
void release_regroup_memory(Exec const&) {
  Impl::RegroupLoops<Exec>::memory().release();
}

}  // namespace Koalesce

#endif
