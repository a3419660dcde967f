// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_DISPATCH_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_DISPATCH_HPP

#include <Koalesce/stencil/impl/StencilBackend.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

template <class View>
auto as_pack(View const& view) {
  if constexpr (is_pack<View>) return view;
  else return Pack<View>(view);
}

/// Brings checked arguments into canonical form and hands them to the policy's backend.
template <bool Reversed, class Policy, class... Ins, class... Outs, class... Functors>
void run_in_order(std::string const& label, Policy const& policy, Pack<Ins...> const& in, Pack<Outs...> const& out,
                  Functors const&... functors) {
  using Order = IndexOrder<Policy::rank, Reversed>;

  Extents3 extents{1, 1, 1};
  for (int c = 0; c < 3; ++c)
    if (Order::user_dim(c) >= 0) extents[c] = policy.extents()[Order::user_dim(c)];

  using Shape      = InputShapeOf<typename Policy::shape_type>;
  auto const field = [&](auto const& input, auto) {
    using Traits = InputTraits<std::decay_t<decltype(input)>, Shape>;
    return canonical_field<Order, typename Traits::view::const_value_type, typename Traits::shape>(view_of(input),
                                                                                                   policy);
  };
  auto const ins    = transform(inputs_that<false>(in), field);
  auto const points = transform(inputs_that<true>(in), field);
  auto const outs   = transform(out, [&](auto const& view, auto) {
    return canonical_field<Order, typename std::decay_t<decltype(view)>::value_type>(view, policy);
  });

  auto const work =
      make_work<Order, typename Policy::shape_type>(ins, points, outs, extents, policy.taps(), functors...);

  using BackendTag = typename Policy::backend_type;
  static_assert(StencilBackend<BackendTag, typename Policy::execution_space, std::remove_const_t<decltype(work)>>,
                "Koalesce: the execution space's backend was not included, or lacks a function that StencilBackend "
                "requires; include <Koalesce/Stencil.hpp>, or write that function");
  Kokkos::Profiling::ScopedRegion const region("Koalesce::parallel_stencil");
  run_stencil(BackendTag{}, policy.space(), label, work);
}

template <class Policy, class Ins, class Outs, class... Functors>
void dispatch_stencil(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                      Functors const&... functors) {
  for (int d = 0; d < Policy::rank; ++d)
    if (policy.extents()[d] == 0) return;

  auto const& leading = get<0>(out);
  using Leading       = std::decay_t<decltype(leading)>;
  if (is_reversed(leading)) {
    if constexpr (can_be_reversed<Leading, true>()) run_in_order<true>(label, policy, in, out, functors...);
  } else {
    if constexpr (can_be_reversed<Leading, false>()) run_in_order<false>(label, policy, in, out, functors...);
  }
}

/// The natural way of every call: checks, then the work for the backend.
template <class Policy, class Ins, class Outs, class... Functors>
void check_and_dispatch(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                        Functors const&... functors) {
  check_stencil(call_text("Koalesce::parallel_stencil", label), policy, in, out);
  dispatch_stencil(label, policy, in, out, functors...);
}

}  // namespace Koalesce::Impl

#endif
