// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_BOUNDED_STENCIL_HPP
#define KOALESCE_OPENMP_STENCIL_BOUNDED_STENCIL_HPP

#include <Koalesce/openmp/stencil/BoundedTile.hpp>

#include <string>

namespace Koalesce::Impl::OpenMPBackend {

/// Every tile computes all of its points, also those that read beyond the faces.
template <class Exec, class... WorkArgs, class... Values>
void run_bounded_stencil(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                         Pack<Values...> const& values) {
  using Boundary  = StepsBoundary<Pack<Values...>, 0, 0, StencilWork<WorkArgs...>::Order::rank>;
  bool const unit = has_unit_stride(work);
  for_each_tile(exec, label, work, [=](auto const& block, Tile const& tile, std::int64_t number) {
    Boundary const boundary{values};
    BoundedSweep<std::decay_t<decltype(block)>, Boundary> const sweep{block, boundary};
    unit ? sweep.template compute<true>(tile, number) : sweep.template compute<false>(tile, number);
  });
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
