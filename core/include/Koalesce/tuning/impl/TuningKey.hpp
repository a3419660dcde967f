// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_KEY_HPP
#define KOALESCE_TUNING_IMPL_TUNING_KEY_HPP

#include <string>
#include <tuple>

namespace Koalesce::Impl {

/// The machine and software for which measured times hold; a backend's tuning_machine() returns it.
struct TuningMachine {
  std::string device, software;

  friend bool operator<(TuningMachine const& a, TuningMachine const& b) {
    return std::tie(a.device, a.software) < std::tie(b.device, b.software);
  }
};

/// Identifies calls that share a choice. The texts may contain anything.
struct TuningKey {
  std::string pattern;  ///< in a word
  std::string label;    ///< that the user gave: two lambdas can have one type name
  std::string kernel;   ///< its type
  std::string extents;  ///< the class of sizes, and whatever else times depend on
  TuningMachine machine;

  friend bool operator<(TuningKey const& a, TuningKey const& b) {
    return std::tie(a.pattern, a.label, a.kernel, a.extents, a.machine) <
           std::tie(b.pattern, b.label, b.kernel, b.extents, b.machine);
  }
};

}  // namespace Koalesce::Impl

#endif
