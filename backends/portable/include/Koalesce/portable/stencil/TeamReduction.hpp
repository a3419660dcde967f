// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_TEAM_REDUCTION_HPP
#define KOALESCE_PORTABLE_STENCIL_TEAM_REDUCTION_HPP

#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl::PortableBackend {

/// All results of a sweep as one reducer.
template <class Reduction>
struct AllResults {
  using reducer          = AllResults;
  using value_type       = typename Reduction::Update;
  using result_view_type = Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Reduction const& reduction;
  value_type& value;

  KOKKOS_FUNCTION void join(value_type& update, value_type const& other) const { reduction.join(update, other); }
  KOKKOS_FUNCTION void init(value_type& update) const { reduction.init(update); }
  KOKKOS_FUNCTION value_type& reference() const { return value; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&value); }
};

template <class Member>
KOKKOS_FUNCTION void leave_team_part(Member const&, NoReduction const&, Pack<> const&) {}

/// Leaves the threads' results as one of the team's. All threads of the team call it.
template <class Member, class... Reducers>
KOKKOS_FUNCTION void leave_team_part(Member const& team, StencilReduction<Reducers...> const& reduction,
                                     typename StencilReduction<Reducers...>::Update& update) {
  team.team_reduce(AllResults<StencilReduction<Reducers...>>{reduction, update});
  if (team.team_rank() == 0) reduction.leave(team.league_rank(), update);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
