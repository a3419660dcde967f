// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_BACKEND_HPP
#define KOALESCE_SHADOW_IMPL_READ_BACKEND_HPP

#include <string>

namespace Koalesce::Impl {

/// What a backend must have for parallel_read, found by argument-dependent lookup through its tag. Each starts a kernel
/// (or two) called `name` on `exec` that consumes every item of a ReadWork once, reduced into `result` unless that is
/// NoResult:
///
///     run_original_read(tag, exec, name, work, result)             from the original
///     run_shadow_read(tag, exec, name, work, result)               from the shadow, work.shadow
///     run_mixed_read(tag, exec, name, work, result)                from either, as each half-warp's access decides
///     run_transposing_read(tag, exec, name, work, shadow, result)  from the original; fills `shadow`
template <class Tag, class Exec, class Work, class Result>
concept ReadBackend = requires(Tag tag, Exec const& exec, std::string const& name, Work const& work,
                               typename Work::value_type* shadow, Result& result) {
  run_original_read(tag, exec, name, work, result);
  run_shadow_read(tag, exec, name, work, result);
  run_mixed_read(tag, exec, name, work, result);
  run_transposing_read(tag, exec, name, work, shadow, result);
};

}  // namespace Koalesce::Impl

#endif
