// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Samples.hpp"

#include "../common/InputFile.hpp"
#include "../common/Volume.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace examples::columns {
namespace {

/// A file, and the line that is being read, for messages.
class CsvReader {
 public:
  CsvReader(std::filesystem::path const& file, char separator)
      : m_file(file), m_input(file, std::ios::binary), m_separator(separator) {
    if (!m_input) throw std::runtime_error(file.string() + ": cannot be opened");
  }

  /// The cells of the next line that is not blank, which stay as they are until the next call; false at the end.
  bool next(std::vector<std::string>& cells) {
    while (std::getline(m_input, m_line)) {
      ++m_number;
      if (m_number == 1 && m_line.starts_with("\xEF\xBB\xBF")) m_line.erase(0, 3);
      if (!m_line.empty() && m_line.back() == '\r') m_line.pop_back();
      if (m_line.find_first_not_of(" \t") == std::string::npos) continue;
      split(cells);
      return true;
    }
    if (m_input.bad()) throw std::runtime_error(m_file.string() + ": cannot be read");
    return false;
  }

  /// \param[in] column counted from 1; 0: the whole line.
  [[noreturn]] void fail(std::size_t column, std::string const& problem) const {
    throw std::runtime_error(m_file.string() + ": line " + std::to_string(m_number) +
                             (column > 0 ? ", column " + std::to_string(column) : "") + ": " + problem);
  }

 private:
  void split(std::vector<std::string>& cells) const {
    std::size_t count = 0, at = 0;
    while (true) {
      if (count == cells.size()) cells.emplace_back();
      auto& cell = cells[count++];
      cell.clear();
      auto const first = m_line.find_first_not_of(' ', at);
      if (first != std::string::npos && m_line[first] == '"') at = quoted(first + 1, cell, count);
      auto const end = std::min(m_line.find(m_separator, at), m_line.size());
      cell.append(m_line, at, end - at);
      if (end == m_line.size()) break;
      at = end + 1;
    }
    cells.resize(count);
  }

  /// \return where it goes on after the closing quote.
  std::size_t quoted(std::size_t at, std::string& cell, std::size_t column) const {
    for (; at < m_line.size(); ++at) {
      if (m_line[at] != '"') cell += m_line[at];
      else if (at + 1 < m_line.size() && m_line[at + 1] == '"') cell += m_line[at++];
      else return at + 1;
    }
    fail(column, "the quotes are not closed on this line");
  }

  std::filesystem::path m_file;
  std::ifstream m_input;
  char m_separator;
  std::string m_line;
  std::int64_t m_number = 0;
};

std::string_view trimmed(std::string_view cell) {
  auto const first = cell.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

/// Whether the cell is a number, also one that is not finite or out of range: `result` is not finite then.
bool to_number(std::string_view cell, double& result) {
  cell = trimmed(cell);
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  auto const [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), result);
  if (end != cell.data() + cell.size() || cell.empty()) return false;
  if (error == std::errc::result_out_of_range) result = HUGE_VAL;
  return error != std::errc::invalid_argument;
}

/// A cell for a message: short, and printable.
std::string shown(std::string_view cell) {
  constexpr std::size_t most = 30;
  std::string text(cell.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return '"' + text + (cell.size() > most ? "...\"" : "\"");
}

double value_of(CsvReader const& reader, std::vector<std::string> const& cells, std::size_t c) {
  double value = 0;
  if (!to_number(cells[c], value)) {
    if (trimmed(cells[c]).empty()) reader.fail(c + 1, "a value is missing");
    reader.fail(c + 1, shown(cells[c]) + " is not a number");
  }
  if (!std::isfinite(value)) reader.fail(c + 1, shown(cells[c]) + " is not finite, or out of a double's range");
  return value;
}

bool has_names(Header header, std::vector<std::string> const& cells) {
  if (header != Header::automatic) return header == Header::yes;
  double value = 0;
  return std::none_of(cells.begin(), cells.end(), [&](auto const& cell) { return to_number(cell, value); });
}

}  // namespace

Samples read_csv(std::filesystem::path const& file, char separator, Header header, std::int64_t every) {
  check_input(file);
  CsvReader reader(file, separator);
  Samples samples;
  std::vector<std::string> cells;
  if (!reader.next(cells)) throw std::runtime_error(file.string() + ": has only blank lines");
  samples.columns   = std::ssize(cells);
  bool const naming = has_names(header, cells);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::string const name(naming ? trimmed(cells[c]) : "");
    samples.names.push_back(name.empty() ? "column " + std::to_string(c + 1) : name);
  }

  std::int64_t lines = 0;
  if (!naming || reader.next(cells)) do {
      if (std::ssize(cells) != samples.columns)
        reader.fail(0, "has " + std::to_string(cells.size()) + " columns, but the first line has " +
                           std::to_string(samples.columns));
      bool const kept = lines++ % every == 0;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        double const value = value_of(reader, cells, c);
        if (kept) samples.values.push_back(value);
      }
    } while (reader.next(cells));
  samples.rows        = std::ssize(samples.values) / samples.columns;
  samples.description = file.filename().string();
  return samples;
}

Samples read_volume(std::filesystem::path const& file, std::int64_t every) {
  auto volume = read_nifti(file);
  Samples samples;
  samples.columns    = volume.size[0];
  samples.rows       = (volume.size[1] * volume.size[2] + every - 1) / every;
  samples.not_finite = volume.not_finite;
  samples.values.reserve(samples.rows * samples.columns);
  for (std::int64_t row = 0; row < samples.rows; ++row) {
    auto const from = volume.voxels.begin() + row * every * samples.columns;
    samples.values.insert(samples.values.end(), from, from + samples.columns);
  }
  for (std::int64_t x = 0; x < samples.columns; ++x) samples.names.push_back("slice x = " + std::to_string(x + 1));
  samples.description = file.filename().string() + ", slices along x as columns";
  return samples;
}

}  // namespace examples::columns
