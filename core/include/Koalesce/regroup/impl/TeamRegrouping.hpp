// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_TEAM_REGROUPING_HPP
#define KOALESCE_REGROUP_IMPL_TEAM_REGROUPING_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/PayloadSlots.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

/// Chooses who counts and places the items of an execution space's teams. A backend with a better Worker specializes
/// it.
template <class Exec>
struct TeamWorker {
  template <class Member, class Action>
  KOKKOS_FORCEINLINE_FUNCTION static void choose(Member const&, Action const& action) {
    action(SerialWorker());
  }
};

/// A team's items in order of their paths, and their payload's elements, in scratch memory. The elements lie in order
/// of the items, so that another order moves none.
template <class Member, class... Payload>
class TeamRegrouping {
 public:
  /// Bytes of scratch memory, at 16.
  KOKKOS_FUNCTION static constexpr std::size_t bytes(int items, int paths, int team_size) {
    return order_bytes(items, paths, team_size) + Elements::bytes(std::size_t(items));
  }

  /// \param[in] scratch  where memory is taken from.
  template <class Scratch, class Predict>
  KOKKOS_FORCEINLINE_FUNCTION TeamRegrouping(Member const& team, Scratch const& scratch, int items, int paths,
                                             Predict const& predict, Payload const&... payload)
      : m_team(team),
        m_items(items),
        m_paths(paths),
        m_memory(take(scratch)),
        m_order(m_memory, items),
        m_elements(Elements::in(m_memory + order_bytes(items, paths, team.team_size()), std::size_t(items))),
        m_payload(payload...) {
    team.team_barrier();  // earlier code may still use the scratch memory
    if constexpr (has_payload) {
      for_each_item([&](int item) { depart(m_payload, item, m_elements, item); });
      team.team_barrier();
    }
    with_order([&](auto const& order) {
      order.fill(
          team, [&](int item) { return path_of(predict, item); }, [](int, int, int) {});
    });
    team.team_barrier();
  }

  /// Finds the paths anew, and the order if any has changed; returns whether.
  template <class Predict>
  KOKKOS_FORCEINLINE_FUNCTION bool update(Predict const& predict) const {
    bool changed = false;
    with_order(
        [&](auto const& order) { changed = order.renew(m_team, [&](int item) { return path_of(predict, item); }); });
    if (changed) m_team.team_barrier();
    return changed;
  }

  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Body const& body) const {
    for_each_item([&](int slot) {
      int const item = m_order.item(slot);
      with_elements(item,
                    [&](auto&... elements) KOALESCE_INLINE_LAMBDA { body(item, m_order.path(item), elements...); });
    });
    m_team.team_barrier();
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_back() const {
    if constexpr (some_return<Pack<Payload...>>)
      for_each_item([&](int item) { come_back(m_payload, item, m_elements, item); });
    m_team.team_barrier();
  }

 private:
  static constexpr bool has_payload = sizeof...(Payload) > 0;

  using Elements = SlotsOf<typename Payload::View::non_const_value_type...>;

  KOKKOS_FUNCTION static constexpr std::size_t order_bytes(int items, int paths, int team_size) {
    return Elements::padded(TeamPathOrder<SerialWorker>::bytes(items, paths, team_size));
  }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION char* take(Scratch const& scratch) const {
    using Order = TeamPathOrder<SerialWorker>;
    if (m_items < 0 || m_items > Order::max_items || m_paths < 1 || m_paths > Order::max_paths)
      Kokkos::abort(
          "Koalesce::team_regroup: a team can order 0 to 65536 items of 1 to 65535 paths; give it fewer of them");
    void* const memory = scratch.get_shmem_aligned(bytes(m_items, m_paths, m_team.team_size()), Elements::alignment);
    if (memory == nullptr)
      Kokkos::abort(
          "Koalesce::team_regroup: there is not enough scratch memory; the order of the items is kept in it, so add "
          "team_regroup_scratch() bytes to the policy's set_scratch_size(0, Kokkos::PerTeam(...))");
    return static_cast<char*>(memory);
  }

  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_item(Action const& action) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(m_team, m_items), action);
  }

  /// Calls action(elements...) with the payload's elements of an item.
  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) with_elements(int item, Action const& action) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
      return action(element_in_slot(get<I>(m_payload), std::integral_constant<int, int(I)>{}, m_elements, item)...);
    }(std::index_sequence_for<Payload...>{});
  }

  template <class Predict>
  KOKKOS_FORCEINLINE_FUNCTION int path_of(Predict const& predict, int item) const {
    auto const predicted =
        with_elements(item, [&](auto const&... elements) KOALESCE_INLINE_LAMBDA { return predict(item, elements...); });
    using Path = std::decay_t<decltype(predicted)>;
    static_assert(is_path_number<Path>,
                  "Koalesce::team_regroup: the predictor must return the path of an item as an integer, an "
                  "enumerator or a bool");
    long long path = 0;
    if constexpr (is_path_number<Path>) path = static_cast<long long>(predicted);
    if (path >= 0 && path < m_paths) return int(path);
    Kokkos::printf(
        "Koalesce::team_regroup: the predictor gives item %d of team %d the path %lld, but paths are numbered 0 to "
        "%d; make it return one of them for every item\n",
        item, int(m_team.league_rank()), path, m_paths - 1);
    Kokkos::abort(
        "Koalesce::team_regroup: a predictor returned a path that does not exist; the message above names the "
        "item");
    return 0;
  }

  /// Calls action(the order that the team's Worker finds).
  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION void with_order(Action const& action) const {
    TeamWorker<typename Member::execution_space>::choose(m_team, [&](auto worker) {
      action(TeamPathOrder<decltype(worker)>(m_memory, m_items, m_paths, m_team.team_size()));
    });
  }

  Member const& m_team;
  int m_items, m_paths;
  char* m_memory;
  OrderedItems m_order;
  typename Elements::Pointers m_elements;
  Pack<Payload...> m_payload;
};

}  // namespace Koalesce::Impl

#endif
