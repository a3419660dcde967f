// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_PROGRESS_BAR_HPP
#define KOALESCE_EXAMPLES_PROGRESS_BAR_HPP

#include <functional>
#include <string>

namespace examples {

/// Called with the share of the work that is done, 0 to 1.
using Progress = std::function<void(double)>;

/// A bar on stderr that redraws itself; nothing where stderr is not a terminal.
Progress progress_bar(std::string const& what);

}  // namespace examples

#endif
