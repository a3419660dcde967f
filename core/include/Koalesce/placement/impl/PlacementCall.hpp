// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_CALL_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_CALL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/placement/PlacementPolicy.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/placement/impl/PlacementBackend.hpp>
#include <Koalesce/placement/impl/PlacementChecks.hpp>
#include <Koalesce/placement/impl/PlacementSubject.hpp>
#include <Koalesce/placement/impl/PlacementWork.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>

namespace Koalesce::Impl {

/// One call: a kernel, its arrays and its policy. It keeps references to them.
template <class Tag, class Policy, class Kernel, class... Arrays>
class PlacementCall {
 public:
  static constexpr int arrays = int(sizeof...(Arrays));

  using Exec    = typename Policy::execution_space;
  using Subject = StoredSubject<Arrays...>;

  PlacementCall(char const* function, std::string const& name, Policy const& on, OnChip<Arrays...> const& declaration,
                Kernel const& kernel)
      : label(name), policy(on), declared(declaration), m_function(function), m_kernel(kernel) {}

  /// Throws if the policy or the declarations are invalid. Call it before all others except run() and subject().
  void check() const { check_placement(where(), policy, declared); }

  /// The beginning of error texts.
  std::string where() const { return call_text(m_function, label); }

  /// The kernel's name for profilers.
  std::string kernel_name() const { return kernel_label(Tag{}, label); }

  PlacementWork<Kernel, Arrays...> work() const { return {m_kernel, shapes_of(declared), policy.team_size()}; }

  /// What the launch depends on, except for the placement.
  PlacementSubject<Arrays...> subject() const {
    PlacementSubject<Arrays...> subject(label, declared);
    subject.device    = device_of(policy.space());
    subject.team_size = policy.team_size();
    subject.can_be    = is_league_size(policy.league_size());
    return subject;
  }

  /// Empty, or why the kernel cannot run with these places.
  template <class Places>
  std::string misfit(Places const& places) const {
    return with(places, [&](auto fixed) { return placement_misfit(policy, placed(fixed)); });
  }

  /// Launches the kernel. The places must fit.
  /// \param[in] name  the result of kernel_name().
  template <class Places>
  void launch(std::string const& name, Places const& places) const {
    if (policy.league_size() > 0) with(places, [&](auto fixed) { run_placed(name, policy, placed(fixed)); });
  }

  /// Checks everything, and launches. A call that matches a recent one skips the checks, which query the driver, and
  /// costs little more than a launch.
  /// \param[in] given  whether the caller named the places; if not, no others fit either.
  template <class Places>
  void run(Places const& places, bool given = true) const {
    thread_local RecentValues<Subject, std::string, 16> names;
    auto asked = subject();
    asked.place(places);
    launch(names.get(asked, [&] { return checked_name(places, given); }), places);
  }

  /// Throws because of what keeps the kernel from running with any places.
  [[noreturn]] void fail_unplaced(std::string const& why) const {
    fail(where(), "no placement could run (", declaration_text(declared), "): ", why,
         "; use fewer threads per team, or smaller arrays");
  }

  KernelResources resources(Placement const& places) const {
    return with(places, [&](auto fixed) {
      auto const kernel = placed(fixed);
      static_assert(PlacementBackend<Tag, Policy, std::remove_const_t<decltype(kernel)>>,
                    "Koalesce: the execution space's backend was not included, or lacks a function that "
                    "PlacementBackend requires; include <Koalesce/Placement.hpp>, or write that function");
      return kernel_resources(Tag{}, where(), policy, kernel);
    });
  }

  /// The key of the call in the tuning file. A kernel is another one for arrays of other types.
  TuningKey key() const {
    using Bounds = typename Policy::launch_bounds_type;
    return {"placement", label, typeid(PlacementWork<Kernel, Arrays...>).name(),
            declaration_text(declared) + ", league 2^" + std::to_string(size_class(policy.league_size())) + ", team " +
                std::to_string(policy.team_size()) + ", bounds " + std::to_string(Bounds::maxTperB) + " " +
                std::to_string(Bounds::minBperSM),
            machine_of(Tag{}, policy.space())};
  }

  std::string const& label;
  Policy const& policy;
  OnChip<Arrays...> const& declared;

 private:
  /// kernel_name(), after checks that throw if the kernel cannot run with these places.
  template <class Places>
  std::string checked_name(Places const& places, bool given) const {
    check();
    if constexpr (std::is_same_v<Places, Placement>) check_places(where(), declared, places);
    if (auto const why = misfit(places); !why.empty()) {
      if (!given) fail_unplaced(why);
      fail(where(), "the placement does not fit (", declaration_text(declared), "): ", why,
           "; use fewer threads per team, or another placement");
    }
    return kernel_name();
  }

  static auto shapes_of(OnChip<Arrays...> const& declaration) {
    return transform(declaration.arrays, [](auto const& array, auto) { return array.shape(); });
  }

  template <Place... P>
  auto placed(FixedPlacement<P...>) const {
    return PlacedKernel(work(), FixedPlaces<P...>());
  }

  template <Place... P, class F>
  static auto with(FixedPlacement<P...> const& fixed, F const& f) {
    return f(fixed);
  }

  /// Calls f with the placement as a FixedPlacement.
  template <class F, Place... P>
  static auto with(Placement const& placement, F const& f, FixedPlacement<P...> fixed = {}) {
    constexpr int i = int(sizeof...(P));
    if constexpr (i == arrays) {
      return f(fixed);
    } else {
      using Array = std::tuple_element_t<i, std::tuple<Arrays...>>;
      if (placement[i] == Place::scratch) return with(placement, f, FixedPlacement<P..., Place::scratch>());
      return with(placement, f,
                  FixedPlacement<P..., promoted_place(!Array::own, Array::shape_type::fits_in_thread())>());
    }
  }

  char const* m_function;
  Kernel const& m_kernel;
};

}  // namespace Koalesce::Impl

#endif
