// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_UNTIL_BACKEND_HPP
#define KOALESCE_REGROUP_IMPL_UNTIL_BACKEND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Koalesce::Impl {

/// How a loop of items with steps can run: the plain loop, or with lanes, or threads, that take further items.
struct UntilVariant {
  char const* way;
  int steps = 0;  ///< between looks for lanes that are done; 0 where nobody looks

  bool is_plain() const { return std::string_view(way) == "plain"; }

  /// What kernel labels and logs show.
  std::string name() const {
    return steps == 0 ? std::string(way) : std::string(way).append(" every ").append(std::to_string(steps) + " steps");
  }
};

/// What a backend must have for parallel_regroup_until, found by argument-dependent lookup through its tag:
///
///     until_variants(tag, exec, work)   what it can run, the plain loop first
///     until_memory(tag, variant)        bytes of memory that it needs for that
///     run_until(tag, exec, label, work, variant, memory, result)
///
/// The last starts a kernel called label on `exec`, which runs every item of an UntilWork once, reduced into `result`
/// unless that is NoResult; `memory` has the bytes asked for, aligned as Views are.
template <class Tag, class Exec, class Work, class Result>
concept UntilBackend = requires(Tag tag, Exec const& exec, std::string const& label, Work const& work,
                                UntilVariant const& variant, char* memory, Result& result) {
  { until_variants(tag, exec, work) } -> std::same_as<std::vector<UntilVariant>>;
  { until_memory(tag, variant) } -> std::same_as<std::size_t>;
  run_until(tag, exec, label, work, variant, memory, result);
};

}  // namespace Koalesce::Impl

#endif
