// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_REGROUP_HPP
#define KOALESCE_PORTABLE_REGROUP_REGROUP_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/regroup/GridPlan.hpp>
#include <Koalesce/portable/regroup/KeyOrder.hpp>
#include <Koalesce/portable/regroup/PlanKeys.hpp>
#include <Koalesce/portable/regroup/RegroupGrid.hpp>
#include <Koalesce/portable/regroup/RegroupTeam.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <algorithm>
#include <string>

namespace Koalesce::Impl {

#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool runs_in_launch<Kokkos::Serial> = true;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool runs_in_launch<Kokkos::OpenMP> = true;
#endif

}  // namespace Koalesce::Impl

namespace Koalesce::Impl::PortableBackend {

/// The plain loop.
template <class Work>
struct PlainLoop {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    auto const path = work.predicted(item);
    if (!work.run(path, item, update)) work.fault.report(item, path);
  }
};

template <class Exec, class Work, class Result>
void run_plain_loop(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  for_or_reduce(label, argument_range<std::int64_t>(exec, work.begin, work.end), PlainLoop<Work>{work}, result);
}

/// How the numbers are made by which a variant sorts the items of a loop.
template <class Work>
SortBits sort_bits(Work const& work, RegroupVariant variant) {
  return SortBits::of<typename Work::KeyValue>(variant, work.paths);
}

/// Whether a backend can run a loop by this variant.
template <class Tag, class Work>
bool can_regroup(Tag, Work const& work, RegroupVariant variant) {
  switch (variant) {
    case RegroupVariant::plain: return true;
    case RegroupVariant::team:
      return work.items() <= TeamShape::max_loop_items && TeamPathOrder<SerialWorker>::can_order(work.paths);
    case RegroupVariant::team_moved:
      return work.items() <= TeamShape::max_loop_items && TeamPathOrder<SerialWorker>::can_order(work.paths) &&
             Slots<Work>::bytes_per_item * TeamShape::min_items <= TeamShape::max_moved_bytes;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact: return work.items() <= GridPathOrder::max_items && sort_bits(work, variant).fit();
    case RegroupVariant::planned: return work.items() <= GridPathOrder::max_items && work.paths <= GridPlan::max_paths;
    case RegroupVariant::grid_moved:
      if (Work::has_key) return work.items() <= GridPathOrder::max_items;
      break;
    case RegroupVariant::grid: break;
  }
  return work.items() <= GridPathOrder::max_items && work.paths <= std::max(work.items(), GridPathOrder::few_paths);
}

/// Whether a variant puts items in order by numbers of their paths and keys.
template <class Work>
bool sorts_numbers(RegroupVariant variant) {
  switch (variant) {
    case RegroupVariant::plain:
    case RegroupVariant::team:
    case RegroupVariant::team_moved:
    case RegroupVariant::grid: break;
    case RegroupVariant::grid_moved: return Work::has_key;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact:
    case RegroupVariant::planned: return true;
  }
  return false;
}

/// Bytes of the slots of elements that a variant moves.
template <class Work>
std::size_t moved_bytes(Work const& work, RegroupVariant variant) {
  bool const moves = variant == RegroupVariant::grid_moved;
  return moves ? padded_bytes(std::int64_t(Slots<Work>::bytes(std::size_t(work.items())))) : 0;
}

/// Bytes of memory that a variant needs; a plan, where it is made.
template <class Tag, class Exec, class Work>
std::size_t regroup_memory(Tag, Exec const&, Work const& work, RegroupVariant variant) {
  std::size_t const elements = moved_bytes(work, variant);
  if (sorts_numbers<Work>(variant))
    return elements + GridKeyOrder::bytes(work.items(), sort_scratch<SerialWorker>(work.items()));
  if (variant != RegroupVariant::grid && variant != RegroupVariant::grid_moved) return 0;
  return elements + GridPathOrder::bytes(work.items(), work.paths, SerialWorker::tile_items);
}

/// Bytes that a sort of the items moves: numbers and items are written, read at the end, and in between go from one
/// array to the other once a digit.
template <class Work>
std::int64_t sorted_bytes(Work const& work, RegroupVariant variant) {
  auto const bits           = sort_bits(work, variant);
  std::int64_t const before = bits.exact ? (sizeof(typename Work::KeyValue) + 3) / 4 : 0;  // sorts by 32 bits
  return work.items() * 16 * (1 + bits.total / SortBits::digit + before * (1 + 32 / SortBits::digit));
}

/// Bytes that regrouping moves through memory, beside what the loop itself does.
template <class Tag, class Work>
std::int64_t regroup_bytes(Tag, Work const& work, RegroupVariant variant) {
  auto const code = std::int64_t(GridPathOrder::code_bytes(work.paths)), number = std::int64_t(sizeof(int));
  auto const elements = std::int64_t(Slots<Work>::bytes_per_item);
  switch (variant) {
    case RegroupVariant::plain:
    case RegroupVariant::team:
    case RegroupVariant::team_moved: break;
    case RegroupVariant::grid: return work.items() * (3 * code + 2 * number);
    case RegroupVariant::grid_moved:
      if (!Work::has_key) return work.items() * (3 * code + 2 * number + 2 * elements);
      return sorted_bytes(work, variant) + work.items() * 4 * elements;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact: return sorted_bytes(work, variant);
    case RegroupVariant::planned: return work.items() * (number + std::int64_t(sizeof(std::uint16_t)));
  }
  return 0;
}

/// The items over the grid in order of their keys. \tparam Moves  whether the payload's elements move to the slots.
template <bool Moves, class Exec, class Named, class Work, class Result>
void run_ordered(Exec const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                 int team_size, Result& result) {
  if constexpr (Work::has_key) {
    auto const [elements, rest] = take_elements<Moves>(work, memory);
    auto const order =
        order_by_number<SerialWorker>(exec, named, work, sort_bits(work, variant), rest, team_size, team_size);
    if constexpr (Moves) run_moved_loop(exec, named, work, order, elements, result);
    else run_grid_loop<false>(exec, named(to_string(variant)), work, order, elements, result);
  }
}

// ---- Plans ----

template <class Tag, class Work>
std::size_t plan_memory(Tag, Work const& work) {
  return GridPlan::bytes(work.items(), work.paths);
}

template <RunsPortable Tag, class Exec, class Named, class Work>
void make_plan(Tag, Exec const& exec, Named const& named, Work const& work, SortBits bits, char* plan, char* memory) {
  constexpr int team_size = TeamShape::team_size<Exec>;
  make_grid_plan(exec, named, work, GridPlan::in(plan, work.items(), work.paths),
                 GridKeyOrder::in(memory, work.items(), bits),
                 [&](GridKeyOrder& order) { sort_digits<SerialWorker>(exec, named, order, team_size, team_size); });
}

template <class Tag, class Exec, class Named, class Work>
void update_plan(Tag, Exec const& exec, Named const& named, Work const& work, char* plan, std::int64_t* report) {
  update_grid_plan(exec, named, work, GridPlan::in(plan, work.items(), work.paths), report);
}

template <class Tag, class Exec, class Named, class Work>
void sample_plan(Tag, Exec const& exec, Named const& named, Work const& work, char* plan, std::int64_t* is_apart) {
  sample_plan_keys(exec, named, work, GridPlan::in(plan, work.items(), work.paths), is_apart);
}

template <RunsPortable Tag, class Exec, class Named, class Work, class Result>
void run_planned(Tag, Exec const& exec, Named const& named, Work const& work, char* plan, Result& result) {
  run_grid_loop<false>(exec, named(to_string(RegroupVariant::planned)), work,
                       GridPlan::in(plan, work.items(), work.paths), {}, result);
}

template <RunsPortable Tag, class Exec, class Named, class Work, class Result>
void run_regroup(Tag, Exec const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                 Result& result) {
  constexpr int team_size = TeamShape::team_size<Exec>;
  switch (variant) {
    case RegroupVariant::plain: return run_plain_loop(exec, named(to_string(variant)), work, result);
    case RegroupVariant::team:
      return run_team<SerialWorker, false>(exec, named(to_string(variant)), work, team_size, result);
    case RegroupVariant::team_moved:
      if constexpr (Work::has_payload)
        run_team<SerialWorker, true>(exec, named(to_string(variant)), work, team_size, result);
      return;
    case RegroupVariant::grid:
      return run_grid<SerialWorker, false>(exec, named, work, memory, team_size, team_size, result);
    case RegroupVariant::grid_moved:
      if constexpr (Work::has_payload && Work::has_key)
        run_ordered<true>(exec, named, work, variant, memory, team_size, result);
      else if constexpr (Work::has_payload)
        run_grid<SerialWorker, true>(exec, named, work, memory, team_size, team_size, result);
      return;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact: return run_ordered<false>(exec, named, work, variant, memory, team_size, result);
    case RegroupVariant::planned: return;  // run_planned() does
  }
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
