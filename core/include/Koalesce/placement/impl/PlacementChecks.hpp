// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_CHECKS_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/placement/OnChip.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// The arrays as far as their declarations describe them.
template <class... Arrays>
std::vector<PlacementArray> declared_arrays(OnChip<Arrays...> const& arrays) {
  std::vector<PlacementArray> all;
  for_each(arrays.arrays, [&](auto const& array, auto) {
    using Array = std::decay_t<decltype(array)>;
    all.push_back(
        {array.name(), array.stated_accesses().value_or(0), !Array::own, Array::shape_type::fits_in_thread()});
  });
  return all;
}

/// Declarations keep the closest int of what is none.
inline std::string extent_text(int extent) {
  using Limits = std::numeric_limits<int>;
  return std::to_string(extent) + (extent == Limits::max() ? " or more" : extent == Limits::min() ? " or less" : "");
}

/// Name, kind, bytes per element and extents of every array: "tile: TeamArray of 4 bytes [18][18]; ...".
template <class... Arrays>
std::string declaration_text(OnChip<Arrays...> const& arrays) {
  std::string text;
  for_each(arrays.arrays, [&](auto const& array, auto) {
    using Array = std::decay_t<decltype(array)>;
    text += (text.empty() ? "" : "; ") + array.name() + ": " + (Array::own ? "ThreadArray" : "TeamArray") + " of " +
            std::to_string(sizeof(typename Array::value_type)) + " bytes ";
    array.shape().for_extents([&](auto... extent) { ((text += "[" + extent_text(extent) + "]"), ...); });
    if (!Array::shape_type::constant) text += " at run time";
  });
  return text;
}

/// Whether Kokkos can run so many teams.
constexpr bool is_league_size(std::int64_t teams) { return teams >= 0 && teams <= max_league; }

template <class Policy, class... Arrays>
void check_placement(std::string const& where, Policy const& policy, OnChip<Arrays...> const& arrays) {
  static_assert(sizeof...(Arrays) <= 8,
                "Koalesce: a kernel can have at most 8 arrays on chip, because k arrays mean 2^k compiled placements; "
                "merge some of them");
  if (!is_league_size(policy.league_size()))
    fail(where, "the league has ", policy.league_size(),
         " teams; Kokkos counts on from the last team in an int; give 0 to ", max_league);
  if (policy.team_size() < 1)
    fail(where, "the teams have ", policy.team_size(), " threads; a team needs at least one; give 1 or more");
  std::set<std::string> names;
  for_each(arrays.arrays, [&](auto const& array, auto i) {
    if (array.name().empty())
      fail(where, "array ", int(i), " has no name; logs and the tuning file identify arrays by name; give it a name");
    if (!names.insert(array.name()).second)
      fail(where, "two arrays are called \"", array.name(),
           "\"; logs and the tuning file identify arrays by name; give each its own");
    bool const below = array.shape().for_extents([](auto... extent) { return ((extent < 0) || ...); });
    if (!array.shape().is_valid())
      fail(where, "array \"", array.name(), "\" has ", below ? "a negative extent" : "too many elements", " (",
           declaration_text(arrays), "); arrays on chip are small; give extents whose product is below 2^25");
  });
}

/// Throws unless the placement has one of the two places that a search knows for every array.
template <class... Arrays>
void check_places(std::string const& where, OnChip<Arrays...> const& arrays, Placement const& placement) {
  auto const all = declared_arrays(arrays);
  if (placement.size() != all.size())
    fail(where, "the placement is for ", placement.size(), " arrays, but the kernel has ", all.size(),
         "; a placement has one place per array; give one that was made for this kernel");
  for (std::size_t i = 0; i < all.size(); ++i)
    if (placement[i] != Place::scratch && placement[i] != promoted_place(all[i]))
      fail(where, "array \"", all[i].name, "\" cannot lie in ", to_string(placement[i]),
           " by a placement chosen at run time; the kernel is compiled only for scratch memory and ",
           to_string(promoted_place(all[i])), "; use one of these, or a FixedPlacement");
}

}  // namespace Koalesce::Impl

#endif
