// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_REDUCTION_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_REDUCTION_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>

#include <Kokkos_Core.hpp>

#include <cstring>
#include <string>
#include <type_traits>

/// What processes have reduced, joined in the order of their ranks: the same bits on all of them, in every run.
namespace Koalesce::Impl {

template <int Rank, class Exec>
void reduce_over_ranks(Domain<Rank> const&, std::string const&, Exec const&, NoReduction const&) {}

template <int Rank, class Exec, class... Reducers>
void reduce_over_ranks(Domain<Rank> const& domain, std::string const& where, Exec const& exec,
                       StencilReduction<Reducers...> const& reduction) {
  using Update = typename StencilReduction<Reducers...>::Update;
  static_assert((std::is_trivially_copyable_v<typename Reducers::value_type> && ...),
                "Koalesce::parallel_stencil_reduce: with a domain, results travel as bytes, so they must be trivially "
                "copyable");
  Update mine{};
  for_each(reduction.reducers, [&](auto const& reducer, auto i) {
    using Value = typename std::decay_t<decltype(reducer)>::value_type;
    Kokkos::View<Value, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const here(
        &get<decltype(i)::value>(mine));
    Kokkos::deep_copy(exec, here, reducer.view());
  });
  exec.fence("Koalesce::parallel_stencil_reduce: results for other processes");
  auto const bytes = domain.state()->gather(&mine, sizeof(Update), where);
  Update all       = reduction.identity();
  for (int r = 0; r < domain.state()->size(); ++r) {
    Update other{};
    std::memcpy(static_cast<void*>(&other), bytes.data() + sizeof(Update) * std::size_t(r), sizeof(Update));
    reduction.join(all, other);
  }
  for_each(reduction.reducers, [&](auto const& reducer, auto i) {
    using Value = typename std::decay_t<decltype(reducer)>::value_type;
    Kokkos::View<Value const, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const here(
        &get<decltype(i)::value>(all));
    Kokkos::deep_copy(exec, reducer.view(), here);
  });
  exec.fence("Koalesce::parallel_stencil_reduce: results of all processes");
}

}  // namespace Koalesce::Impl

#endif
