// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_REGROUP_OPTION_HPP
#define KOALESCE_EXAMPLES_REGROUP_OPTION_HPP

#include "CommandLine.hpp"

#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <string>

namespace examples {

/// Adds --regroup: never, automatic or always.
void add_regroup_option(CLI::App& app, Koalesce::Regroup& regroup, std::string const& help);

}  // namespace examples

#endif
