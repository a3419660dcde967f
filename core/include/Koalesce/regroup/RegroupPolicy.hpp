// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_POLICY_HPP
#define KOALESCE_REGROUP_REGROUP_POLICY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Pack.hpp>

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
auto one_way(View const& view) {
  return PayloadView<typename View::const_type, false>{view};
}

/// \brief The same, for elements that functors change: they are written back to the View.
template <class View>
auto round_trip(View const& view) {
  return PayloadView<View, true>{view};
}

/// \brief The items of a regrouped loop, the instance it runs on, and how it may be regrouped.
///
///     RegroupPolicy policy(exec, 0, n);
///     auto moving = RegroupPolicy(exec, 0, n).with_payload(one_way(x), round_trip(y));  // f(i, x_i, y_i)
///     auto portable = policy.with_backend(Backend::Portable{});
///
/// Every setter returns a changed copy.
///
/// \tparam Exec       execution space.
/// \tparam Payload    the Views whose elements may move with their items, as with_payload() names them.
/// \tparam BackendTag the backend, as with_backend() sets it.
template <class Exec, class Payload = Pack<>, class BackendTag = Backend::Default<Exec>>
class RegroupPolicy {
 public:
  using execution_space = Exec;        ///< whose instance the loop runs on
  using backend_type    = BackendTag;  ///< a tag of namespace Backend

  /// \param[in] space      the instance that kernels run on.
  /// \param[in] begin, end the items: begin, begin + 1, ..., end - 1.
  /// \param[in] payload  what with_payload() names.
  RegroupPolicy(Exec const& space, std::int64_t begin, std::int64_t end, Payload const& payload = Payload{})
      : m_space(space), m_begin(begin), m_end(end), m_payload(payload) {}

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

  /// \brief A copy that runs on the given backend instead of the execution space's own.
  template <class OtherTag>
  auto with_backend(OtherTag) const {
    return choices_for(RegroupPolicy<Exec, Payload, Impl::Resolve<OtherTag, Exec>>(m_space, m_begin, m_end, m_payload));
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
  /// payload.
  RegroupPolicy with_remap(RegroupRemap r) const {
    return with([&](auto& p) { p.m_remap = r; });
  }

  /// \brief Names the payload, Views whose elements may move with their items: one_way(view) or round_trip(view), each
  /// of rank 1.
  ///
  /// Functors then take their item's elements after its number, `T const&` and `T&`, wherever those lie: they must not
  /// reach them through the View. A View that is written back must not overlap another one. One call names all of them.
  template <class... Views, bool... Returns>
  auto with_payload(PayloadView<Views, Returns> const&... payload) const {
    static_assert(std::is_same_v<Payload, Pack<>>,
                  "Koalesce::RegroupPolicy: with_payload() names all Views of the payload in one call; a second call "
                  "would drop those of the first");
    using Named = Pack<PayloadView<Views, Returns>...>;
    return choices_for(RegroupPolicy<Exec, Named, BackendTag>(m_space, m_begin, m_end, Named(payload...)));
  }

 private:
  template <class Other>
  Other choices_for(Other const& other) const {
    return other.with_regroup(m_regroup).with_scope(m_scope).with_remap(m_remap);
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
  Regroup m_regroup    = Regroup::automatic;
  RegroupScope m_scope = RegroupScope::automatic;
  RegroupRemap m_remap = RegroupRemap::automatic;
};

}  // namespace Koalesce

#endif
