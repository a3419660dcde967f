// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_SIGNATURE_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_SIGNATURE_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/placement/OnChip.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/PlacedArray.hpp>

#include <type_traits>

/// Compile-time checks of a call of parallel_placed, with one clear message each.
namespace Koalesce::Impl {

template <class Policy, class Kernel, class... Elements>
constexpr bool check_kernel() {
  if constexpr (is_device_lambda<Kernel>) {
    return true;
  } else {
    using Team              = typename Policy::team_policy::member_type;
    constexpr bool callable = std::is_invocable_v<Kernel const&, Team const&, Elements&...>;
    static_assert(
        callable,
        "Koalesce::parallel_placed: the kernel must be const and take a Kokkos team handle, then one reference "
        "for every array of OnChip, in their order, as in (auto const& team, auto& tile, auto& sums)");
    return callable;
  }
}

/// Fails a static_assert and returns false if the call is wrong; the caller then compiles no code that would add errors
/// of its own.
/// \tparam Places  a Placement, as where none is given, or a FixedPlacement, for which alone a kernel is compiled.
template <class Places>
struct PlacementSignature;
template <>
struct PlacementSignature<Placement> {
  template <class Policy, class Kernel, class... Arrays>
  static constexpr bool passes() {
    return check_kernel<Policy, Kernel, typename Placed<Arrays, Place::scratch>::type...>();
  }
};
template <Place... P>
struct PlacementSignature<FixedPlacement<P...>> {
  template <class Policy, class Kernel, class... Arrays>
  static constexpr bool passes() {
    constexpr bool places = sizeof...(P) == sizeof...(Arrays);
    static_assert(places, "Koalesce::parallel_placed: a FixedPlacement must have one place per array");
    if constexpr (places) return check_kernel<Policy, Kernel, typename Placed<Arrays, P>::type...>();
    return false;
  }
};

}  // namespace Koalesce::Impl

#endif
