// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_KEY_HPP
#define KOALESCE_TUNING_IMPL_TUNING_KEY_HPP

#include <compare>
#include <string>

namespace Koalesce::Impl {

/// For what machine and software a measured time holds. Backends tell: `tuning_machine(tag, exec)`.
struct TuningMachine {
  std::string device, software;

  auto operator<=>(TuningMachine const&) const = default;
};

/// Calls that share a choice. Any text will do.
struct TuningKey {
  std::string pattern;  ///< in a word
  std::string label;    ///< that the user gave: two lambdas can have one type name
  std::string kernel;   ///< its type
  std::string extents;  ///< the class of sizes, and whatever else times depend on
  TuningMachine machine;

  auto operator<=>(TuningKey const&) const = default;
};

}  // namespace Koalesce::Impl

#endif
