// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_TABLE_HPP
#define MRI_DENOISE_TABLE_HPP

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace mri {

/// A number with so many significant digits.
inline std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

/// A table of two columns, quantity and value.
class Table {
 public:
  explicit Table(std::string title) : m_title(std::move(title)) {}

  void row(std::string quantity, std::string value) { m_rows.emplace_back(std::move(quantity), std::move(value)); }

  std::string text() const {
    std::size_t left = 0, right = 0;
    for (auto const& [quantity, value] : m_rows) {
      left  = std::max(left, quantity.size());
      right = std::max(right, value.size());
    }
    std::string const line(std::max(m_title.size(), left + 2 + right), '-');
    std::ostringstream table;
    table << m_title << '\n' << line << '\n';
    for (auto const& [quantity, value] : m_rows)
      table << std::left << std::setw(int(left) + 2) << quantity << value << '\n';
    table << line << '\n';
    return table.str();
  }

 private:
  std::string m_title;
  std::vector<std::pair<std::string, std::string>> m_rows;
};

}  // namespace mri

#endif
