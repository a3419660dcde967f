// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_DOMAIN_RANK_DOMAIN_HPP
#define KOALESCE_STENCIL_IMPL_DOMAIN_RANK_DOMAIN_HPP

#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <cstdint>

namespace Koalesce {
template <int Rank>
class Domain;
}  // namespace Koalesce

/// Stencils over the processes of a domain. Calls hand these over to <Koalesce/Distributed.hpp>, found by
/// argument-dependent lookup:
///
///     dispatch_over_ranks(label, policy, in, out, reduction, functors...)
///                                                        the sweep
///     check_over_ranks(where, policy, in, out, check)    check(policy of this process), agreed on
///     steps_per_exchange(label, policy, in, back)        time steps for which halos of `in` and `back` are wide
///                                                        enough
///     tuning_over_ranks(where, policy)                   a TuningGroup, as a shared_ptr: choices that are alike
///     exchange_for_steps(label, policy, in, steps)       halos for so many
///     work_for_steps(policy, work, ahead)                a work with the points around it that so many steps need
namespace Koalesce::Impl {

/// Of a policy: this process' part of a domain, all of its points or some.
template <class DomainT, class Points = WholeDomain>
struct RankDomain {
  static constexpr int indices = 0;

  DomainT ranks;
  Points points{};

  std::int64_t blocks() const { return 1; }
};

template <class Points>
inline constexpr bool is_over_ranks = false;
template <class DomainT, class Points>
inline constexpr bool is_over_ranks<RankDomain<DomainT, Points>> = true;

template <class T>
inline constexpr bool is_domain = false;
template <int Rank>
inline constexpr bool is_domain<Domain<Rank>> = true;

}  // namespace Koalesce::Impl

#endif
