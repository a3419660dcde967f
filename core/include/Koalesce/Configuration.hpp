// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CONFIGURATION_HPP
#define KOALESCE_CONFIGURATION_HPP

#include <Koalesce/Version.hpp>
#include <Koalesce/common/impl/KokkosVersion.hpp>
#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/tuning/Tuning.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

namespace Koalesce {

/// \brief What Koalesce is in this program: for a log file, or a report.
///
/// Koalesce is header-only, so this is what the source file was compiled with that asks. Where files of a program
/// are compiled with different options, the linker keeps the answer of one of them.
struct Configuration {
  std::string version;                ///< Koalesce's, "MAJOR.MINOR.PATCH"
  std::string kokkos_version;         ///< of Kokkos' headers
  std::vector<std::string> backends;  ///< those compiled in
  std::string execution_space;        ///< Kokkos' default one
  std::string backend;                ///< what that one runs on, unless a call names another
  std::string host_execution_space;   ///< Kokkos' default one on the host
  std::string host_backend;           ///< what that one runs on
  std::string vector_instructions;    ///< the widest that loops on a CPU may be compiled to; "unknown" is no error
  bool tuning_tools;                  ///< whether Kokkos was built with tuning, so that tools can make choices
  TuningMode tuning;                  ///< what choices go by: tuning_mode()
  std::string tuning_file;            ///< where choices are kept: tuning_file(); empty: nowhere
};

namespace Impl {

/// A program that is not compiled for its machine's processor gets the oldest that its compiler serves.
inline constexpr char const* vector_instructions =
#if defined(__AVX512F__)
    "AVX-512";
#elif defined(__AVX2__)
    "AVX2";
#elif defined(__AVX__)
    "AVX";
#elif defined(__SSE2__)
    "SSE2";
#elif defined(__ARM_FEATURE_SVE)
    "SVE";
#elif defined(__ARM_NEON)
    "NEON";
#elif defined(__VSX__)
    "VSX";
#else
    "unknown";
#endif

#ifdef KOKKOS_ENABLE_TUNING
inline constexpr bool has_tuning_tools = true;
#else
inline constexpr bool has_tuning_tools = false;
#endif

}  // namespace Impl

/// \brief Asks. Kokkos need not be initialized.
/// \return what the calling source file was compiled with.
/// \throws Error if the environment variable KOALESCE_TUNING names no mode, as tuning_mode() does.
inline Configuration configuration() {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Host = Kokkos::DefaultHostExecutionSpace;
  Configuration c;
  c.version        = KOALESCE_VERSION_STRING;
  c.kokkos_version = Impl::kokkos_version();
  c.backends.assign(std::begin(Impl::backend_names), std::end(Impl::backend_names));
  c.execution_space      = Exec::name();
  c.backend              = Backend::Default<Exec>::name;
  c.host_execution_space = Host::name();
  c.host_backend         = Backend::Default<Host>::name;
  c.vector_instructions  = Impl::vector_instructions;
  c.tuning_tools         = Impl::has_tuning_tools;
  c.tuning               = tuning_mode();
  if (auto const file = tuning_file()) c.tuning_file = file->string();
  return c;
}

/// \brief Writes a configuration, a line per fact, as Kokkos::print_configuration does for Kokkos.
/// \param[in,out] out  where to.
/// \param[in] c  what to write; the caller's own configuration, if not given.
inline void print_configuration(std::ostream& out, Configuration const& c = configuration()) {
  out << "Koalesce " << c.version << " with Kokkos " << c.kokkos_version << "\n  backends: ";
  for (std::size_t i = 0; i < c.backends.size(); ++i) out << (i > 0 ? ", " : "") << c.backends[i];
  out << "\n  default execution space: " << c.execution_space << ", on backend " << c.backend
      << "\n  default host execution space: " << c.host_execution_space << ", on backend " << c.host_backend
      << "\n  vector instructions of CPU loops: " << c.vector_instructions
      << "\n  Kokkos' tuning tools: " << (c.tuning_tools ? "yes" : "no") << "\n  choices go: " << to_string(c.tuning)
      << "\n  tuning file: " << (c.tuning_file.empty() ? "none" : c.tuning_file) << '\n';
}

}  // namespace Koalesce

#endif
