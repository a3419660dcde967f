// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_PARALLEL_READ_HPP
#define KOALESCE_SHADOW_PARALLEL_READ_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/shadow/IndexMap.hpp>
#include <Koalesce/shadow/ShadowView.hpp>
#include <Koalesce/shadow/impl/ReadDispatch.hpp>

namespace Koalesce {

/// \brief Reads a matrix item by item: consumer(k, a[index_map(k)]) for every item k of a range.
///
/// The half-warps' accesses decide what is read. If they go down the columns of a row-major matrix (or along the rows
/// of a column-major one), the first read of the whole matrix transposes it on the way, on chip, into the
/// shadow, which later reads use, coalesced. Other accesses read the original. Every item is consumed once, with its
/// own element; only the order of items and their threads differ between kernels.
///
/// ColumnOrder and RowOrder are known. A map of any other type is classified when `a` first sees its type: a kernel
/// samples its half-warps, and that one call waits, as a reduction into a variable does. Later maps of the type, such
/// as a second table, are assumed to be like the first; results are right in any case, but call
/// a.forget_classifications() if they differ. With a mixed map, which goes down the columns in part, each half-warp
/// decides for itself what it reads. Otherwise asynchronous: the kernel "Koalesce::<backend>::<label> [original]",
/// "[transposing]", "[shadow]" or
/// "[mixed]" runs on the instance given.
///
/// \tparam BackendTag   the backend; Backend::Native is the execution space's own.
/// \param[in] label     name of the kernel for profilers.
/// \param[in] policy    a Kokkos::RangePolicy: the instance and the items. It has no work tag, schedule, launch bounds
///                      or chunk size.
/// \param[in] a         the matrix, or batch of matrices.
/// \param[in] index_map index_map(k) is the linear index of an element, (b * rows + i) * columns + j for (b, i, j),
///                      whatever the layout; it must lie in the matrix, which is checked where KOKKOS_ASSERT is on.
///                      Called on the device, several times per item.
/// \param[in] consumer  called once per item, as consumer(k, value) with std::int64_t k, or with the element's indices,
///                      as consumer(i, j, value), in a batch consumer(b, i, j, value); a lambda that is only __device__
///                      has the first form.
/// \throws Error before anything runs: a negative range, or one that ends beyond 2^62, items but no elements, a
///         ColumnOrder of another matrix or batch, more items than a ColumnOrder or RowOrder has, a policy with a chunk
///         size, a matrix without memory or out of the execution space's reach.
template <class BackendTag = Backend::Native, class Policy, class View, class Map, class Consumer>
  requires Kokkos::is_execution_policy<Policy>::value
void parallel_read(std::string const& label, Policy const& policy, ShadowView<View> const& a, Map const& index_map,
                   Consumer const& consumer) {
  Impl::NoResult none;
  Impl::start_read<BackendTag>("Koalesce::parallel_read", label, policy, a, index_map, consumer, none);
}

/// \brief The same for as many items as the matrix has elements.
template <class BackendTag = Backend::Native, class Exec, class View, class Map, class Consumer>
  requires Kokkos::is_execution_space_v<Exec>
void parallel_read(std::string const& label, Exec const& exec, ShadowView<View> const& a, Map const& index_map,
                   Consumer const& consumer) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  parallel_read<BackendTag>(label, Policy(exec, 0, std::int64_t(a.size())), a, index_map, consumer);
}

/// \brief Reads a matrix item by item and reduces: consumer(k, a[index_map(k)], update) for every item k of a range.
///
/// Each kernel joins the items' contributions in its own order: the first read by column (transposing) in its own,
/// later ones (shadow) and reads of the original by items, mixed ones by blocks. So floating-point sums may differ in
/// their last bits from call to call, for example between the first and the second. Nothing is timed: the same calls in
/// the same order, with the same memory available, run the same kernels. Within a kernel the order is that of
/// Kokkos::parallel_reduce.
///
/// \tparam BackendTag   the backend; Backend::Native is the execution space's own.
/// \param[in] label     name of the kernel for profilers.
/// \param[in] policy    a Kokkos::RangePolicy: the instance and the items.
/// \param[in] a         the matrix, or batch of matrices.
/// \param[in] index_map as parallel_read's.
/// \param[in] consumer  as parallel_read's, with the variable to reduce into as last argument.
/// \param[in,out] result a variable, a View of rank 0 or a Kokkos reducer, with Kokkos::parallel_reduce's
///                      meaning of each: a variable holds the sum when the call returns; Views are written
///                      asynchronously.
/// \throws Error as parallel_read does.
template <class BackendTag = Backend::Native, class Policy, class View, class Map, class Consumer, class Result>
  requires Kokkos::is_execution_policy<Policy>::value
void parallel_read_reduce(std::string const& label, Policy const& policy, ShadowView<View> const& a,
                          Map const& index_map, Consumer const& consumer, Result&& result) {
  Impl::start_read<BackendTag>("Koalesce::parallel_read_reduce", label, policy, a, index_map, consumer, result);
}

/// \brief The same for as many items as the matrix has elements.
template <class BackendTag = Backend::Native, class Exec, class View, class Map, class Consumer, class Result>
  requires Kokkos::is_execution_space_v<Exec>
void parallel_read_reduce(std::string const& label, Exec const& exec, ShadowView<View> const& a, Map const& index_map,
                          Consumer const& consumer, Result&& result) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  parallel_read_reduce<BackendTag>(label, Policy(exec, 0, std::int64_t(a.size())), a, index_map, consumer, result);
}

}  // namespace Koalesce

#endif
