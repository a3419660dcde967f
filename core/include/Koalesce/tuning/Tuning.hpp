// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_TUNING_HPP
#define KOALESCE_TUNING_TUNING_HPP

#include <Koalesce/tuning/TuningDecision.hpp>
#include <Koalesce/tuning/TuningMode.hpp>
#include <Koalesce/tuning/impl/TuningMemory.hpp>
#include <Koalesce/tuning/impl/TuningRegistry.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Koalesce {

/// \brief The file that keeps choices made by time for the next process: the one that set_tuning_file() names, or
/// otherwise the one that $KOALESCE_TUNING_FILE names; no file, if neither names one.
inline std::optional<std::filesystem::path> tuning_file() { return Impl::TuningMemory::instance().file(); }

/// \brief Keeps choices in a file, and takes those that an earlier process left there: what they decided is not timed
/// again, as long as device, driver, Kokkos, Koalesce, label, kernel and class of sizes are the same.
///
/// Many processes may use one file at once. A file that is damaged, of another version or read-only costs time only;
/// the program says so once, on the standard error output. If the code of a kernel changed, delete the file.
///
/// Choices that this process has made before the call are forgotten, as by forget_tuning(): name the file first.
///
/// \param[in] file  made when there is something to write; an empty path for none, whatever the environment says;
///                   std::nullopt for what the environment says, again.
inline void set_tuning_file(std::optional<std::filesystem::path> const& file) {
  Impl::TuningRegistry::instance().forget_all([&] { Impl::TuningMemory::instance().set_file(file); });
}

/// \brief Every choice that calls made by time, or are about to make, by pattern, label, class of sizes and time.
/// \param[in] label  only those of the calls with this label; all, if empty.
inline std::vector<TuningDecision> tuning_decisions(std::string const& label = "") {
  return Impl::TuningRegistry::instance().decisions(label);
}

/// \brief Forgets all choices of this process. They are measured again, or read again from the file, which does not
/// change. Calls that run at the same time, and those of a Domain that exists, continue with the choices that they
/// have.
inline void forget_tuning() {
  Impl::TuningRegistry::instance().forget_all([] { Impl::TuningMemory::instance().forget(); });
}

}  // namespace Koalesce

#endif
