// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_STENCIL_DISPATCH_HPP
#define KOALESCE_IMPL_STENCIL_DISPATCH_HPP

#include <Koalesce/impl/ProfilingRegion.hpp>
#include <Koalesce/impl/StencilChecks.hpp>
#include <Koalesce/impl/StencilWork.hpp>
#include <Koalesce/openmp/Stencil.hpp>
#include <Koalesce/portable/Stencil.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/Stencil.hpp>
#endif

namespace Koalesce::Impl {

template <class View>
auto as_pack(View const& view) {
  if constexpr (is_pack<View>) return view;
  else return Pack<View>(view);
}

/// The canonical description of a View.
template <class Order, class T, class View, class Policy>
Field<T> make_field(View const& view, Policy const& policy) {
  Field<T> field{view.data(), {}};
  for (int d = 0; d < Policy::rank; ++d)
    field.origin += (std::int64_t(view.extent(d)) - policy.extents()[d]) / 2 * std::int64_t(view.stride(d));
  for (int c = 0; c < 3; ++c) field.stride[c] = Order::user_dim(c) < 0 ? 0 : view.stride(Order::user_dim(c));
  return field;
}

/// Whether the first index of a View is the one whose points lie closest together.
template <class View>
bool is_reversed(View const& view) {
  using Layout = typename View::array_layout;
  if constexpr (View::rank() == 1 || std::is_same_v<Layout, Kokkos::LayoutRight>) return false;
  else if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) return true;
  else return view.stride(0) < view.stride(View::rank() - 1);
}

/// Whether is_reversed can have this answer for Views of this type: spares kernels that can never run.
template <class View, bool Reversed>
constexpr bool can_be_reversed() {
  using Layout = typename View::array_layout;
  if (View::rank() == 1 || std::is_same_v<Layout, Kokkos::LayoutRight>) return !Reversed;
  if (std::is_same_v<Layout, Kokkos::LayoutLeft>) return Reversed;
  return true;
}

/// Brings checked arguments into canonical form and hands them to the policy's backend.
template <bool Reversed, class Policy, class... Ins, class... Outs, class... Functors>
void run_in_order(std::string const& label, Policy const& policy, Pack<Ins...> const& in, Pack<Outs...> const& out,
                  Functors const&... functors) {
  using Order = IndexOrder<Policy::rank, Reversed>;

  Extents3 extents{1, 1, 1};
  for (int c = 0; c < 3; ++c)
    if (Order::user_dim(c) >= 0) extents[c] = policy.extents()[Order::user_dim(c)];

  auto const ins  = transform(in, [&](auto const& view, auto) {
    return make_field<Order, typename std::decay_t<decltype(view)>::const_value_type>(view, policy);
  });
  auto const outs = transform(out, [&](auto const& view, auto) {
    return make_field<Order, typename std::decay_t<decltype(view)>::value_type>(view, policy);
  });

  auto const work = make_work<Order, typename Policy::shape_type>(ins, outs, extents, policy.taps(), functors...);

  using BackendTag = typename Policy::backend_type;
  ProfilingRegion region("Koalesce::parallel_stencil");
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

}  // namespace Koalesce::Impl

#endif
