// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_DISPATCH_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/stencil/impl/JoinParts.hpp>
#include <Koalesce/stencil/impl/StencilBackend.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySweep.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

template <class View>
auto as_pack(View const& view) {
  if constexpr (is_pack<View>) return view;
  else return Pack<View>(view);
}

/// Hands a work to the policy's backend.
template <class Policy, class Work>
void run_work(std::string const& label, Policy const& policy, Work const& work) {
  using BackendTag = typename Policy::backend_type;
  static_assert(StencilBackend<BackendTag, typename Policy::execution_space, Work>,
                "Koalesce: the execution space's backend was not included, or lacks a function that StencilBackend "
                "requires; include <Koalesce/Stencil.hpp>, or write that function");
  run_stencil(BackendTag{}, policy.space(), label, work);
}

/// The values of an input's field anywhere, from its interior and its conditions.
template <class Order, class Policy, class In>
auto boundary_value(Policy const& policy, In const& input) {
  auto const& view   = view_of(input);
  using View         = std::decay_t<decltype(view)>;
  using T            = typename View::non_const_value_type;
  constexpr int rank = Policy::rank;
  auto const faces   = make_faces<T, rank>(boundary_of(input, policy.boundary()));
  BoundaryValue<T, rank, std::decay_t<decltype(faces)>> value{
      canonical_field<Order, typename View::const_value_type>(view, policy).origin, {}, policy.extents(), faces};
  for (int d = 0; d < rank; ++d) value.stride[d] = std::ptrdiff_t(view.stride(d));
  return value;
}

/// The points that also read what lies beyond the interior.
template <class Policy, class In, class Work, class Values>
void run_shell(std::string const& label, Policy const& policy, In const& in, Work const& work, BoundaryBox const& box,
               Values const& values) {
  if constexpr (is_staged<typename Policy::shape_type>) {
    using Order = typename Work::Order;
    auto const at_point =
        transform(inputs_that<true>(in), [&](auto const& input, auto) { return boundary_value<Order>(policy, input); });
    run_boundary_points(policy.space(), label, work, box, values, at_point);
  } else {
    run_boundary_points(policy.space(), label, work, box, values, Pack<>());
  }
}

/// The points that read the fields alone, and the others; the others first, if their partial results are to be joined
/// with the former's.
template <class Policy, class In, class Work, class Values>
void run_box_and_shell(std::string const& label, Policy const& policy, In const& in, Work const& work,
                       Values const& values) {
  auto const box          = BoundaryBox::of(work.extents, reach_of(work));
  std::string const shell = kernel_label(typename Policy::backend_type{}, label + ", boundary");
  if constexpr (reduces<Work>) {
    auto const items = boundary_items<Work>(box.around.size());
    PartialResults<typename Policy::execution_space, typename Work::Reduction::Update> const parts(
        policy.space(), Work::Reduction::function, shell, items);
    Work reducing            = work;
    reducing.reduction.parts = parts.data();
    run_shell(shell, policy, in, reducing, box, values);
    reducing.reduction.earlier       = parts.data();
    reducing.reduction.earlier_count = items;
    if (box.extents[0] > 0) run_work(label, policy, work_in_box(reducing, box.first, box.extents, box.first));
    else join_earlier(policy.space(), shell, reducing.reduction);
  } else {
    if (box.extents[0] > 0) run_work(label, policy, work_in_box(work, box.first, box.extents, box.first));
    run_shell(shell, policy, in, work, box, values);
  }
}

/// A work whose fields end at the faces.
template <class Policy, class In, class Work>
void run_with_boundary(std::string const& label, Policy const& policy, In const& in, Work const& work) {
  using Order = typename Work::Order;
  using Tag   = typename Policy::backend_type;
  auto const values =
      transform(inputs_that<false>(in), [&](auto const& input, auto) { return boundary_value<Order>(policy, input); });
  if constexpr (SweepsToFaces<Tag, typename Policy::execution_space, Work, std::remove_const_t<decltype(values)>>)
    run_bounded_stencil(Tag{}, policy.space(), label, work, values);
  else run_box_and_shell(label, policy, in, work, values);
}

/// Brings checked arguments into canonical form and hands them to the policy's backend.
template <bool Reversed, class Policy, class... Ins, class... Outs, class Reduction, class Domain, class... Functors>
void run_in_order(std::string const& label, Policy const& policy, Pack<Ins...> const& in, Pack<Outs...> const& out,
                  Reduction const& reduction, Domain const& domain, Functors const&... functors) {
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

  auto const work = make_work<Order, typename Policy::shape_type>(ins, points, outs, extents, policy.taps(), reduction,
                                                                  domain, functors...);
  Kokkos::Profiling::ScopedRegion const region(Reduction::function);
  if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary>) run_work(label, policy, work);
  else run_with_boundary(label, policy, in, work);
}

template <class Policy, class Ins, class Outs, class Reduction, class Domain, class... Functors>
void dispatch_order(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                    Reduction const& reduction, Domain const& domain, Functors const&... functors) {
  auto const& leading = leading_view(in, out);
  using Leading       = std::decay_t<decltype(leading)>;
  if (is_reversed_sweep(policy, leading)) {
    if constexpr (can_be_reversed<Leading, true>())
      run_in_order<true>(label, policy, in, out, reduction, domain, functors...);
  } else {
    if constexpr (can_be_reversed<Leading, false>())
      run_in_order<false>(label, policy, in, out, reduction, domain, functors...);
  }
}

/// Where the blocks of fields begin.
template <class Fields>
auto block_places(Fields const& fields) {
  return transform(fields, [](auto const& field, auto) { return places_of_blocks(view_of(field)); });
}

/// Runs a sweep over blocks, which backends see as one over the first block.
template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void dispatch_blocks(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                     Reduction const& reduction, Functors const&... functors) {
  auto const first_of = [](auto const& field, auto) { return first_block(field); };
  WorkBlocks const blocks{policy.domain().blocks(), block_places(inputs_that<false>(in)),
                          block_places(inputs_that<true>(in)), block_places(out)};
  dispatch_order(label, policy, transform(in, first_of), transform(out, first_of), reduction, blocks,
                 with_block(functors)...);
}

/// A sweep of this process alone.
template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void dispatch_here(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                   Reduction const& reduction, Functors const&... functors) {
  using Domain = typename Policy::domain_type;
  auto points  = policy.domain().blocks();
  for (int d = 0; d < Policy::rank; ++d) points *= policy.extents()[d];
  auto to_compute = points;
  if constexpr (is_active_points<Domain>) to_compute = policy.domain().count();
  if (to_compute == 0) {
    if constexpr (!std::is_same_v<Reduction, NoReduction>)
      join_earlier(policy.space(), kernel_label(typename Policy::backend_type{}, label), reduction);
    return;
  }

  if constexpr (std::is_same_v<Domain, EqualBlocks>) {
    dispatch_blocks(label, policy, in, out, reduction, functors...);
  } else {
    if constexpr (is_active_points<Domain>)
      if (to_compute < points)
        return dispatch_order(label, policy, in, out, reduction, policy.domain().tiles(), functors...);
    dispatch_order(label, policy, in, out, reduction, WholeDomain(), functors...);
  }
}

template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void dispatch_stencil(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                      Reduction const& reduction, Functors const&... functors) {
  if constexpr (is_over_ranks<typename Policy::domain_type>)
    dispatch_over_ranks(label, policy, in, out, reduction, functors...);
  else dispatch_here(label, policy, in, out, reduction, functors...);
}

/// Calls check(policy), where all processes agree on what comes of it.
template <class Policy, class Ins, class Outs, class Check>
void check_call(std::string const& where, Policy const& policy, Ins const& in, Outs const& out, Check const& check) {
  if constexpr (is_over_ranks<typename Policy::domain_type>) check_over_ranks(where, policy, in, out, check);
  else check(policy);
}

/// The natural way of every call: checks, then the work for the backend.
template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void check_and_dispatch(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                        Reduction const& reduction, Functors const&... functors) {
  auto const where = call_text(Reduction::function, label);
  check_call(where, policy, in, out, [&](auto const& local) {
    check_stencil(where, local, in, out);
    check_results<typename Policy::execution_space>(where, reduction);
  });
  dispatch_stencil(label, policy, in, out, reduction, functors...);
}

}  // namespace Koalesce::Impl

#endif
