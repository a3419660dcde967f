// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_REDUCE_LINES_HPP
#define KOALESCE_SHADOW_REDUCE_LINES_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/shadow/ShadowView.hpp>
#include <Koalesce/shadow/impl/LineReductionDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace Koalesce {

/// \brief What per_line() returns: a result per line, and the reducer that makes it.
///
/// \tparam Reducer  a Kokkos reducer.
/// \tparam ViewT    the View of results.
template <class Reducer, class ViewT>
class PerLine {
 public:
  /// \param[in] view  as per_line()'s.
  explicit PerLine(ViewT const& view) : m_view(view) {}

  /// The results.
  ViewT const& view() const { return m_view; }

 private:
  ViewT m_view;
};

/// \brief A result of parallel_reduce_columns or parallel_reduce_rows that is no sum:
/// `per_line<Kokkos::Max<double>>(max)`.
///
/// \tparam Reducer   a Kokkos reducer, of Kokkos or your own, that is made from a reference to its value_type, as
///                   Kokkos::Min, Kokkos::MinMax and Kokkos::MaxLoc are.
/// \param[out] view  a Kokkos::View of the reducer's value_type, with an element per line.
template <class Reducer, class View>
auto per_line(View const& view) {
  constexpr bool reduces = Kokkos::is_reducer<Reducer>::value && Kokkos::is_view_v<View>;
  static_assert(reduces,
                "Koalesce::per_line: give a Kokkos reducer and a Kokkos::View, as in "
                "per_line<Kokkos::Max<double>>(view)");
  if constexpr (reduces) {
    constexpr bool same = std::is_same_v<typename View::value_type, typename Reducer::value_type>;
    static_assert(same, "Koalesce::per_line: the View's elements must be of the reducer's value_type, not const");
    if constexpr (same) return PerLine<Reducer, View>(view);
  }
}

/// \brief Reduces every column of a matrix: one result per column and reducer, in one pass over the matrix.
///
///     parallel_reduce_columns("statistics", exec, a,
///         KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double value, double& sum, double& largest) {
///           sum += value;
///           if (value > largest) largest = value;
///         }, sums, per_line<Kokkos::Max<double>>(maxima));
///
/// The matrix is read once, coalesced, whatever its layout: neighboring threads take what neighbors in memory. So
/// nothing is transposed, and of a ShadowView the original is read.
///
/// Partial results are joined in a fixed order, without atomics. Calls with the same extents, strides and concurrency
/// of the execution space round alike, so floating-point sums have the same bits in every run.
///
/// Asynchronous: the kernel "Koalesce::<backend>::<label>", and, where columns have several partial results,
/// "Koalesce::<backend>::<label> [join]", on the instance given.
///
/// \tparam BackendTag  the backend; Backend::Native is the execution space's own.
/// \param[in] label    name of the kernel for profilers.
/// \param[in] exec     the instance that the kernels run on.
/// \param[in] a        a Kokkos::View of rank 2, elements (i, j), or of rank 3, a batch of matrices with elements
///                     (b, i, j), of any layout; or a ShadowView. Elements have a default constructor.
/// \param[in] functor  called once per element, as functor(i, j, value, update...), in a batch
///                     functor(b, i, j, value, update...), with std::int64_t indices and, in the order of the results,
///                     one reference per result into which it reduces the element. Its operator() is const.
/// \param[out] results one or more. A View is for sums: it has rank 1 and an element per column, in a batch rank 2 and
///                     elements (b, j), in any layout. per_line() gives other reducers. Results are overwritten; of
///                     columns without rows they are the reducer's identity.
/// \throws Error before anything runs: a result with another extent; memory that is missing or out of the execution
///         space's reach; a result that overlaps the matrix, another one, or itself. Later, if there is no memory for
///         partial results.
template <class BackendTag = Backend::Native, class Exec, class Matrix, class Functor, class... Results>
  requires Kokkos::is_execution_space_v<Exec>
void parallel_reduce_columns(std::string const& label, Exec const& exec, Matrix const& a, Functor const& functor,
                             Results const&... results) {
  Impl::start_line_reduction<BackendTag>("Koalesce::parallel_reduce_columns", label, exec, Impl::Lines::columns, a,
                                         functor, results...);
}

/// \brief The same for rows: one result per row and reducer. Results are indexed by i, in a batch by (b, i).
template <class BackendTag = Backend::Native, class Exec, class Matrix, class Functor, class... Results>
  requires Kokkos::is_execution_space_v<Exec>
void parallel_reduce_rows(std::string const& label, Exec const& exec, Matrix const& a, Functor const& functor,
                          Results const&... results) {
  Impl::start_line_reduction<BackendTag>("Koalesce::parallel_reduce_rows", label, exec, Impl::Lines::rows, a, functor,
                                         results...);
}

}  // namespace Koalesce

#endif
