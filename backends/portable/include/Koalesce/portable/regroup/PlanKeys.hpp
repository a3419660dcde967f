// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_PLAN_KEYS_HPP
#define KOALESCE_PORTABLE_REGROUP_PLAN_KEYS_HPP

#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/regroup/GridPlan.hpp>
#include <Koalesce/regroup/impl/SortKey.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

/// Whether neighbors in a plan still have neighboring keys.
namespace Koalesce::Impl::PortableBackend {

/// Looks at some pairs of neighboring slots.
template <class Work>
struct SamplePlanKeys {
  static constexpr int max_pairs = 4096;

  /// Neighbors are apart if on average a 32nd of the keys' range lies between them, and twice what the best order has:
  /// a GPU runs about as many items at a time, of as large a part of the range, where they are in order.
  static constexpr int apart = 32;

  Work work;
  GridPlan plan;
  int pairs;
  std::int64_t* is_apart;  // set to 1

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const each = Kokkos::TeamThreadRange(team, pairs);
    Kokkos::MinMaxScalar<std::uint64_t> range;
    Kokkos::parallel_reduce(
        each,
        [&](int pair, Kokkos::MinMaxScalar<std::uint64_t>& all) {
          auto const key = key_at(slot_of(pair));
          if (!is_finite_key(key)) return;
          all.min_val = Kokkos::min(all.min_val, rank_of_key(key));
          all.max_val = Kokkos::max(all.max_val, rank_of_key(key));
        },
        Kokkos::MinMax<std::uint64_t>(range));
    if (range.min_val >= range.max_val) return;  // the same in all threads
    std::uint64_t const span = range.max_val - range.min_val;
    int const dropped        = Kokkos::max(0, int(Kokkos::bit_width(span)) - 16);
    std::int64_t between     = 0;
    Kokkos::parallel_reduce(
        each,
        [&](int pair, std::int64_t& sum) {
          int const slot = slot_of(pair);
          if (plan.path_at(slot) != plan.path_at(slot + 1)) return;
          auto const place = [&](int s) {
            return std::int64_t(place_in_range(rank_of_key(key_at(s)), range.min_val, range.max_val) >> dropped);
          };
          auto const a = place(slot), b = place(slot + 1);
          sum += a < b ? b - a : a - b;
        },
        between);
    // A path's neighbors in the best order have the range between them once.
    double const best = double(pairs) * plan.paths / plan.items;
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (double(between) > double(span >> dropped) * (double(pairs) / apart + 2 * best)) *is_apart = 1;
    });
  }

 private:
  /// The first slot of a pair.
  KOKKOS_FUNCTION int slot_of(int pair) const { return int(std::int64_t(pair) * (plan.items - 1) / pairs); }
  KOKKOS_FUNCTION auto key_at(int slot) const { return work.key(work.begin + plan.item_at(slot)); }
};

/// \param[out] is_apart  becomes 1 if a sample of neighbors has keys that are far apart.
template <class Exec, class Named, class Work>
void sample_plan_keys(Exec const& exec, Named const& named, Work const& work, GridPlan const& plan,
                      std::int64_t* is_apart) {
  using Sample    = SamplePlanKeys<Work>;
  int const pairs = std::min(+Sample::max_pairs, plan.items - 1);
  if (pairs <= 0) return;
  Sample const sample{work, plan, pairs, is_apart};
  int const threads = team_threads<Exec>(PlanTeams<Exec>::threads);
  Kokkos::parallel_for(named("plan: sample"), team_policy(exec, Teams{1, threads, 0, 0}, sample), sample);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
