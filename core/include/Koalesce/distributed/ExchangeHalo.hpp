// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_EXCHANGE_HALO_HPP
#define KOALESCE_DISTRIBUTED_EXCHANGE_HALO_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/DomainHalo.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace Koalesce {

/// \brief Brings the halos of fields up to date: those points that other processes of the domain have, or that lie
/// beyond a period. For kernels of one's own; parallel_stencil does it where its policy has a domain.
///
///     exchange_halo(exec, domain, u, v);
///
/// Every field has the domain's local extents as its interior and a halo of any width, maybe of others in other
/// dimensions; edges and corners are part of it. What lies beyond a face of the whole grid stays, and comes along:
/// beyond a face and next to a neighbor, or beyond a period, the halo becomes what lies beyond that face there. All
/// fields travel in one message to each neighbor.
///
/// Waits until the instance's earlier work is done, and for messages; kernels that follow on the instance see the
/// halos. Collective: all processes of the domain make the same calls, in the same order.
///
/// \param[in] space   the instance that kernels run on.
/// \param[in] domain  whose processes have the other points.
/// \param[in,out] views  fields of the domain's rank.
/// \throws Error before anything runs, on all processes where it is the first such call: extents that do not match; a
///         halo wider than what a neighbor has; a View without memory, or memory out of the execution space's reach.
template <class Exec, int Rank, class... Views>
void exchange_halo(Exec const& space, Domain<Rank> const& domain, Views const&... views) {
  static_assert(sizeof...(Views) > 0, "Koalesce::exchange_halo: give at least one View");
  static_assert(((int(Views::rank()) == Rank) && ...),
                "Koalesce::exchange_halo: every View must have as many dimensions as the domain");
  static_assert((!std::is_const_v<typename Views::value_type> && ...),
                "Koalesce::exchange_halo: a View is const, so its halo cannot be written");
  std::string const where = "Koalesce::exchange_halo";
  std::string text;
  ((text += "; " + Impl::whole_halo(views, domain).text()), ...);
  domain.state()->agree(where, text, [&] {
    int number       = 0;
    auto const check = [&](auto const& view) {
      Impl::check_field(where, Impl::InteriorPolicy<Exec, Rank>{domain.extents()}, view, "the", number++,
                        [](int) { return 0; });
      Impl::check_thickness(where, domain, "field " + Impl::quoted_label(view), Impl::whole_halo(view, domain));
    };
    (check(views), ...);
  });
  Kokkos::Profiling::ScopedRegion const region(where);
  auto const needed = fields(Impl::HaloField{views, Impl::HaloStays(), Impl::whole_halo(views, domain)}...);
  [&]<class... Fields>(Pack<Fields...> const& all) {
    Impl::DomainHalo<Exec, Rank, Fields...> halo(space, domain, where, all);
    halo.start();
    halo.receive();
    halo.finish();
  }(needed);
}

}  // namespace Koalesce

#endif
