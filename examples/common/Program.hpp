// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_PROGRAM_HPP
#define KOALESCE_EXAMPLES_PROGRAM_HPP

#include "CommandLine.hpp"
#include "Table.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>

namespace examples {

/// The one line that the user gets.
inline int report(std::string const& program, std::string message, int status) {
  message = message.substr(0, message.find_last_not_of('\n') + 1);
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << program << ": " << message << std::endl;
  return status;
}

inline void print(Table const& table) {
  std::cout << table.text() << std::flush;
  if (!std::cout) throw std::runtime_error("the table cannot be written to the standard output");
}

/// \brief main() of an example: options, Kokkos, the work; errors are one line.
///
/// \tparam Options with a member `threads`.
/// \param[in] parse_options fills an Options; false if there is nothing to do.
/// \return the exit status.
template <class Options, class Parse, class Run>
int run_program(std::string const& name, int argc, char** argv, Parse const& parse_options, Run const& run) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows over the limit is an error to report, not a crash
  try {
    Options options;
    if (!parse_options(argc, argv, options)) return 0;
    Kokkos::InitializationSettings settings;
    settings.set_disable_warnings(true);
    if (options.threads > 0) settings.set_num_threads(options.threads);
    Kokkos::ScopeGuard const kokkos(settings);
    run(options);
    return 0;
  } catch (UsageError const& error) {
    return report(name, error.what(), 2);
  } catch (std::bad_alloc const&) {
    return report(name, "not enough memory", 1);
  } catch (std::exception const& error) {
    return report(name, error.what(), 1);
  }
}

}  // namespace examples

#endif
