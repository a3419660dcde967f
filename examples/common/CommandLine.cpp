// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CommandLine.hpp"

#include "OutputFile.hpp"

namespace examples {
namespace {

bool same_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) ||
         std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

char const* const help_footer =
    "Existing output files are replaced, and only when the new ones are complete.\n"
    "Exit status: 0, or 1 with one line on stderr, or 2 for a wrong command line.";

void require(bool condition, std::string const& message) {
  if (!condition) throw UsageError(message);
}

bool parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (CLI::CallForHelp const& help) {
    app.exit(help);
    return false;
  } catch (CLI::ParseError const& error) {
    throw UsageError(std::string(error.what()) + "; see --help");
  }
}

void check_output(std::filesystem::path const& output, std::filesystem::path const& input) {
  require(!same_file(output, input), output.string() + ": the output would overwrite the input");
  OutputFile::check(output);
}

void check_distinct(std::vector<std::filesystem::path> const& outputs) {
  for (auto second = outputs.begin(); second != outputs.end(); ++second)
    for (auto first = outputs.begin(); first != second; ++first)
      require(!same_file(*first, *second), second->string() + ": one output would overwrite another");
}

void check_picture_name(std::filesystem::path const& picture) {
  require(picture.extension() == ".png", picture.string() + ": the name must end in .png");
}

void add_threads_option(CLI::App& app, int& threads) {
  app.add_option("--threads", threads, "CPU threads; 0 leaves that to Kokkos and its environment variables.")
      ->capture_default_str();
}

void check_threads(int threads) { require(threads >= 0 && threads <= 4096, "--threads must be 0 to 4096"); }

std::string stem(std::filesystem::path const& file) {
  auto name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

}  // namespace examples
