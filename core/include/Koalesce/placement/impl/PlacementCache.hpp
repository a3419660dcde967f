// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_CACHE_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_CACHE_HPP

#include <Koalesce/placement/Place.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// What a placement was measured for. Any text will do.
struct PlacementKey {
  std::string device, driver, kernel;
  std::string arrays;  ///< names, types, extents
  std::string shape;   ///< league and team size
};

struct RememberedPlacement {
  Placement placement;
  double seconds;
};

/// \brief Keeps the winners of placement searches in a text file, for later runs.
///
/// A line an entry, of which a key's last one counts. Lines are appended by one write each, so processes and threads
/// may do so at once. Each begins with a checksum: one that is damaged is as if it were not there.
class PlacementCache {
 public:
  explicit PlacementCache(std::filesystem::path file) : m_file(std::move(file)) {}

  /// \brief `placement.txt` in $KOALESCE_CACHE_DIR, else $XDG_CACHE_HOME/koalesce, else $HOME/.cache/koalesce.
  ///
  /// None, if no variable is set, or KOALESCE_CACHE_DIR is set but empty.
  static std::optional<std::filesystem::path> default_file() {
    char const* const own = std::getenv("KOALESCE_CACHE_DIR");
    if (own && !*own) return {};
    if (own) return std::filesystem::path(own) / "placement.txt";
    using Pair = std::pair<char const*, char const*>;
    for (auto const& [variable, folder] : {Pair("XDG_CACHE_HOME", "koalesce"), Pair("HOME", ".cache/koalesce")})
      if (char const* const path = std::getenv(variable); path && std::filesystem::path(path).is_absolute())
        return std::filesystem::path(path) / folder / "placement.txt";
    return {};
  }

  /// The last entry for the key, if there is one. Check its size: the file may be from anywhere.
  std::optional<RememberedPlacement> find(PlacementKey const& key) const {
    std::optional<RememberedPlacement> found;
    try {
      if (!obstacle().empty()) return {};
      std::ifstream in(m_file, std::ios::binary);
      std::string const begin = columns(key);
      for (std::string line; std::getline(in, line);)
        if (auto entry = parse(line, begin)) found = std::move(entry);
    } catch (std::exception const&) {
      return {};
    }
    return found;
  }

  /// \brief Appends an entry.
  /// \return nothing, or why the entry was not remembered.
  std::string remember(PlacementKey const& key, RememberedPlacement const& entry) {
    try {
      if (!is_time(entry.seconds)) return "the time is no positive number";
      std::string const rest = columns(key) + places_text(entry.placement) + '\t' + number_text(entry.seconds);
      std::string const line = checksum(rest) + '\t' + rest + '\n';
      if (line.size() > longest_line) return "the labels are longer than " + std::to_string(longest_line) + " bytes";
      std::error_code error;
      if (m_file.has_parent_path()) std::filesystem::create_directories(m_file.parent_path(), error);
      if (error) return m_file.parent_path().string() + ": " + error.message();
      if (auto why = obstacle(line.size()); !why.empty()) return why;
      return append(beginning() + line);
    } catch (std::exception const& e) {
      return e.what();
    }
  }

 private:
  static constexpr std::string_view name       = "# Koalesce placement cache";
  static constexpr std::string_view version    = ", version 1";
  static constexpr std::string_view heading    = "# checksum, device, driver, kernel, arrays, shape, places, seconds";
  static constexpr char const* digits          = "0123456789abcdef";
  static constexpr std::size_t longest_line    = 64 << 10;  // that surely is written at once
  static constexpr std::uintmax_t largest_file = 16 << 20;

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

  /// Those that name a key, each with a tab.
  static std::string columns(PlacementKey const& key) {
    std::string all;
    for (auto const* text : {&key.device, &key.driver, &key.kernel, &key.arrays, &key.shape})
      (all += escaped(*text)) += '\t';
    return all;
  }

  static std::string places_text(Placement const& placement) {
    std::string all;
    for (Place const place : placement) (all += all.empty() ? "" : ", ") += to_string(place);
    return all;
  }

  static std::optional<Placement> parse_places(std::string_view text) {
    std::vector<Place> places;
    while (!text.empty()) {
      auto const length = std::min(text.find(", "), text.size());
      auto const before = places.size();
      for (auto const place : {Place::scratch, Place::registers, Place::thread_memory, Place::global_memory})
        if (text.substr(0, length) == to_string(place)) places.push_back(place);
      if (places.size() == before || text.size() == length + 2) return {};
      text.remove_prefix(std::min(length + 2, text.size()));
    }
    return Placement(std::move(places));
  }

  /// Every digit, whatever the locale.
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

  /// A line's entry, if it is whole and its columns begin like that.
  static std::optional<RememberedPlacement> parse(std::string_view line, std::string_view begin) {
    auto const tab = line.find('\t');
    if (tab == line.npos) return {};
    auto rest = line.substr(tab + 1);
    if (rest.substr(0, begin.size()) != begin || checksum(rest) != line.substr(0, tab)) return {};
    rest.remove_prefix(begin.size());
    auto const end = rest.find('\t');
    if (end == rest.npos) return {};
    auto placement = parse_places(rest.substr(0, end));
    std::istringstream number{std::string(rest.substr(end + 1))};
    number.imbue(std::locale::classic());
    double seconds = 0;
    if (!placement || !(number >> seconds) || number.peek() != std::istringstream::traits_type::eof()) return {};
    if (!is_time(seconds)) return {};
    return RememberedPlacement{std::move(*placement), seconds};
  }

  /// Why the file can neither be read nor get so many bytes more; nothing, if it can, is empty or not there.
  std::string obstacle(std::size_t more = 0) const {
    std::error_code error;
    auto const status = std::filesystem::status(m_file, error);
    if (status.type() == std::filesystem::file_type::not_found) return "";
    if (error) return m_file.string() + ": " + error.message();
    if (!std::filesystem::is_regular_file(status)) return m_file.string() + " is not a file";
    auto const size = std::filesystem::file_size(m_file, error);
    if (error) return m_file.string() + ": " + error.message();
    if (size == 0) return "";
    if (size + more > largest_file)
      return m_file.string() + " is full with " + std::to_string(size) + " bytes; delete it to begin anew";
    std::ifstream in(m_file, std::ios::binary);
    std::string line(name.size() + version.size() + 1, ' ');
    in.read(line.data(), std::streamsize(line.size()));
    line.resize(std::size_t(in.gcount()));
    if (line.substr(0, name.size()) != name) return m_file.string() + " is no placement cache, and is left alone";
    if (line.substr(name.size()) != std::string(version) + '\n')
      return m_file.string() + " is a placement cache of another version; delete it to begin anew";
    return "";
  }

  /// What a line needs before it: the heading of a new file, the end of a line that somebody died writing.
  std::string beginning() const {
    std::ifstream in(m_file, std::ios::binary | std::ios::ate);
    if (!in || in.tellg() <= 0) return std::string(name) + std::string(version) + '\n' + std::string(heading) + '\n';
    in.seekg(-1, std::ios::end);
    return in.get() == '\n' ? "" : "\n";
  }

  std::string append(std::string const& text) const {
    auto const reason = [this] { return m_file.string() + ": " + std::generic_category().message(errno); };
    std::vector<char> buffer(text.size() + 1);  // so that it is one write
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
