// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_LOG_TEXT_HPP
#define KOALESCE_TUNING_IMPL_LOG_TEXT_HPP

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

/// Numbers as the tuners' logs write them, whatever the program's locale.
namespace Koalesce::Impl {

inline std::string fixed_text(double value, int decimals) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

/// "0 B", "1.5 KiB", "12.0 MiB".
inline std::string bytes_text(std::int64_t bytes) {
  constexpr char const* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value                  = double(bytes);
  int unit                      = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return fixed_text(value, unit == 0 ? 0 : 1) + " " + units[unit];
}

/// Replaces control characters such as line breaks, which occur in texts of devices and systems, by blanks.
inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return text;
}

/// "850.00 ns", "12.50 us", "3.20 ms", "1.00 s".
inline std::string seconds_text(double seconds) {
  if (seconds < 1e-6) return fixed_text(1e9 * seconds, 2) + " ns";
  if (seconds < 1e-3) return fixed_text(1e6 * seconds, 2) + " us";
  if (seconds < 1) return fixed_text(1e3 * seconds, 2) + " ms";
  return fixed_text(seconds, 2) + " s";
}

}  // namespace Koalesce::Impl

#endif
