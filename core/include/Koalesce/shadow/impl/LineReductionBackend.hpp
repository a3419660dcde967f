// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_REDUCTION_BACKEND_HPP
#define KOALESCE_SHADOW_IMPL_LINE_REDUCTION_BACKEND_HPP

#include <string>

namespace Koalesce::Impl {

/// What a backend must have for parallel_reduce_columns and parallel_reduce_rows, found by argument-dependent lookup
/// through its tag:
///
///     run_line_reduction(tag, exec, name, work)
///
/// It starts a kernel called `name` on `exec` that consumes every element of a LineReductionWork once. If that leaves
/// partial results, a second one, called `name` + " [join]", joins them in a fixed order. Every line has its result,
/// the identity if its length is 0. There is a line at least. It does not wait.
template <class Tag, class Exec, class Work>
concept LineReductionBackend = requires(Tag tag, Exec const& exec, std::string const& name, Work const& work) {
  run_line_reduction(tag, exec, name, work);
};

}  // namespace Koalesce::Impl

#endif
