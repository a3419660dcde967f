// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_FILE_HPP
#define KOALESCE_TUNING_IMPL_TUNING_FILE_HPP

#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// A choice, as the pattern writes it.
struct RememberedChoice {
  std::string choice;
  double seconds;

  bool operator==(RememberedChoice const&) const = default;
};

/// \brief Keeps choices in a text file, for later runs.
///
/// Each entry is a line; of several with one key the last one counts. A line is appended in one write, so processes and
/// threads can append concurrently. It begins with a checksum, and damaged lines are ignored.
class TuningFile {
 public:
  /// Entries by the text that columns() makes of their key.
  using Entries = std::map<std::string, RememberedChoice>;

  struct Content {
    Entries entries;
    std::string why;  ///< something was not read; empty: all was
  };

  explicit TuningFile(std::filesystem::path file) : m_file(std::move(file)) {}

  /// Everything that can be read.
  Content read() const {
    Content content;
    try {
      if (content.why = obstacle(); !content.why.empty()) return content;
      std::ifstream in(m_file, std::ios::binary);
      int damaged = 0;
      for (std::string line; std::getline(in, line);)
        if (!line.empty() && line[0] != '#' && !parse(line, content.entries) && !in.eof())
          ++damaged;  // the last line may be one that another process has not finished
      if (damaged > 0)
        content.why = m_file.string() + " has " + std::to_string(damaged) + " damaged line" + (damaged == 1 ? "" : "s");
    } catch (std::exception const& e) {
      content.why = e.what();
    }
    return content;
  }

  /// \brief Appends an entry.
  /// \return nothing, or why it was not remembered.
  std::string append(TuningKey const& key, RememberedChoice const& entry) const {
    try {
      if (!is_time(entry.seconds)) return "the time is not a positive number";
      std::string const rest = columns(key) + escaped(entry.choice) + '\t' + number_text(entry.seconds);
      std::string const line = checksum(rest) + '\t' + rest + '\n';
      if (line.size() > max_line_bytes)
        return "the labels are longer than " + std::to_string(max_line_bytes) + " bytes";
      std::error_code error;
      if (m_file.has_parent_path()) std::filesystem::create_directories(m_file.parent_path(), error);
      if (error) return m_file.parent_path().string() + ": " + error.message();
      std::size_t const max_bytes = line.size() + 1;  // with the end of a line that was not finished
      if (auto why = obstacle(max_bytes); !why.empty()) return why;
      return write(beginning() + line);
    } catch (std::exception const& e) {
      return e.what();
    }
  }

  /// The columns that name a key, each followed by a tab.
  static std::string columns(TuningKey const& key) {
    std::string all;
    for (auto const* text :
         {&key.machine.device, &key.machine.software, &key.pattern, &key.label, &key.kernel, &key.extents})
      (all += escaped(*text)) += '\t';
    return all;
  }

 private:
  static constexpr std::string_view name    = "# Koalesce tuning file";
  static constexpr std::string_view version = ", version 1";
  static constexpr std::string_view heading =
      "# checksum, device, software, pattern, label, kernel, extents, choice, seconds";
  static constexpr int key_columns               = 6;
  static constexpr char const* digits            = "0123456789abcdef";
  static constexpr std::size_t max_line_bytes    = 64 << 10;  // short enough to be appended in one write
  static constexpr std::uintmax_t max_file_bytes = 16 << 20;

  static bool is_time(double seconds) { return seconds > 0 && std::isfinite(seconds); }

  static std::string escaped(std::string_view text) {
    std::string all;
    for (char const c : text) {
      auto const code = static_cast<unsigned char>(c);
      if (c == '\\') all += "\\\\";
      else if (c == '\t') all += "\\t";
      else if (c == '\n') all += "\\n";
      else if (code < ' ' || code == 127) (all += "\\x") += {digits[code / 16], digits[code % 16]};
      else all += c;
    }
    return all;
  }

  /// All digits, independent of the locale.
  static std::string number_text(double value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(std::numeric_limits<double>::max_digits10);
    text << value;
    return text.str();
  }

  /// 16 hexadecimal digits (FNV-1a).
  static std::string checksum(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::string sum;
    for (int shift = 60; shift >= 0; shift -= 4) sum += digits[hash >> shift & 15];
    return sum;
  }

  /// Adds a line's entry; returns false if the line is damaged. Choices are escaped as the other columns are.
  static bool parse(std::string_view line, Entries& entries) {
    auto const tab = line.find('\t');
    if (tab == line.npos) return false;
    auto const rest = line.substr(tab + 1);
    if (checksum(rest) != line.substr(0, tab)) return false;
    std::size_t key_end = 0;
    for (int column = 0; column < key_columns; ++column) {
      auto const end = rest.find('\t', key_end);
      if (end == rest.npos) return false;
      key_end = end + 1;
    }
    auto const choice_end = rest.find('\t', key_end);
    if (choice_end == rest.npos) return false;
    std::istringstream number{std::string(rest.substr(choice_end + 1))};
    number.imbue(std::locale::classic());
    double seconds = 0;
    if (!(number >> seconds) || number.peek() != std::istringstream::traits_type::eof() || !is_time(seconds))
      return false;
    entries[std::string(rest.substr(0, key_end))] = {std::string(rest.substr(key_end, choice_end - key_end)), seconds};
    return true;
  }

  /// Why the file cannot be read, or cannot grow by `more` bytes; empty if it can, or if it does not exist.
  std::string obstacle(std::size_t more = 0) const {
    std::error_code error;
    auto const status = std::filesystem::status(m_file, error);
    if (status.type() == std::filesystem::file_type::not_found) return "";
    if (error) return m_file.string() + ": " + error.message();
    if (!std::filesystem::is_regular_file(status)) return m_file.string() + " is not a file";
    auto const size = std::filesystem::file_size(m_file, error);
    if (error) return m_file.string() + ": " + error.message();
    if (size == 0) return "";
    if (size + more > max_file_bytes)
      return m_file.string() + " is full with " + std::to_string(size) + " bytes; delete it to begin anew";
    errno = 0;
    std::ifstream in(m_file, std::ios::binary);
    if (!in) return m_file.string() + ": " + std::generic_category().message(errno);
    std::string line(name.size() + version.size() + 1, ' ');
    in.read(line.data(), std::streamsize(line.size()));
    line.resize(std::size_t(in.gcount()));
    if (line.substr(0, name.size()) != name) return m_file.string() + " is no tuning file, and is left alone";
    if (line.substr(name.size()) != std::string(version) + '\n')
      return m_file.string() + " is a tuning file of another version; delete it to begin anew";
    return "";
  }

  /// What goes before a new line: the heading of a new file, or the end of a line that was not finished.
  std::string beginning() const {
    std::ifstream in(m_file, std::ios::binary | std::ios::ate);
    if (!in || in.tellg() <= 0) return std::string(name) + std::string(version) + '\n' + std::string(heading) + '\n';
    in.seekg(-1, std::ios::end);
    return in.get() == '\n' ? "" : "\n";
  }

  std::string write(std::string const& text) const {
    auto const reason = [this] { return m_file.string() + ": " + std::generic_category().message(errno); };
    std::vector<char> buffer(text.size() + 1);  // large enough for a single write
    std::FILE* const file = std::fopen(m_file.string().c_str(), "ab");
    if (!file) return reason();
    std::string why;
    if (std::setvbuf(file, buffer.data(), _IOFBF, buffer.size()) != 0 ||
        std::fwrite(text.data(), 1, text.size(), file) != text.size())
      why = reason();
    if (std::fclose(file) != 0 && why.empty()) why = reason();
    return why;
  }

  std::filesystem::path m_file;
};

}  // namespace Koalesce::Impl

#endif
