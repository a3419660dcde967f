// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_ERROR_HPP
#define KOALESCE_COMMON_ERROR_HPP

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace Koalesce {

/// \brief The exception that Koalesce's functions throw if they cannot do what was asked.
///
/// A wrong argument throws before anything runs. What shows only later, such as a path that no functor has, or memory
/// that is used up, throws then; each function says so. The text has the form `function("label"): problem; reason; what
/// to do`, without what is not known.
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
