// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_TABLE_HPP
#define KOALESCE_EXAMPLES_TABLE_HPP

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// A number with so many significant digits.
inline std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

/// A table: quantities on the left; one value each, or several in columns.
class Table {
 public:
  explicit Table(std::string title) : m_title(std::move(title)) {}

  void row(std::string quantity, std::string value) {
    values(std::move(quantity), std::vector<std::string>{std::move(value)});
  }
  void values(std::string quantity, std::vector<std::string> cells) {
    m_rows.emplace_back(std::move(quantity), std::move(cells));
  }

  std::string text() const {
    std::size_t left = 0, longest = 0;
    std::vector<std::size_t> widths;
    for (auto const& [quantity, values] : m_rows) {
      left = std::max(left, quantity.size() + 2);
      if (values.size() > widths.size()) widths.resize(values.size());
      if (values.size() > 1)
        for (std::size_t v = 0; v < values.size(); ++v) widths[v] = std::max(widths[v], values[v].size() + 2);
    }
    std::vector<std::string> lines;
    for (auto const& [quantity, values] : m_rows) {
      std::ostringstream line;
      line << std::left << std::setw(int(left)) << quantity;
      for (std::size_t v = 0; v < values.size(); ++v)
        line << std::setw(v + 1 < values.size() ? int(widths[v]) : 0) << values[v];
      longest = std::max(longest, line.str().size());
      lines.push_back(line.str());
    }
    std::string const rule(std::max(m_title.size(), longest), '-');
    std::string table = m_title + '\n' + rule + '\n';
    for (auto const& line : lines) table += line + '\n';
    return table + rule + '\n';
  }

 private:
  std::string m_title;
  std::vector<std::pair<std::string, std::vector<std::string>>> m_rows;
};

}  // namespace examples

#endif
