// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_MEMORY_HPP
#define KOALESCE_TUNING_IMPL_TUNING_MEMORY_HPP

#include <Koalesce/tuning/impl/LogText.hpp>
#include <Koalesce/tuning/impl/TuningFile.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace Koalesce::Impl {

/// The choices that the process knows: its own, and those that it read once from the tuning file.
class TuningMemory {
 public:
  static TuningMemory& instance() {
    static TuningMemory memory;
    return memory;
  }

  /// The file that set_file() named, or else the environment's, if any.
  std::optional<std::filesystem::path> file() {
    std::lock_guard const lock(m_mutex);
    return current_file();
  }

  void set_file(std::optional<std::filesystem::path> const& file) {
    std::lock_guard const lock(m_mutex);
    m_file = file;
    m_named.reset();
    m_path.reset();
    reset();
    resolve();
  }

  std::optional<RememberedChoice> find(TuningKey const& key) {
    std::lock_guard const lock(m_mutex);
    read_file();
    auto const found = m_known.find(TuningFile::columns(key));
    return found != m_known.end() ? std::optional(found->second) : std::nullopt;
  }

  /// \return empty, or why the choice is not kept for the next process.
  std::string put(TuningKey const& key, RememberedChoice const& choice) {
    std::lock_guard const lock(m_mutex);
    return keep(key, choice);
  }

  /// The choice of an entry, unless that is forgotten. Who forgets it marks it before changing what is known.
  template <class Entry>
  void put_of(Entry const& entry, TuningKey const& key, RememberedChoice const& choice) {
    std::lock_guard const lock(m_mutex);
    if (!entry.is_forgotten()) (void)keep(key, choice);
  }

  /// Forgets the choices, but not the file, which is read again.
  void forget() {
    std::lock_guard const lock(m_mutex);
    reset();
  }

 private:
  std::string keep(TuningKey const& key, RememberedChoice const& choice) {
    read_file();
    m_known[TuningFile::columns(key)] = choice;
    if (!m_path) return "there is no tuning file; name one in KOALESCE_TUNING_FILE";
    auto why = TuningFile(*m_path).append(key, choice);
    say_once("choices are not kept for the next run", why);
    return why;
  }

  std::optional<std::filesystem::path> current_file() const {
    if (m_file) return m_file->empty() ? std::nullopt : m_file;
    char const* const name = std::getenv("KOALESCE_TUNING_FILE");
    return name && *name ? std::optional(std::filesystem::path(name)) : std::nullopt;
  }

  void reset() {
    m_known.clear();
    m_is_read = m_has_said = false;
  }

  /// What is still named as it was stays where it was.
  void resolve() {
    auto const named = current_file();
    if (named == m_named) return;
    m_named = m_path = named;
    std::error_code error;  // opening the file reports it
    if (m_path)
      if (auto const path = std::filesystem::absolute(*m_path, error); !error) m_path = path;
  }

  void read_file() {
    if (std::exchange(m_is_read, true)) return;
    resolve();
    if (!m_path) return;
    auto content = TuningFile(*m_path).read();
    m_known      = std::move(content.entries);
    say_once("not all choices of earlier runs are known", content.why);
  }

  /// A message, not an exception, because only speed is lost.
  void say_once(char const* what, std::string const& why) {
    if (why.empty() || std::exchange(m_has_said, true)) return;
    std::cerr << one_line(std::string("Koalesce: ") + what + ": " + why) + "\n";
  }

  std::mutex m_mutex;
  std::optional<std::filesystem::path> m_file;   // as set_file() named it
  std::optional<std::filesystem::path> m_named;  // as it was named when it was looked for
  std::optional<std::filesystem::path> m_path;   // absolute, since the program may change its working directory
  TuningFile::Entries m_known;
  bool m_is_read = false, m_has_said = false;
};

}  // namespace Koalesce::Impl

#endif
