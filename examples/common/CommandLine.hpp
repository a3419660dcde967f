// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_COMMAND_LINE_HPP
#define KOALESCE_EXAMPLES_COMMAND_LINE_HPP

#include <CLI/CLI.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

/// Wrong use: the message is for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \throws UsageError unless the condition holds.
void require(bool condition, std::string const& message);

/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse(CLI::App& app, int argc, char** argv);

/// \brief Checks the name of a file to be written.
/// \throws UsageError        it is the input.
/// \throws std::runtime_error it cannot be written.
void check_output(std::filesystem::path const& output, std::filesystem::path const& input);

/// \throws UsageError two outputs are one file.
void check_distinct(std::vector<std::filesystem::path> const& outputs);

/// \throws UsageError the name does not end in .png.
void check_picture_name(std::filesystem::path const& picture);

/// Adds --threads.
void add_threads_option(CLI::App& app, int& threads);
void check_threads(int threads);

/// What the help of every example ends with.
extern char const* const help_footer;

/// The name without folder and extension; .nii.gz counts as one.
std::string stem(std::filesystem::path const& file);

}  // namespace examples

#endif
