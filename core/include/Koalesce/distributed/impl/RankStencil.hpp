// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_STENCIL_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_STENCIL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/DomainHalo.hpp>
#include <Koalesce/distributed/impl/RankChecks.hpp>
#include <Koalesce/distributed/impl/RankReduction.hpp>
#include <Koalesce/distributed/impl/RankTuning.hpp>
#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySweep.hpp>
#include <Koalesce/stencil/impl/domain/LocalPolicy.hpp>
#include <Koalesce/stencil/impl/steps/StepsSweep.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

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
class SweepParts {
 public:
  /// \param[in] low, high  thickness of the slabs.
  SweepParts(Extents3 const& extents, Extents3 const& low, Extents3 const& high)
      : m_extents(extents), m_low(low), m_high(high) {}

  bool has_inner() const {
    for (int c = 0; c < 3; ++c)
      if (m_extents[c] <= m_low[c] + m_high[c]) return false;
    return true;
  }

  /// Calls run(the box's first point, its extents).
  template <class Run>
  void inner(Run const& run) const {
    Extents3 extents = m_extents;
    for (int c = 0; c < 3; ++c) extents[c] -= m_low[c] + m_high[c];
    run(m_low, extents);
  }

  /// Calls run(dimension, first point, extents) for each slab.
  template <class Run>
  void outer(Run const& run) const {
    Extents3 first{0, 0, 0}, extents = m_extents;  // of what is left
    for (int c = 0; c < 3; ++c) {
      slab(run, c, first, extents, first[c], m_low[c]);
      slab(run, c, first, extents, first[c] + extents[c] - m_high[c], m_high[c]);
      first[c] += m_low[c];
      extents[c] -= m_low[c] + m_high[c];
    }
  }

 private:
  template <class Run>
  static void slab(Run const& run, int c, Extents3 first, Extents3 extents, std::int64_t from, std::int64_t thickness) {
    if (thickness == 0) return;
    first[c]   = from;
    extents[c] = thickness;
    run(c, first, extents);
  }

  Extents3 m_extents, m_low, m_high;
};

/// Whether a part of a sweep can run while halos travel.
template <class Exec, class Reduction>
inline constexpr bool sweeps_beside = !Backend::on_host<Exec> && std::is_same_v<Reduction, NoReduction>;

/// The sweep of a work whose halos travel: on a device what needs none runs meanwhile, and the slabs that do run beside
/// its end.
template <class Policy, class Work, class Halo>
void sweep_and_finish(std::string const& label, Policy const& policy, RankTuning& tuning, Work const& work,
                      Halo& halo) {
  using Order        = typename Work::Order;
  using Exec         = typename Policy::execution_space;
  auto const& domain = policy.domain().ranks;
  auto const offset  = in_canonical_order<Order>(domain.offset());
  auto const run     = [&](Exec const& exec, char const* part, Extents3 const& first, Extents3 const& extents) {
    TuningGroup::Scope const scope(&tuning, part);
    Extents3 index = offset;
    for (int c = 0; c < 3; ++c) index[c] += first[c];
    run_work(label, local_policy(policy, exec), work_in_box(work, first, extents, index));
  };
  auto const after_halos = [&] {
    halo.receive();
    halo.finish();
    run(policy.space(), "all points", Extents3{0, 0, 0}, work.extents);
  };
  if constexpr (!sweeps_beside<Exec, typename Work::Reduction>) {
    after_halos();
  } else {
    auto const reach = reach_of(work);
    Extents3 low{0, 0, 0}, high{0, 0, 0};
    for (int d = 0; d < Policy::rank; ++d) {
      int const c = Order::canonical_dim(d);
      if (domain.ranks()[d] == 1) continue;
      if (domain.has_neighbor(d, -1)) low[c] = reach[c];
      if (domain.has_neighbor(d, 1)) high[c] = reach[c];
    }
    SweepParts const parts(work.extents, low, high);
    if (!halo.has_messages() || !parts.has_inner()) return after_halos();
    parts.inner([&](auto const&... box) { run(policy.space(), "interior", box...); });
    halo.receive();
    static constexpr char const* slabs[] = {"slabs of planes", "slabs of rows", "slabs of columns"};
    parts.outer([&](int c, auto const&... box) { run(halo.side(), slabs[c], box...); });
    halo.finish();
  }
}

/// The choices of a call that all processes make alike.
template <class Policy>
std::shared_ptr<RankTuning> tuning_over_ranks(std::string const& where, Policy const& policy) {
  using Exec = typename Policy::execution_space;
  using Tag  = typename Policy::backend_type;
  return rank_tuning(policy.domain().ranks, where, std::string(Exec::name()) + ", " + typeid(Policy).name(),
                     [&] { return machine_of(Tag{}, policy.space()); });
}

template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
void dispatch_over_ranks(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                         Reduction const& reduction, Functors const&... functors) {
  auto const where   = call_text(Reduction::function, label);
  auto const& domain = policy.domain().ranks;
  auto const local   = local_policy(policy);
  Kokkos::Profiling::ScopedRegion const region(Reduction::function);
  auto const tuning = tuning_over_ranks(where, policy);
  tuning->begin();
  auto const fields = halo_fields(policy, in);
  [&]<class... Fields>(Pack<Fields...> const& all) {
    using Exec = typename Policy::execution_space;
    DomainHalo<Exec, Policy::rank, Fields...> halo(policy.space(), domain, where, all, sweeps_beside<Exec, Reduction>);
    halo.start();
    bool swept       = false;
    auto const visit = [&](auto const& work, NoBoundary) {
      sweep_and_finish(label, policy, *tuning, work, halo);
      swept = true;
    };
    dispatch_here(label, VisitingPolicy<LocalPolicy<Policy>, std::decay_t<decltype(visit)>>{local, visit}, in, out,
                  reduction, functors...);
    if (swept) return;
    halo.receive();
    halo.finish();
  }(fields);
  reduce_over_ranks(domain, where, policy.space(), reduction);
}

}  // namespace Koalesce::Impl

#endif
