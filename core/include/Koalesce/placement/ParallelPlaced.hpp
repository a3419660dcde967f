// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_PARALLEL_PLACED_HPP
#define KOALESCE_PLACEMENT_PARALLEL_PLACED_HPP

#include <Koalesce/placement/AccessCounts.hpp>
#include <Koalesce/placement/OnChip.hpp>
#include <Koalesce/placement/Place.hpp>
#include <Koalesce/placement/PlacementLog.hpp>
#include <Koalesce/placement/PlacementPolicy.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacementCall.hpp>
#include <Koalesce/placement/impl/PlacementDispatch.hpp>
#include <Koalesce/placement/impl/PlacementLookup.hpp>
#include <Koalesce/placement/impl/PlacementSignature.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>
#include <vector>

namespace Koalesce {

namespace Impl {

/// Made once.
inline std::string const& parallel_placed_name() {
  static std::string const name("Koalesce::parallel_placed");
  return name;
}

}  // namespace Impl

/// What tune_placement() found, and how.
struct TunedPlacement {
  Placement placement;  ///< the fastest one found
  PlacementLog log;     ///< printable
};

/// \brief A team kernel whose small arrays lie where a placement says: in scratch memory, registers, the thread's local
/// memory, or global memory behind the L1 cache.
///
///     struct Smooth {
///       template <class Member>
///       KOKKOS_FUNCTION void operator()(Member const& team, auto& tile, auto& next) const { ... tile(i, j) ... }
///     };
///     OnChip arrays(TeamArray<float[18][18]>("tile"), ThreadArray<float[4]>("next"));
///     parallel_placed("smooth", PlacementPolicy(exec, league_size, team_size), arrays, placement, Smooth{...});
///
/// The kernel is compiled for each placement it may get, 2^k for k arrays; with a FixedPlacement, for that one.
/// Asynchronous, as Kokkos::parallel_for; the kernel is called "Koalesce::<backend>::<label>". Each host thread caches
/// its last few different calls: a call that matches one of them repeats no check, does not query the driver, and costs
/// a few comparisons more than a launch.
///
/// \param[in] label      name of the kernel, for profilers, logs and the tuning file.
/// \param[in] policy     instance, league and team size.
/// \param[in] arrays     what the kernel keeps on chip, at most 8.
/// \param[in] placement  a Placement (scratch memory or promoted_place() for each array), or a FixedPlacement<...>.
/// \param[in] kernel     kernel(team, a0, a1, ...): a Kokkos team handle, then the arrays by reference, in the order of
///                       `arrays`. Scratch memory is asked for for the arrays alone: what the kernel takes from the
///                       team's level 0 or 1 beside them is none of theirs, and null where they leave none, as on a
///                       device. Declare it as an array instead.
/// \throws Error  before anything runs: sizes below 0 or too large, arrays without a name or with the same one, a
///                placement for other arrays, one that does not fit the device.
template <class Exec, class Bounds, class BackendTag, class... Arrays, class Places, class Kernel>
void parallel_placed(std::string const& label, PlacementPolicy<Exec, Bounds, BackendTag> const& policy,
                     OnChip<Arrays...> const& arrays, Places const& placement, Kernel const& kernel) {
  using Policy = PlacementPolicy<Exec, Bounds, BackendTag>;
  if constexpr (Impl::PlacementSignature<Places>::template passes<Policy, Kernel, Arrays...>()) {
    Kokkos::Profiling::ScopedRegion const region(Impl::parallel_placed_name());
    Impl::PlacementCall<BackendTag, Policy, Kernel, Arrays...> const call("Koalesce::parallel_placed", label, policy,
                                                                          arrays, kernel);
    call.run(placement);
  }
}

/// \brief The same, with the fastest placement: the one that the first calls find, or that tune_placement() found, in
/// this process or in an earlier one (see tuning_file()).
///
/// Every call runs the kernel once. The first calls try in turn those of the following placements that fit: all arrays
/// in scratch memory; one array moved out; all arrays that threads do not share moved out; all arrays moved out.
/// tuning_decisions() shows the result as one letter per place (s, r, t, g). If Kokkos was built with tuning and a
/// tuning tool is loaded, the tool may choose; it is shown the same letters.
///
/// Each placement is a different kernel, so floating-point results may differ in their last bits. If they must not
/// differ, pass a placement or use TuningMode::by_extents: all arrays then lie in scratch memory, unless only another
/// placement fits. These calls do not check that no two threads share an element of a ThreadArray; tune_placement()
/// does.
template <class Exec, class Bounds, class BackendTag, class... Arrays, class Kernel>
void parallel_placed(std::string const& label, PlacementPolicy<Exec, Bounds, BackendTag> const& policy,
                     OnChip<Arrays...> const& arrays, Kernel const& kernel) {
  using Policy = PlacementPolicy<Exec, Bounds, BackendTag>;
  if constexpr (Impl::PlacementSignature<Placement>::passes<Policy, Kernel, Arrays...>()) {
    Kokkos::Profiling::ScopedRegion const region(Impl::parallel_placed_name());
    Impl::PlacementCall<BackendTag, Policy, Kernel, Arrays...> const call("Koalesce::parallel_placed", label, policy,
                                                                          arrays, kernel);
    Impl::run_automatic(call);
  }
}

/// \brief Finds by measured time where the arrays of a kernel lie best on this machine, in at most k + 1 trials for k
/// arrays, and remembers it.
///
/// All arrays start in scratch memory. They move out of it in the order that PlacementSearch defines: to registers (a
/// ThreadArray), to Place::thread_memory (a ThreadArray of a length known at run time) or to global memory behind
/// the L1 cache (a TeamArray). A move that makes the kernel slower is undone. One instrumented run of a few teams
/// counts accesses, unless they are stated for every array; it also finds accesses outside an array and ThreadArrays
/// whose elements threads share. The method is that of the Chinese patent application "Data processing method based on
/// GPU on-chip storage" (shared-memory arrays to registers or L1, by access count and measured time), which is
/// PlacementSearch::published.
///
/// The fastest placement is remembered per device, driver, versions of Kokkos and Koalesce, kernel (its label and
/// type), arrays and class of sizes, in this process and in the tuning_file(). A remembered kernel is not run. If its
/// code changed, give it another label or delete the file. In TuningMode::by_extents nothing is measured.
///
/// Two searches may find different placements, for which the compiler may round floating-point operations differently:
/// PlacementTuning::with_check() compares results in every trial. Pass a FixedPlacement, or the Placement found, to
/// parallel_placed() where every run must give the same bits.
///
/// Waits for the instance. Runs the kernel many times, and some of its teams alone: it must be repeatable, if need be
/// by PlacementTuning::with_reset().
///
/// \param[in] label   name of the kernel, for profilers, logs and the tuning file.
/// \param[in] policy  instance, league and team size, as the calls will have them.
/// \param[in] arrays  what the kernel keeps on chip, at most 8.
/// \param[in] kernel  as parallel_placed's.
/// \param[in] tuning  how to search, what to check, where to remember.
/// \return the placement, and the log of every trial.
/// \throws Error  what parallel_placed() throws; an access outside an array; a ThreadArray that threads share; results
///                that differ between trials, if they are checked; no placement that fits.
template <class Exec, class Bounds, class BackendTag, class... Arrays, class Kernel>
TunedPlacement tune_placement(std::string const& label, PlacementPolicy<Exec, Bounds, BackendTag> const& policy,
                              OnChip<Arrays...> const& arrays, Kernel const& kernel,
                              PlacementTuning const& tuning = {}) {
  using Policy = PlacementPolicy<Exec, Bounds, BackendTag>;
  if constexpr (Impl::PlacementSignature<Placement>::passes<Policy, Kernel, Arrays...>()) {
    Kokkos::Profiling::ScopedRegion const region("Koalesce::tune_placement");
    Impl::PlacementCall<BackendTag, Policy, Kernel, Arrays...> const call("Koalesce::tune_placement", label, policy,
                                                                          arrays, kernel);
    call.check();
    auto log = Impl::find_placement(call, tuning);
    return {log.result.placement, log};
  } else {
    return {};
  }
}

/// \brief Counts what a kernel does with its arrays, in one instrumented run of a few of its teams. Waits for it.
/// \return a count for every array, in the order of `arrays`; none, if the league has no teams.
/// \throws Error  what parallel_placed() throws; an access outside an array; a ThreadArray that threads share.
template <class Exec, class Bounds, class BackendTag, class... Arrays, class Kernel>
std::vector<AccessCount> count_accesses(std::string const& label,
                                        PlacementPolicy<Exec, Bounds, BackendTag> const& policy,
                                        OnChip<Arrays...> const& arrays, Kernel const& kernel) {
  using Policy = PlacementPolicy<Exec, Bounds, BackendTag>;
  if constexpr (Impl::PlacementSignature<Placement>::passes<Policy, Kernel, Arrays...>()) {
    Kokkos::Profiling::ScopedRegion const region("Koalesce::count_accesses");
    Impl::PlacementCall<BackendTag, Policy, Kernel, Arrays...> const call("Koalesce::count_accesses", label, policy,
                                                                          arrays, kernel);
    call.check();
    return policy.league_size() > 0 ? Impl::count_accesses(call) : std::vector<AccessCount>();
  } else {
    return {};
  }
}

/// \brief Every array in scratch memory.
template <class... Arrays>
Placement scratch_placement(OnChip<Arrays...> const&) {
  return Placement(sizeof...(Arrays));
}

/// \brief Every array where a search would move it.
template <class... Arrays>
Placement promoted_placement(OnChip<Arrays...> const& arrays) {
  Placement placement(sizeof...(Arrays));
  auto const all = Impl::declared_arrays(arrays);
  for (std::size_t i = 0; i < all.size(); ++i) placement[i] = promoted_place(all[i]);
  return placement;
}

}  // namespace Koalesce

#endif
