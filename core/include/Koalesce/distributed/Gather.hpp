// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_GATHER_HPP
#define KOALESCE_DISTRIBUTED_GATHER_HPP

#include <Koalesce/distributed/impl/GatherBlocks.hpp>

#include <string>

namespace Koalesce {

/// \brief Copies the interior of a field from all processes into one View on rank 0, for output or checks.
///
///     Kokkos::View<double***, Kokkos::HostSpace> all("all", rank == 0 ? nz : 0, ny, nx);
///     gather(exec, domain, u, all);
///
/// Waits until it is done. Collective.
///
/// \param[in] space   the instance whose earlier work the field is the result of.
/// \param[in] domain  as for exchange_halo().
/// \param[in] field   a View with the local extents as its interior and a halo of any width, which is not copied.
/// \param[out] all    on rank 0 a View in host memory with the whole grid's extents; ignored on the others.
/// \throws Error on all processes, before anything is copied: extents that do not match, or a View without memory.
template <class Exec, int Rank, class View, class All>
void gather(Exec const& space, Domain<Rank> const& domain, View const& field, All const& all) {
  Impl::check_blocks<View, All>();
  std::string const where = "Koalesce::gather";
  Impl::agree_on_blocks<Exec>(where, domain, field, all);
  auto const block = Impl::block_buffer(domain, field);
  Impl::copy_block(space, Impl::interior_of(domain, field), block, true);
  Impl::gather_blocks(where, domain, block, all);
}

/// \brief Copies one View on rank 0 into the interiors of a field on all processes, as gather() the other way.
///
/// \param[in] space   the instance whose later work sees the field.
/// \param[in] domain  as for exchange_halo().
/// \param[in] all     as for gather().
/// \param[out] field  as for gather(). Its halo is not written; exchange_halo() fills it, or the first sweep.
/// \throws Error as gather().
template <class Exec, int Rank, class View, class All>
void scatter(Exec const& space, Domain<Rank> const& domain, All const& all, View const& field) {
  Impl::check_blocks<All, View>();
  std::string const where = "Koalesce::scatter";
  Impl::agree_on_blocks<Exec>(where, domain, field, all);
  auto const block = Impl::block_buffer(domain, field);
  Impl::scatter_blocks(where, domain, all, block);
  Impl::copy_block(space, Impl::interior_of(domain, field), block, false);
}

}  // namespace Koalesce

#endif
