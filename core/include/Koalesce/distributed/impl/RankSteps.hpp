// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_STEPS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_STEPS_HPP

#include <Koalesce/distributed/impl/RankStencil.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// Several time steps for one exchange of halos. Halos of k radii are exchanged; the first step then also computes the
/// points around the interior that the k - 1 steps after it read, and each step one radius less.
namespace Koalesce::Impl {

/// How far a step reads, in the caller's dimensions.
template <class Shape, class... Ins>
Extents3 reach_of_step(Pack<Ins...> const&) {
  Extents3 reach{0, 0, 0};
  for (int d = 0; d < Shape::rank; ++d) reach[d] = std::max<std::int64_t>({0, input_radius<Ins, Shape>(d)...});
  return reach;
}

/// Whether points around the interior can be computed as those in it: nothing lies beyond but other points, or halos
/// that stay.
template <class Policy, class... Ins>
constexpr bool steps_beyond_interior(Pack<Ins...> const*) {
  constexpr bool whole = std::is_same_v<decltype(Policy::domain_type::points), WholeDomain>;
  constexpr bool written =
      (!std::is_const_v<typename InputTraits<Ins, InputShapeOf<typename Policy::shape_type>>::view::value_type> && ...);
  if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary>) {
    return whole && written;
  } else {
    auto const wraps    = []<class... S>(Pack<S...> const*) { return ((steps_faces<S> == StepsFaces::wrap) && ...); };
    auto const wraps_of = [&]<class In>(In const*) {
      using Boundary = std::decay_t<decltype(boundary_of(std::declval<In const&>(),
                                                         std::declval<typename Policy::boundary_type const&>()))>;
      return is_at_point<In> || wraps(static_cast<Boundary const*>(nullptr));
    };
    return whole && written && (wraps_of(static_cast<Ins const*>(nullptr)) && ...);
  }
}

/// The width of an input's halo for so many steps.
template <class Shape, class In>
std::int64_t halo_for_steps(In const&, Extents3 const& reach, int d, std::int64_t steps) {
  return (steps - 1) * reach[d] + input_radius<In, Shape>(d);
}

/// Whether halos in a dimension are those of other points.
template <int Rank>
bool exchanges(Domain<Rank> const& domain, int d) {
  return domain.ranks()[d] > 1 || domain.periodic(d);
}

/// The number of steps that halos of inputs are wide enough for, at most as many as the policy wants to fuse. The
/// first time it throws on all processes unless it is the same on all.
template <class Policy, class Ins>
std::int64_t steps_per_exchange(std::string const& label, Policy const& policy, Ins const& in, Ins const& back) {
  using Shape = typename Policy::shape_type;
  if constexpr (!steps_beyond_interior<Policy>(static_cast<Ins const*>(nullptr))) {
    return 1;
  } else {
    auto const& domain = policy.domain().ranks;
    // A result of the first stage beyond a period would serve points that see it at different indices.
    if constexpr (is_staged<Shape>)
      for (int d = 0; d < Policy::rank; ++d)
        if (domain.periodic(d)) return 1;
    auto const reach   = reach_of_step<Shape>(in);
    std::int64_t steps = policy.fused_steps() > 0 ? policy.fused_steps() : 64;
    auto const at_most = [&](auto const& input, auto) {
      auto const has = whole_halo(view_of(input), domain);
      for (int d = 0; d < Policy::rank; ++d) {
        if (reach[d] == 0) continue;
        std::int64_t room = has.halo[d];
        if (exchanges(domain, d)) room = std::min(room, domain.global_extents()[d] / domain.ranks()[d]);
        steps = std::clamp<std::int64_t>((room - halo_for_steps<Shape>(input, reach, d, 1)) / reach[d] + 1, 1, steps);
      }
    };
    for_each(in, at_most);
    for_each(back, at_most);
    domain.state()->agree(call_text("Koalesce::parallel_stencil_steps", label),
                          "; halos for " + std::to_string(steps) + " steps", [] {});
    return steps;
  }
}

template <class Policy, class... Ins>
void exchange_for_steps(std::string const& label, Policy const& policy, Pack<Ins...> const& in, std::int64_t steps) {
  using Shape = typename Policy::shape_type;
  if constexpr (steps_beyond_interior<Policy>(static_cast<Pack<Ins...> const*>(nullptr))) {
    auto const reach  = reach_of_step<Shape>(in);
    auto const& ranks = policy.domain().ranks;
    auto const fields = transform(in, [&](auto const& input, auto) {
      auto need = whole_halo(view_of(input), ranks);
      for (int d = 0; d < Policy::rank; ++d) need.width[d] = halo_for_steps<Shape>(input, reach, d, steps);
      return HaloField{view_of(input), HaloStays(), need};
    });
    [&]<class... Fields>(Pack<Fields...> const& all) {
      DomainHalo<typename Policy::execution_space, Policy::rank, Fields...> halo(
          policy.space(), ranks, call_text("Koalesce::parallel_stencil_steps", label), all);
      halo.start();
      halo.receive();
      halo.finish();
    }(fields);
  }
}

/// The caller's functor, with the indices of points beyond a period.
template <class F>
struct PeriodFunctor {
  F functor;
  Extents3 period;  ///< 0: none

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t within(int c, std::int64_t i) const {
    if (period[c] == 0) return i;
    return i < 0 ? i + period[c] : i >= period[c] ? i - period[c] : i;
  }
};

template <class F>
inline constexpr bool knows_step<PeriodFunctor<F>> = knows_step<F>;
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void go_on(PeriodFunctor<F>& functor, std::int64_t steps) {
  go_on(functor.functor, steps);
}

template <class Order, class F, class... As, class... Vs, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_with(PeriodFunctor<F> const& f, Pack<As...> const& a,
                                                     Pack<Vs...> const& v, std::int64_t z, std::int64_t y,
                                                     std::int64_t x, Update& update) {
  return call_with<Order>(f.functor, a, v, f.within(0, z), f.within(1, y), f.within(2, x), update);
}

/// The functors of a work, with the indices of points beyond a period.
template <class... Args>
auto work_in_period(StencilWork<Args...> const& w, Extents3 const& period) {
  using Work         = StencilWork<Args...>;
  auto const functor = wrap_functor(w.functor, [&](auto const& f) {
    return PeriodFunctor<std::decay_t<decltype(f)>>{f, period};
  });
  return StencilWork<typename Work::Order, typename Work::Ins, typename Work::Points, typename Work::Outs,
                     std::remove_const_t<decltype(functor)>, typename Work::Reduction, typename Work::Domain>{
      w.in, w.out, w.extents, functor, w.taps, w.points, w.reduction, w.domain};
}
template <class Order, class Shape, class... Args>
auto work_in_period(StagedWork<Order, Shape, Args...> const& w, Extents3 const& period) {
  auto const wrap = [&](auto const& functor) {
    return wrap_functor(functor, [&](auto const& f) { return PeriodFunctor<std::decay_t<decltype(f)>>{f, period}; });
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return make_work<Order, Shape>(w.in, w.points, w.out, w.extents, StencilTaps::automatic, w.reduction, w.domain,
                                   wrap(get<I>(w.functors))...);
  }(std::make_index_sequence<StagedWork<Order, Shape, Args...>::stages>{});
}

/// A work of this process, with the points around it that later steps read.
/// \param[in] ahead  steps until the next exchange, this one included.
template <class Policy, class Work>
auto work_for_steps(Policy const& policy, Work const& work, std::int64_t ahead) {
  using Order        = typename Work::Order;
  auto const& domain = policy.domain().ranks;
  auto const reach   = reach_of(work);
  Extents3 first{0, 0, 0}, extents = work.extents, index = in_canonical_order<Order>(domain.offset()), period{0, 0, 0};
  for (int d = 0; d < Policy::rank; ++d) {
    int const c               = Order::canonical_dim(d);
    std::int64_t const around = (ahead - 1) * reach[c];
    std::int64_t const before = domain.has_neighbor(d, -1) ? around : 0;
    std::int64_t const after  = domain.has_neighbor(d, 1) ? around : 0;

    first[c] = -before;
    extents[c] += before + after;
    index[c] -= before;
    if (domain.periodic(d)) period[c] = domain.global_extents()[d];
  }
  return work_in_box(work_in_period(work, period), first, extents, index);
}

}  // namespace Koalesce::Impl

#endif
