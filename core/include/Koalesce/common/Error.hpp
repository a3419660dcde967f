// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_ERROR_HPP
#define KOALESCE_COMMON_ERROR_HPP

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace Koalesce {

/// \brief The exception that every Koalesce function throws, before anything runs, if it cannot do what was asked.
///
/// The text always has the form `function("label"): problem; reason; what to do.`
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace Impl {

/// What the errors of a call begin with.
inline std::string call_text(std::string const& function, std::string const& label) {
  std::string text;
  text.reserve(function.size() + label.size() + 4);
  return text.append(function).append("(\"").append(label).append("\")");
}

/// Throws Error with the pieces streamed one after the other.
template <class... Pieces>
[[noreturn]] void fail(std::string const& where, Pieces const&... pieces) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << where << ": ";
  (text << ... << pieces);
  throw Error(text.str());
}

}  // namespace Impl
}  // namespace Koalesce

#endif
