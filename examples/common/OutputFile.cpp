// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OutputFile.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

namespace examples {
namespace {

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& problem) {
  throw std::runtime_error(file.string() + ": " + problem);
}

std::filesystem::path folder_of(std::filesystem::path const& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// What a signal handler may touch: names of the temporaries, and unlink.
std::array<std::atomic<char const*>, 4> pending{};

void exchange(char const* from, char const* to) {
  for (auto& name : pending)
    if (auto expected = from; name.compare_exchange_strong(expected, to)) return;
}

void remove_pending(int signal) {
  for (auto const& name : pending)
    if (name != nullptr) unlink(name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void OutputFile::check(std::filesystem::path const& target) {
  std::error_code error;
  auto const folder = folder_of(target);
  if (!std::filesystem::is_directory(folder, error)) fail(target, "the folder does not exist");
  if (std::filesystem::is_directory(target, error)) fail(target, "is a folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail(target, std::string("cannot be written: ") + std::strerror(errno));
}

OutputFile::OutputFile(std::filesystem::path const& target) : m_target(target) {
  check(target);
  auto name = target.filename();
  name += '.';
  name += std::to_string(getpid());
  name += ".part";
  m_temporary    = folder_of(target) / name;
  int const file = open(m_temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) fail(target, std::string("cannot be created: ") + std::strerror(errno));
  close(file);
  exchange(nullptr, m_temporary.c_str());
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, remove_pending);
}

OutputFile::~OutputFile() {
  exchange(m_temporary.c_str(), nullptr);
  std::error_code error;
  std::filesystem::remove(m_temporary, error);
}

void OutputFile::commit() {
  int const file    = open(m_temporary.c_str(), O_RDONLY | O_CLOEXEC);
  bool const stored = file >= 0 && fsync(file) == 0;
  int const why     = errno;
  if (file >= 0) close(file);
  if (!stored) fail(m_target, std::string("cannot be written: ") + std::strerror(why));
  std::error_code error;
  std::filesystem::rename(m_temporary, m_target, error);
  if (error) fail(m_target, "cannot be written: " + error.message());
}

}  // namespace examples
