// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_JOIN_PARTS_HPP
#define KOALESCE_STENCIL_IMPL_JOIN_PARTS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>
#include <Koalesce/tuning/impl/PartialResults.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// From partial results to the caller's: the kernel that joins them.
namespace Koalesce::Impl {

/// Whether kernels can write a reducer's result.
template <class Exec, class Reducer>
inline constexpr bool reaches_result =
    Kokkos::SpaceAccessibility<Exec, typename Reducer::result_view_type::memory_space>::accessible;

/// Joins partial results: a device's threads those that they are given, one thread of a host all of them in order.
template <class Exec, class Reduction>
struct JoinParts {
  using value_type = typename Reduction::Update;

  Reduction reduction;
  std::int64_t count;  ///< all partial results
  std::int64_t items;

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& update) const {
    for (std::int64_t i = item; i < count; i += items)
      reduction.join(update,
                     i < reduction.earlier_count ? reduction.earlier[i] : reduction.parts[i - reduction.earlier_count]);
  }
  KOKKOS_FUNCTION void init(value_type& update) const { reduction.init(update); }
  KOKKOS_FUNCTION void join(value_type& update, value_type const& other) const { reduction.join(update, other); }
  KOKKOS_FUNCTION void final(value_type& update) const {
    for_each(reduction.reducers, [&](auto const& reducer, auto i) {
      if constexpr (reaches_result<Exec, std::decay_t<decltype(reducer)>>)
        reducer.reference() = get<decltype(i)::value>(update);
    });
  }
};

/// Waits for results that the host is to see when the call returns, and copies those that kernels cannot write.
template <class Exec, class... Reducers>
void deliver_results(Exec const& exec, StencilReduction<Reducers...> const& reduction,
                     typename StencilReduction<Reducers...>::Update const* total) {
  using Update           = typename StencilReduction<Reducers...>::Update;
  using Unmanaged        = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  constexpr bool written = (reaches_result<Exec, Reducers> && ...);
  bool waits             = !written;
  for_each(reduction.reducers, [&](auto const& reducer, auto) {
    // Of reducers that do not tell, Kokkos, too, takes the result for a variable.
    if constexpr (requires { reducer.references_scalar(); }) waits = waits || reducer.references_scalar();
    else waits = true;
  });
  if (!waits) return;
  Update on_host{};
  if constexpr (!written)
    Kokkos::deep_copy(exec, Kokkos::View<Update, Kokkos::HostSpace, Unmanaged>(&on_host),
                      Kokkos::View<Update const, typename Exec::memory_space, Unmanaged>(total));
  exec.fence("Koalesce::parallel_stencil_reduce: results for the host");
  for_each(reduction.reducers, [&](auto const& reducer, auto i) {
    if constexpr (!reaches_result<Exec, std::decay_t<decltype(reducer)>>)
      reducer.reference() = get<decltype(i)::value>(on_host);
  });
}

/// Joins `count` partial results, and those of earlier kernels, into the caller's results.
/// \param[in] label  of the kernel that left them.
/// \param[out] total memory for what kernels cannot write.
template <class Exec, class Reduction>
void join_parts(Exec const& exec, std::string const& label, Reduction const& reduction, std::int64_t count,
                typename Reduction::Update* total) {
  std::int64_t const all = reduction.earlier_count + count, items = Backend::on_host<Exec> ? 1 : all;
  using View =
      Kokkos::View<typename Reduction::Update, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::parallel_reduce(label + " [join]", argument_range(exec, items),
                          JoinParts<Exec, Reduction>{reduction, all, items}, View(total));
  deliver_results(exec, reduction, total);
}

/// Runs a work's kernel by launch(work), and joins the `count` partial results that it leaves, if it reduces.
/// \param[in] label  of the kernel.
template <class Exec, class Work, class Launch>
void launch_and_join(Exec const& exec, std::string const& label, Work const& work, std::int64_t count,
                     Launch const& launch) {
  if constexpr (!reduces<Work>) {
    launch(work);
  } else {
    PartialResults<Exec, typename Work::Reduction::Update> const parts(exec, Work::Reduction::function, label,
                                                                       count + 1);
    Work with_parts            = work;
    with_parts.reduction.parts = parts.data();
    launch(with_parts);
    join_parts(exec, label, with_parts.reduction, count, parts.data() + count);
  }
}

/// The results of a sweep over no points, or of earlier kernels alone.
template <class Exec, class Reduction>
void join_earlier(Exec const& exec, std::string const& label, Reduction const& reduction) {
  PartialResults<Exec, typename Reduction::Update> const total(exec, Reduction::function, label, 1);
  join_parts(exec, label, reduction, 0, total.data());
}

}  // namespace Koalesce::Impl

#endif
