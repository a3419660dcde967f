// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_SUBJECT_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_SUBJECT_HPP

#include <Koalesce/placement/OnChip.hpp>
#include <Koalesce/placement/Place.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace Koalesce::Impl {

/// The key of a call in the cache of recent calls: everything, besides types, on which its checks, its kernel's name
/// and its placement depend. It keeps references to label and arrays, so that a look-up copies nothing.
template <class... Arrays>
struct PlacementSubject {
  PlacementSubject(std::string const& name, OnChip<Arrays...> const& declaration)
      : label(name), declared(declaration) {}

  template <Place... P>
  void place(FixedPlacement<P...>) {}  // part of the type

  void place(Placement const& placement) {
    can_be = can_be && placement.size() == places.size();
    for (std::size_t a = 0; can_be && a < places.size(); ++a) places[a] = placement[a];
  }

  std::string const& label;
  OnChip<Arrays...> const& declared;
  int device = 0, team_size = 0;
  std::int64_t league_size = 0, changes = 0;  // 0 stands for any; `changes` is the registry's
  bool can_be = true;                         // false: the checks will throw, so it is not stored
  std::array<Place, sizeof...(Arrays)> places{};
};

/// The same with copies, as the cache stores it.
template <class... Arrays>
class StoredSubject {
 public:
  StoredSubject() = default;
  explicit StoredSubject(PlacementSubject<Arrays...> const& s)
      : m_label(s.label),
        m_device(s.device),
        m_team_size(s.team_size),
        m_league_size(s.league_size),
        m_changes(s.changes),
        m_places(s.places) {
    for_each(s.declared.arrays, [&](auto const& array, auto i) {
      m_names[i]       = array.name();
      get<i>(m_shapes) = array.shape();
    });
  }

  friend bool operator==(StoredSubject const& a, PlacementSubject<Arrays...> const& b) {
    if (!b.can_be || a.m_device != b.device || a.m_team_size != b.team_size || a.m_league_size != b.league_size ||
        a.m_changes != b.changes || a.m_places != b.places || a.m_label != b.label)
      return false;
    bool same = true;
    for_each(b.declared.arrays, [&](auto const& array, auto i) {
      same = same && a.m_names[i] == array.name() && get<i>(a.m_shapes) == array.shape();
    });
    return same;
  }

 private:
  std::string m_label;
  int m_device = 0, m_team_size = 0;
  std::int64_t m_league_size = 0, m_changes = 0;
  std::array<Place, sizeof...(Arrays)> m_places{};
  std::array<std::string, sizeof...(Arrays)> m_names;
  Pack<typename Arrays::shape_type...> m_shapes;
};

}  // namespace Koalesce::Impl

#endif
