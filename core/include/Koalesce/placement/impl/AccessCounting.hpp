// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_ACCESS_COUNTING_HPP
#define KOALESCE_PLACEMENT_IMPL_ACCESS_COUNTING_HPP

#include <Koalesce/common/impl/TryAllocate.hpp>
#include <Koalesce/placement/AccessCounts.hpp>
#include <Koalesce/placement/impl/CountedArray.hpp>
#include <Koalesce/placement/impl/PlacementCall.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// Number of teams that are counted. They are spread over the league, because borders and the middle may differ.
inline constexpr int counting_teams = 8;

inline std::string index_text(AccessFinding const& finding, int indices) {
  std::string text;
  for (int i = 0; i < indices; ++i) text += (i == 0 ? "(" : ", ") + std::to_string(finding.index[i]);
  return indices == 0 ? "()" : text + ")";
}

/// Throws if the counted accesses contradict the declaration.
template <class Array>
void check_counts(std::string const& where, Array const& array, ArrayCounts const& counts) {
  constexpr int indices = Array::shape_type::rank + (Array::own ? 1 : 0);
  auto const& outside   = counts.outside;
  if (outside.times > 0)
    fail(where, "array \"", array.name(), "\" is accessed ", outside.times,
         " times outside its extents, first by thread ", outside.thread, " of team ", outside.team, " at ",
         index_text(outside, indices), "; no such element exists; enlarge the array or correct the kernel's indices");
  auto const& shared = counts.shared;
  if (Array::own && shared.times > 0)
    fail(where, "ThreadArray \"", array.name(), "\" is shared: thread ", shared.thread, " of team ", shared.team,
         " touches element ", index_text(shared, indices), " of thread ", shared.other_thread,
         "; in registers, no other thread could reach it; declare a TeamArray with an additional extent");
}

template <bool InScratch, class Call>
auto counting_kernel(Call const& call, CountingMemory const& memory) {
  return PlacedKernel(call.work(), CountingPlaces<InScratch>(memory));
}

/// So many zeros, or a View without memory where there is not enough.
template <class View, class Exec>
View try_zeros(Exec const& exec, std::string const& label, std::size_t count) {
  auto const view = try_allocate_on<View>(exec, label, count);
  if (view.data() != nullptr) Kokkos::deep_copy(exec, view, typename View::value_type{});
  return view;
}

/// Runs the instrumented kernel. The league must not be empty.
template <class Tag, class Policy, class Kernel, class... Arrays>
std::vector<AccessCount> count_accesses(PlacementCall<Tag, Policy, Kernel, Arrays...> const& call) {
  using Exec            = typename Policy::execution_space;
  using Memory          = typename Exec::memory_space;
  auto const& exec      = call.policy.space();
  constexpr int arrays  = int(sizeof...(Arrays));
  int const teams       = int(std::min<std::int64_t>(call.policy.league_size(), counting_teams));
  int const claims      = CountingPlaces<true>::template claims_before<arrays>(call.work());
  bool const in_scratch = placement_misfit(call.policy, counting_kernel<true>(call, {})).empty();
  if (auto const why = placement_misfit(call.policy, counting_kernel<false>(call, {})); !in_scratch && !why.empty())
    fail(call.where(), "the accesses cannot be counted (", declaration_text(call.declared), "): ", why,
         "; use fewer threads per team, or state the accesses of every array");
  auto const touched = std::size_t(teams) * std::size_t(claims);
  auto const counts  = try_zeros<Kokkos::View<ArrayCounts*, Memory>>(exec, "Koalesce access counts", arrays);
  auto const claimed = try_zeros<Kokkos::View<unsigned*, Memory>>(exec, "Koalesce touched elements", touched);
  if (counts.extent(0) < arrays || claimed.extent(0) < touched)
    fail(call.where(), "the counts of accesses need ", arrays * sizeof(ArrayCounts) + touched * sizeof(unsigned),
         " bytes of ", Memory::name(), ", which are not free; free some memory, or state the accesses of every array");
  CountingMemory const memory{counts.data(), claimed.data(), claims, teams};
  auto const name = call.kernel_name() + " [count]";
  if (in_scratch) run_placed(name, call.policy, counting_kernel<true>(call, memory));
  else run_placed(name, call.policy, counting_kernel<false>(call, memory));
  exec.fence("Koalesce::count_accesses: the counts are read");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  std::vector<AccessCount> all;
  for_each(call.declared.arrays, [&](auto const& array, auto i) {
    check_counts(call.where(), array, host(int(i)));
    all.push_back({array.name(), teams, std::int64_t(host(int(i)).accesses), std::int64_t(host(int(i)).shared.times)});
  });
  return all;
}

}  // namespace Koalesce::Impl

#endif
