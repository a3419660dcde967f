// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_TUNING_MODE_HPP
#define KOALESCE_TUNING_TUNING_MODE_HPP

#include <Koalesce/common/Error.hpp>

#include <atomic>
#include <cstdlib>
#include <string>

namespace Koalesce {

/// How Koalesce chooses a kernel if a call does not name one.
enum class TuningMode {
  by_time,    ///< the first calls try the candidates, and the fastest stays
  by_extents  ///< nothing is timed and nothing remembered: equal calls run equal kernels, in every run
};

/// The name of a mode, as in KOALESCE_TUNING and in logs.
constexpr char const* to_string(TuningMode mode) { return mode == TuningMode::by_time ? "by_time" : "by_extents"; }

namespace Impl {

inline TuningMode tuning_mode_of_environment() {
  char const* const text = std::getenv("KOALESCE_TUNING");
  std::string const name = text ? text : "";
  for (auto const mode : {TuningMode::by_time, TuningMode::by_extents})
    if (name == to_string(mode)) return mode;
  if (!name.empty())
    fail("Koalesce::tuning_mode()", "the environment variable KOALESCE_TUNING is \"", name,
         "\", which is not a mode; set it to by_time or by_extents, or unset it");
  return TuningMode::by_time;
}

/// -1 until somebody asks or says: what the environment says may be wrong. (Compilers need a library for an atomic
/// std::optional.)
inline std::atomic<int>& current_tuning_mode() {
  static std::atomic<int> mode{-1};
  return mode;
}

}  // namespace Impl

/// \brief The tuning mode of the whole program, for all patterns.
///
/// It is the mode that set_tuning_mode() set; without such a call, the mode that the environment variable
/// KOALESCE_TUNING names; without either, TuningMode::by_time.
/// \throws Error  if KOALESCE_TUNING decides but names no mode.
inline TuningMode tuning_mode() {
  auto& current = Impl::current_tuning_mode();
  int mode      = current;
  // What another thread sets in the meantime stays.
  if (mode < 0)
    if (int const found = int(Impl::tuning_mode_of_environment()); current.compare_exchange_strong(mode, found))
      mode = found;
  return TuningMode(mode);
}

/// \brief Sets it for all calls that begin from now on.
inline void set_tuning_mode(TuningMode mode) { Impl::current_tuning_mode() = int(mode); }

}  // namespace Koalesce

#endif
