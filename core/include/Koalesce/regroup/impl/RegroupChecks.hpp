// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_CHECKS_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_CHECKS_HPP

#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/RangePolicyChecks.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

template <class Policy>
inline constexpr bool is_regroup_policy = false;
template <class Exec, class Payload, class BackendTag, class Key, class Plan>
inline constexpr bool is_regroup_policy<RegroupPolicy<Exec, Payload, BackendTag, Key, Plan>> = true;

/// Whether a policy names a plan.
template <class Policy>
inline constexpr bool has_plan = !std::is_same_v<std::decay_t<decltype(std::declval<Policy const&>().plan())>, NoPlan>;

/// Whether regroup_policy() takes this type; if not, one static_assert fails.
template <class Policy>
constexpr bool check_regroup_policy() {
  constexpr bool is_count = std::is_integral_v<Policy> && !std::is_same_v<Policy, bool>;
  constexpr bool taken    = is_regroup_policy<Policy> || is_plain_range_policy<Policy> || is_count;
  static_assert(
      taken,
      "Koalesce::parallel_regroup: the policy must be a RegroupPolicy, a number of items, or a Kokkos::RangePolicy "
      "without work tag, launch bounds, schedule and desired occupancy, none of which regrouped kernels can honor");
  return taken;
}

/// Converts the policy argument to a RegroupPolicy. A number of items runs on the default execution space, as in
/// Kokkos::parallel_for.
template <class Policy>
auto regroup_policy(Policy const& given) {
  if constexpr (is_regroup_policy<Policy>) return given;
  else if constexpr (is_plain_range_policy<Policy>) return RegroupPolicy(given.space(), given.begin(), given.end());
  else return RegroupPolicy(Kokkos::DefaultExecutionSpace(), 0, std::int64_t(given));
}

/// Throws unless the View has an element for every item.
template <class Exec, class PayloadView>
void check_payload_view(std::string const& where, PayloadView const& view, int number, std::int64_t end) {
  using View = typename PayloadView::View;
  static_assert(View::rank() == 1, "Koalesce::parallel_regroup: a payload View must have rank 1, one element per item");
  static_assert(
      std::is_trivially_copyable_v<typename View::non_const_value_type>,
      "Koalesce::parallel_regroup: a payload's elements are moved as bytes, so they must be trivially copyable");
  static_assert(!PayloadView::returns || !std::is_const_v<typename View::value_type>,
                "Koalesce::parallel_regroup: round_trip() writes to its View, which is const; use one_way()");
  std::string const role = "payload View " + std::to_string(number);
  check_access<Exec>(where, view.view, role);
  if (std::int64_t(view.view.extent(0)) < end)
    fail(where, role, " ", quoted_label(view.view), " has ", view.view.extent(0), " elements, but the items end at ",
         end, "; element i belongs to item i, so give it ", end, " or more");
}

/// Throws unless the loop's items, paths and payload can be.
template <class Policy>
void check_regroup(std::string const& where, Policy const& policy, int paths) {
  check_items(where, policy.begin(), policy.end());
  if (paths < 1) fail(where, "there are ", paths, " paths; every item takes one, so give 1 or more");
  if (policy.remap() == RegroupRemap::data && std::decay_t<decltype(policy.payload())>::size == 0)
    fail(where,
         "RegroupRemap::data moves a payload, but the policy has none; name its Views with "
         "RegroupPolicy::with_payload(), or use RegroupRemap::index");
  for_each(policy.payload(), [&](auto const& a, auto i) {
    check_payload_view<typename Policy::execution_space>(where, a, i, policy.end());
    if (a.returns)
      check_apart(where, memory_of(a.view),
                  [&] { return "payload View " + std::to_string(int(i)) + " " + quoted_label(a.view); });
    for_each(policy.payload(), [&](auto const& b, auto j) {
      if (int(i) < int(j) && (a.returns || b.returns) && overlap(memory_of(a.view), memory_of(b.view)))
        fail(where, "payload Views ", int(i), " ", quoted_label(a.view), " and ", int(j), " ", quoted_label(b.view),
             " overlap in memory; elements that are written back would overwrite each other, so give each View memory "
             "of its own");
    });
  });
}

}  // namespace Koalesce::Impl

#endif
