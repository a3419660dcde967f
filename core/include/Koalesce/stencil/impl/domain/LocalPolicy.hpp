// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_DOMAIN_LOCAL_POLICY_HPP
#define KOALESCE_STENCIL_IMPL_DOMAIN_LOCAL_POLICY_HPP

#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/impl/domain/RankDomain.hpp>

#include <type_traits>

namespace Koalesce::Impl {

/// The policy of this process' part of a domain, whose fields have halos, on an instance.
template <class Policy, class Exec>
auto local_policy(Policy const& policy, Exec const& exec) {
  auto const local =
      StencilPolicy<Exec, typename Policy::shape_type, typename Policy::backend_type>(exec, policy.extents())
          .with_taps(policy.taps())
          .with_fused_steps(policy.fused_steps());
  if constexpr (std::is_same_v<decltype(Policy::domain_type::points), WholeDomain>) return local;
  else return local.with_active(policy.domain().points);
}

/// The same on the policy's own; other policies as they are.
template <class Policy>
decltype(auto) local_policy(Policy const& policy) {
  if constexpr (is_over_ranks<typename Policy::domain_type>) return local_policy(policy, policy.space());
  else return (policy);
}

template <class Policy>
using LocalPolicy = std::decay_t<decltype(local_policy(std::declval<Policy const&>()))>;

}  // namespace Koalesce::Impl

#endif
