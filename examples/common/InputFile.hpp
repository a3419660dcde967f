// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_INPUT_FILE_HPP
#define KOALESCE_EXAMPLES_INPUT_FILE_HPP

#include <filesystem>

namespace examples {

/// \throws std::runtime_error missing, not a regular file, empty, or not to be opened.
void check_input(std::filesystem::path const& file);

}  // namespace examples

#endif
