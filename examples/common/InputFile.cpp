// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InputFile.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace examples {

void check_input(std::filesystem::path const& file) {
  auto const fail = [&](std::string const& problem) { throw std::runtime_error(file.string() + ": " + problem); };
  std::error_code error;
  auto const status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail("no such file");
  if (!std::filesystem::is_regular_file(status)) fail("not a regular file");
  if (std::filesystem::file_size(file, error) == 0) fail("the file is empty");
  if (access(file.c_str(), R_OK) != 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
}

}  // namespace examples
