// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_TEAM_REGROUP_HPP
#define KOALESCE_REGROUP_TEAM_REGROUP_HPP

#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/TeamRegrouping.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace Koalesce {

/// \brief Bytes of level 0 scratch memory that team_regroup() or a TeamRegroup needs. Successive calls of
/// team_regroup() in a kernel reuse them; every TeamRegroup has its own.
///
/// \tparam Elements  the types of the payload's elements, of a TeamRegroup with a payload.
/// \param[in] items      maximum number of items in a call, at most 65536.
/// \param[in] paths      maximum number of paths in a call.
/// \param[in] team_size  the policy's team size; by default, the result is enough for any team size.
template <class... Elements>
KOKKOS_FUNCTION constexpr std::size_t team_regroup_scratch(int items, int paths, int team_size = 1024) {
  using Slots = Impl::SlotsOf<Elements...>;
  return Slots::padded(Impl::TeamPathOrder<Impl::SerialWorker>::bytes(items, paths, team_size)) +
         Slots::bytes(std::size_t(items)) + Slots::alignment;
}

/// \brief A team's items in an order by path that is kept, for branches that a kernel comes to again and again.
///
///     policy.set_scratch_size(0, Kokkos::PerTeam(team_regroup_scratch<double>(n, 3)));
///     ...
///     TeamRegroup cells(team, n, Paths(3), regime, round_trip(temperature));  // regime(i, T) of cell i
///     for (int k = 0; k < substeps; ++k) {
///       cells.for_each([&](int i, int path, double& T) { ... });
///       cells.update(regime);                                                 // if a cell has changed its regime
///     }
///     cells.write_back();
///
/// The elements of a payload lie in scratch memory until write_back(). Functors take them after the other arguments,
/// `T const&` and `T&`, and must not reach them through their Views.
///
/// All threads of the team call the constructor and the functions, with the same arguments, in uniform control flow;
/// each ends with a barrier. The policy's vector length must be 1. Items are ordered as by team_regroup().
///
/// \tparam Member   the team's handle.
/// \tparam Payload  what one_way() and round_trip() return.
template <class Member, class... Payload>
class TeamRegroup {
 public:
  /// \brief Reads the payload's elements, finds the items' paths and puts them in order.
  ///
  /// \param[in] team     the team's handle; it must outlive this object.
  /// \param[in] items    at most 65536; the same in all threads.
  /// \param[in] paths    number of paths, at most 65535.
  /// \param[in] predict  predict(i, elements...): the path of item i, in [0, paths); called once per item, and may
  ///                     write what belongs to item i alone. If a path is out of range, a message names the item, and
  ///                     the kernel aborts.
  /// \param[in] payload  Views of rank 1, each one_way(view) or round_trip(view); element i belongs to item i.
  template <class Predict>
  KOKKOS_FUNCTION TeamRegroup(Member const& team, int items, Paths const& paths, Predict const& predict,
                              Payload const&... payload)
      : m_items(team, team.team_scratch(0), items, paths.count, predict, payload...) {
    static_assert(((Payload::View::rank() == 1) && ...),
                  "Koalesce::TeamRegroup: a payload View must have rank 1, one element per item");
  }

  /// \brief Finds the items' paths anew, from what functors left, and puts the items in order again if any has changed.
  ///
  /// \param[in] predict  as the constructor's.
  /// \return whether any path has changed; the same in all threads.
  template <class Predict>
  KOKKOS_FUNCTION bool update(Predict const& predict) const {
    return m_items.update(predict);
  }

  /// \brief Calls body(i, path, elements...) once per item. At most paths - 1 warps run more than one path.
  template <class Body>
  KOKKOS_FUNCTION void for_each(Body const& body) const {
    m_items.for_each(body);
  }

  /// \brief Writes the elements of round_trip() back to their Views. More calls of for_each() may follow.
  KOKKOS_FUNCTION void write_back() const { m_items.write_back(); }

 private:
  Impl::TeamRegrouping<Member, Payload...> m_items;
};

/// \brief A branch inside a team's kernel: body(i, path) for every item i of the team, regrouped so that whole warps
/// take one path.
///
///     policy.set_scratch_size(0, Kokkos::PerTeam(team_regroup_scratch(n, 3)));
///     ...
///     team_regroup(team, n, Paths(3), [&](int i) { return kind(i); },
///                  [&](int i, int path) { if (path == 0) ...; else if (path == 1) ...; else ...; });
///
/// All threads of the team call it, with the same arguments, in uniform control flow; it ends with a barrier, so it can
/// be called several times in a kernel, and the next branch sees what one branch wrote. The policy's vector length must
/// be 1; on CUDA, a kernel with another one aborts. An item may run on any thread of the team. At most paths - 1 warps
/// per call run more than one path. Items of a path are in ascending order; with two paths, the items of the second one
/// fill the slots from the last one downward.
///
/// \param[in] team    the team's handle.
/// \param[in] items   at most 65536; the same in all threads.
/// \param[in] paths   number of paths, at most 65535. (If there are more than 256, neighboring paths share warps.)
/// \param[in] predict predict(i): the path of item i, in [0, paths); called once per item, and may write what belongs
///                    to item i alone. If a path is out of range, a message names the item, and the kernel aborts.
/// \param[in] body    body(i, path), once per item.
template <class Member, class Predict, class Body>
KOKKOS_FUNCTION void team_regroup(Member const& team, int items, Paths const& paths, Predict const& predict,
                                  Body const& body) {
  auto const scratch = team.team_scratch(0);  // a copy, so that its memory is free again after the call
  Impl::TeamRegrouping<Member>(team, scratch, items, paths.count, predict).for_each(body);
}

/// \brief The same for two paths: predict(i) is false or true, body(i, bool).
template <class Member, class Predict, class Body>
KOKKOS_FUNCTION void team_regroup(Member const& team, int items, Predict const& predict, Body const& body) {
  static_assert(std::is_same_v<decltype(predict(0)), bool>,
                "Koalesce::team_regroup: without Paths(n) the predictor must return bool; for other predictors give "
                "the number of paths");
  team_regroup(team, items, Paths(2), predict, [&](int item, int path) { body(item, path != 0); });
}

}  // namespace Koalesce

#endif
