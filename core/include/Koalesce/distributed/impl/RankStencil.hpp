// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_STENCIL_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_STENCIL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/DomainHalo.hpp>
#include <Koalesce/distributed/impl/RankChecks.hpp>
#include <Koalesce/distributed/impl/RankReduction.hpp>
#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySweep.hpp>
#include <Koalesce/stencil/impl/domain/LocalPolicy.hpp>
#include <Koalesce/stencil/impl/steps/StepsSweep.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

/// A sweep over this process' part of a domain, while halos travel.
namespace Koalesce::Impl {

/// Values of a domain's dimensions in canonical order.
template <class Order, class Values>
Extents3 in_canonical_order(Values const& values) {
  Extents3 canonical{0, 0, 0};
  for (int d = 0; d < Order::rank; ++d) canonical[Order::canonical_dim(d)] = std::int64_t(values[d]);
  return canonical;
}

/// The parts of a sweep: a box whose points read no neighbor's, and slabs around it that do.
template <class Run>
class SweepParts {
 public:
  /// \param[in] low, high  thickness of the slabs. \param[in] run  called with a box's first point and extents.
  SweepParts(Extents3 const& extents, Extents3 const& low, Extents3 const& high, Run const& run)
      : m_extents(extents), m_low(low), m_high(high), m_run(run) {}

  bool has_inner() const {
    for (int c = 0; c < 3; ++c)
      if (m_extents[c] <= m_low[c] + m_high[c]) return false;
    return true;
  }

  void inner() const {
    if (!has_inner()) return;
    Extents3 extents = m_extents;
    for (int c = 0; c < 3; ++c) extents[c] -= m_low[c] + m_high[c];
    m_run(m_low, extents);
  }

  void outer() const {
    if (!has_inner()) return m_run(Extents3{0, 0, 0}, m_extents);
    Extents3 first{0, 0, 0}, extents = m_extents;  // of what is left
    for (int c = 0; c < 3; ++c) {
      slab(c, first, extents, first[c], m_low[c]);
      slab(c, first, extents, first[c] + extents[c] - m_high[c], m_high[c]);
      first[c] += m_low[c];
      extents[c] -= m_low[c] + m_high[c];
    }
  }

 private:
  void slab(int c, Extents3 first, Extents3 extents, std::int64_t from, std::int64_t thickness) const {
    if (thickness == 0) return;
    first[c]   = from;
    extents[c] = thickness;
    m_run(first, extents);
  }

  Extents3 m_extents, m_low, m_high;
  Run m_run;
};

/// The sweep of a work whose halos travel: on a device what needs none runs meanwhile.
template <class Local, int Rank, class Work, class Halo>
void sweep_and_finish(std::string const& label, Local const& policy, Domain<Rank> const& domain, Work const& work,
                      Halo& halo) {
  using Order       = typename Work::Order;
  auto const offset = in_canonical_order<Order>(domain.offset());
  auto const run    = [&](Extents3 const& first, Extents3 const& extents) {
    Extents3 index = offset;
    for (int c = 0; c < 3; ++c) index[c] += first[c];
    run_work(label, policy, work_in_box(work, first, extents, index));
  };
  if constexpr (Backend::on_host<typename Local::execution_space> || reduces<Work>) {
    halo.finish();
    run(Extents3{0, 0, 0}, work.extents);
  } else {
    auto const reach = reach_of(work);
    Extents3 low{0, 0, 0}, high{0, 0, 0};
    for (int d = 0; d < Rank; ++d) {
      int const c = Order::canonical_dim(d);
      if (domain.ranks()[d] == 1) continue;
      if (domain.has_neighbor(d, -1)) low[c] = reach[c];
      if (domain.has_neighbor(d, 1)) high[c] = reach[c];
    }
    SweepParts const parts(work.extents, low, high, run);
    parts.inner();
    halo.finish();
    if (!parts.has_inner() || low != Extents3{0, 0, 0} || high != Extents3{0, 0, 0}) parts.outer();
  }
}

template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void dispatch_over_ranks(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                         Reduction const& reduction, Functors const&... functors) {
  auto const where   = call_text(Reduction::function, label);
  auto const& domain = policy.domain().ranks;
  auto const local   = local_policy(policy);
  Kokkos::Profiling::ScopedRegion const region(Reduction::function);
  auto const fields = halo_fields(policy, in);
  [&]<class... Fields>(Pack<Fields...> const& all) {
    DomainHalo<typename Policy::execution_space, Policy::rank, Fields...> halo(policy.space(), domain, where, all);
    halo.start();
    bool swept       = false;
    auto const visit = [&](auto const& work, NoBoundary) {
      sweep_and_finish(label, local, domain, work, halo);
      swept = true;
    };
    dispatch_here(label, VisitingPolicy<LocalPolicy<Policy>, std::decay_t<decltype(visit)>>{local, visit}, in, out,
                  reduction, functors...);
    if (!swept) halo.finish();
  }(fields);
  reduce_over_ranks(domain, where, policy.space(), reduction);
}

}  // namespace Koalesce::Impl

#endif
