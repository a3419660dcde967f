// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_PLACEMENT_POLICY_HPP
#define KOALESCE_PLACEMENT_PLACEMENT_POLICY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/ResultCheck.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace Koalesce {

namespace Impl {
template <class Call, class Tuning>
class PlacementTrialRunner;
}

/// \brief The teams of a kernel whose arrays are placed, and the instance it runs on.
///
///     PlacementPolicy policy(exec, league_size, team_size);
///     auto bounded = policy.with_launch_bounds<256, 4>();   // as Kokkos::LaunchBounds
///     auto portable = policy.with_backend(Backend::Portable{});
///
/// Teams have no vector lanes: a thread of the team is a thread of the device. On a CPU the usual team size is 1.
///
/// \tparam Exec       execution space.
/// \tparam Bounds     as with_launch_bounds() sets them.
/// \tparam BackendTag the backend, as with_backend() sets it.
template <class Exec, class Bounds = Kokkos::LaunchBounds<>, class BackendTag = Backend::Default<Exec>>
class PlacementPolicy {
 public:
  using execution_space    = Exec;                              ///< whose instance the kernel runs on
  using backend_type       = BackendTag;                        ///< a tag of namespace Backend
  using launch_bounds_type = Bounds;                            ///< a Kokkos::LaunchBounds
  using team_policy        = Kokkos::TeamPolicy<Exec, Bounds>;  ///< what a kernel's team handle comes from

  /// \param[in] space        the instance that the kernel runs on.
  /// \param[in] league_size  number of teams, 0 to 2^30.
  /// \param[in] team_size    threads per team, 1 or more.
  PlacementPolicy(Exec const& space, std::int64_t league_size, int team_size)
      : m_space(space), m_league_size(league_size), m_team_size(team_size) {}

  /// The instance that the kernel runs on.
  Exec const& space() const { return m_space; }
  /// Number of teams.
  std::int64_t league_size() const { return m_league_size; }
  /// Threads per team.
  int team_size() const { return m_team_size; }

  /// \brief A copy that runs on the given backend instead of the execution space's own.
  template <class OtherTag>
  auto with_backend(OtherTag) const {
    return PlacementPolicy<Exec, Bounds, Impl::Resolve<OtherTag, Exec>>(m_space, m_league_size, m_team_size);
  }

  /// \brief Tells the compiler the maximum number of threads per team, and how many teams should be resident per SM.
  template <unsigned MaxThreads, unsigned MinTeams = 0>
  auto with_launch_bounds() const {
    using OtherBounds = Kokkos::LaunchBounds<MaxThreads, MinTeams>;
    return PlacementPolicy<Exec, OtherBounds, BackendTag>(m_space, m_league_size, m_team_size);
  }

 private:
  Exec m_space;
  std::int64_t m_league_size;
  int m_team_size;
};

/// \brief How tune_placement() finds a placement. Every setter returns a changed copy.
class PlacementTuning {
 public:
  /// \brief Without it: PlacementSearch::grouped.
  PlacementTuning with_search(PlacementSearch how) const {
    return with([&](auto& t) { t.m_search = how; });
  }

  /// \brief Measures in any case, and remembers nothing.
  PlacementTuning without_memory() const {
    return with([&](auto& t) { t.m_remembers = false; });
  }

  /// \brief Sets a callback that restores the data of a kernel that overwrites its own input. It is called before
  /// every trial and after the last one, even if that fails. (A trial runs the kernel several times; only the first run
  /// is checked.)
  PlacementTuning with_reset(std::function<void()> const& callback) const {
    return with([&](auto& t) { t.m_reset = callback; });
  }

  /// \brief Checks in every trial that the kernel writes to a View what it wrote in the first one.
  ///
  /// \param[in] view       contiguous, of any memory space.
  /// \param[in] tolerance  relative, of floating-point numbers; 0: they are equal.
  template <class View>
  PlacementTuning with_check(View const& view, double tolerance = 0) const {
    return with([&](auto& t) { t.m_checks.push_back(Impl::ResultCheck(view, tolerance)); });
  }

  /// How the search goes on.
  PlacementSearch search() const { return m_search; }
  /// Whether winners are remembered.
  bool remembers() const { return m_remembers; }
  /// Calls what makes the kernel repeatable, if there is such a callback.
  void reset() const {
    if (m_reset) m_reset();
  }

 private:
  template <class Call, class Tuning>
  friend class Impl::PlacementTrialRunner;

  template <class Change>
  PlacementTuning with(Change const& change) const {
    PlacementTuning copy = *this;
    change(copy);
    return copy;
  }

  PlacementSearch m_search = PlacementSearch::grouped;
  bool m_remembers         = true;
  std::function<void()> m_reset;
  std::vector<Impl::ResultCheck> m_checks;
};

}  // namespace Koalesce

#endif
