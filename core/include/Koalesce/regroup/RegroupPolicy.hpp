// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_POLICY_HPP
#define KOALESCE_REGROUP_REGROUP_POLICY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/regroup/RegroupPlan.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce {

/// Whether items are regrouped: where it was measured to pay, never (the plain loop), or always.
enum class Regroup { automatic, never, always };

/// Among which items: those of one team, near each other, or all.
enum class RegroupScope { automatic, team, grid };

/// What is remapped: which item a thread takes, or where the payload's elements lie.
enum class RegroupRemap { automatic, index, data };

/// How exactly the items of a path follow their keys (RegroupPolicy::with_order): as was measured to pay, which may be
/// not at all; by the 8 to 15 leading bits of the keys' range; by all the bits that 32 hold beside the path; or
/// exactly.
enum class KeyBits { automatic, few, many, exact };

/// How many paths there are, where their number is known at run time only.
struct Paths {
  int count;  ///< number of paths

  /// \param[in] n  number of paths, at least 1.
  KOKKOS_FUNCTION explicit constexpr Paths(int n) : count(n) {}
};

/// A View whose element i belongs to item i and may move with it.
template <class ViewT, bool Returns>
struct PayloadView {
  using View                    = ViewT;    ///< of rank 1
  static constexpr bool returns = Returns;  ///< whether elements are written back

  View view;  ///< the elements, one per item
};

/// \brief A payload View of rank 1 whose elements functors only read.
template <class View>
KOKKOS_FUNCTION auto one_way(View const& view) {
  return PayloadView<typename View::const_type, false>{view};
}

/// \brief The same, for elements that functors change: they are written back to the View.
template <class View>
KOKKOS_FUNCTION auto round_trip(View const& view) {
  return PayloadView<View, true>{view};
}

/// For loops without RegroupPolicy::with_order.
struct NoKey {};

/// \brief The items of a regrouped loop, the instance it runs on, and how it may be regrouped.
///
///     RegroupPolicy policy(exec, 0, n);
///     auto moving = RegroupPolicy(exec, 0, n).with_payload(one_way(x), round_trip(y));  // f(i, x_i, y_i)
///     auto portable = policy.with_backend(Backend::Portable{});
///     auto ordered  = policy.with_order(KOKKOS_LAMBDA(std::int64_t i) { return energy(i); });
///     auto kept     = ordered.with_plan(plan);
///
/// Every setter returns a changed copy.
///
/// \tparam Exec       execution space.
/// \tparam Payload    the Views whose elements may move with their items, as with_payload() names them.
/// \tparam BackendTag the backend, as with_backend() sets it.
/// \tparam Key        what orders the items of a path, as with_order() names it.
/// \tparam Plan       what keeps the order, as with_plan() names it.
template <class Exec, class Payload = Pack<>, class BackendTag = Backend::Default<Exec>, class Key = NoKey,
          class Plan = NoPlan>
class RegroupPolicy {
 public:
  using execution_space = Exec;        ///< whose instance the loop runs on
  using backend_type    = BackendTag;  ///< a tag of namespace Backend

  /// \param[in] space      the instance that kernels run on.
  /// \param[in] begin, end the items: begin, begin + 1, ..., end - 1.
  /// \param[in] payload  what with_payload() names.
  /// \param[in] key      what with_order() names.
  /// \param[in] plan     what with_plan() names.
  RegroupPolicy(Exec const& space, std::int64_t begin, std::int64_t end, Payload const& payload = Payload{},
                Key const& key = Key{}, Plan const& plan = Plan{})
      : m_space(space), m_begin(begin), m_end(end), m_payload(payload), m_key(key), m_plan(plan) {}

  /// The instance that kernels run on.
  Exec const& space() const { return m_space; }
  /// The first item.
  std::int64_t begin() const { return m_begin; }
  /// Behind the last item.
  std::int64_t end() const { return m_end; }
  /// Whether items are regrouped.
  Regroup regroup() const { return m_regroup; }
  /// Among which items.
  RegroupScope scope() const { return m_scope; }
  /// What is remapped.
  RegroupRemap remap() const { return m_remap; }
  /// The Views whose elements may move.
  Payload const& payload() const { return m_payload; }
  /// What orders the items of a path.
  Key const& key() const { return m_key; }
  /// How exactly it does.
  KeyBits key_bits() const { return m_key_bits; }
  /// What keeps the order of the items.
  Plan const& plan() const { return m_plan; }
  /// Which items' paths are compared with those in the plan.
  PlanCheck plan_check() const { return m_plan_check; }

  /// \brief A copy that runs on the given backend instead of the execution space's own.
  template <class OtherTag>
  auto with_backend(OtherTag) const {
    using Resolved = Impl::Resolve<OtherTag, Exec>;
    return choices_for(
        RegroupPolicy<Exec, Payload, Resolved, Key, Plan>(m_space, m_begin, m_end, m_payload, m_key, m_plan));
  }

  /// \brief Without it: automatic.
  RegroupPolicy with_regroup(Regroup when) const {
    return with([&](auto& p) { p.m_regroup = when; });
  }

  /// \brief Without it, or with automatic, the scope that was measured to be faster.
  RegroupPolicy with_scope(RegroupScope s) const {
    return with([&](auto& p) { p.m_scope = s; });
  }

  /// \brief Without it, or with automatic, the remap that was measured to be faster; data moves only if there is a
  /// payload. The loop throws an Error if data is named without one.
  RegroupPolicy with_remap(RegroupRemap r) const {
    return with([&](auto& p) { p.m_remap = r; });
  }

  /// \brief Names the payload, Views whose elements may move with their items: one_way(view) or round_trip(view), each
  /// of rank 1.
  ///
  /// Functors then take their item's elements after its number, `T const&` and `T&`, wherever those lie: they must not
  /// reach them through the View. Elements are trivially copyable, and aligned to at most 16 bytes. A View that is
  /// written back must not overlap another one or itself. One call names all of them.
  template <class... Views, bool... Returns>
  auto with_payload(PayloadView<Views, Returns> const&... payload) const {
    static_assert(std::is_same_v<Payload, Pack<>>,
                  "Koalesce::RegroupPolicy: with_payload() names all Views of the payload in one call; a second call "
                  "would drop those of the first");
    using Named = Pack<PayloadView<Views, Returns>...>;
    return choices_for(
        RegroupPolicy<Exec, Named, BackendTag, Key, Plan>(m_space, m_begin, m_end, Named(payload...), m_key, m_plan));
  }

  /// \brief Names a key that orders the items within their paths, so that neighbors read neighboring memory.
  ///
  /// Whether items are ordered, by how many bits of their keys, and whether a payload moves to where its items run (in
  /// order of many bits), is one more choice of Regroup::automatic. Items are sorted over the grid then, by 32-bit
  /// numbers of their paths and the leading bits of their keys' range, so that integers from a small range are in exact
  /// order; or, if asked, by all bits, which takes a sort for every 32 bits of a key and one by path. Equal numbers
  /// stay in order of their items. What the key means to the loop does not matter: every item runs once, as without a
  /// key.
  ///
  /// \param[in] key   key(i): a float, a double, or an integer of up to 8 bytes; called a few times an item on
  ///                  the device, without side effects, and reading nothing that another item's functor writes.
  ///                  Numbers that are not finite count as the lowest or the highest one that is.
  /// \param[in] bits  few, many or exact: regrouped items are always ordered so (unless with_scope() says team, or
  ///                  with_remap() says data).
  template <class NewKey>
  auto with_order(NewKey const& key, KeyBits bits = KeyBits::automatic) const {
    auto const ordered = choices_for(
        RegroupPolicy<Exec, Payload, BackendTag, NewKey, Plan>(m_space, m_begin, m_end, m_payload, key, m_plan));
    return ordered.with_key_bits(bits);
  }

  /// \brief Without it: automatic. \see with_order
  RegroupPolicy with_key_bits(KeyBits bits) const {
    return with([&](auto& p) { p.m_key_bits = bits; });
  }

  /// \brief Names a plan that keeps the order of the items over the grid from call to call.
  ///
  /// \param[in] plan   of the same execution space.
  /// \param[in] check  none: no item's path or key has changed since the last call with this plan, and the order is
  ///                   taken as it is. An item whose path has changed nevertheless runs the path that it had.
  auto with_plan(RegroupPlan<Exec> const& plan, PlanCheck check = PlanCheck::every_item) const {
    using Planned = RegroupPolicy<Exec, Payload, BackendTag, Key, RegroupPlan<Exec>>;
    return choices_for(Planned(m_space, m_begin, m_end, m_payload, m_key, plan)).with_plan_check(check);
  }

  /// \brief Without it: every item. \see with_plan
  RegroupPolicy with_plan_check(PlanCheck check) const {
    return with([&](auto& p) { p.m_plan_check = check; });
  }

 private:
  template <class Other>
  Other choices_for(Other const& other) const {
    return other.with_regroup(m_regroup)
        .with_scope(m_scope)
        .with_remap(m_remap)
        .with_key_bits(m_key_bits)
        .with_plan_check(m_plan_check);
  }

  template <class Change>
  RegroupPolicy with(Change const& change) const {
    RegroupPolicy copy = *this;
    change(copy);
    return copy;
  }

  Exec m_space;
  std::int64_t m_begin, m_end;
  Payload m_payload;
  Key m_key;
  Plan m_plan;
  Regroup m_regroup      = Regroup::automatic;
  RegroupScope m_scope   = RegroupScope::automatic;
  RegroupRemap m_remap   = RegroupRemap::automatic;
  KeyBits m_key_bits     = KeyBits::automatic;
  PlanCheck m_plan_check = PlanCheck::every_item;
};

}  // namespace Koalesce

#endif
