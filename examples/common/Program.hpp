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

/// How a program ends.
struct Outcome {
  int status = 0;       ///< of the exit
  std::string message;  ///< the one line that the user gets, if there is one
};

/// Prints the message; returns the status.
inline int report(std::string const& program, Outcome const& outcome) {
  auto message = outcome.message.substr(0, outcome.message.find_last_not_of('\n') + 1);
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (!message.empty()) std::cerr << program << ": " << message << std::endl;
  return outcome.status;
}

inline void print(Table const& table) {
  std::cout << table.text() << std::flush;
  if (!std::cout) throw std::runtime_error("the table cannot be written to the standard output");
}

/// \brief Options, Kokkos, the work; errors become the outcome.
///
/// \tparam Options with a member `threads`.
/// \param[in] parse_options fills an Options; false if there is nothing to do.
template <class Options, class Parse, class Run>
Outcome outcome_of(int argc, char** argv, Parse const& parse_options, Run const& run) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows over the limit is an error to report, not a crash
  try {
    Options options;
    if (!parse_options(argc, argv, options)) return {};
    Kokkos::InitializationSettings settings;
    settings.set_disable_warnings(true);
    if (options.threads > 0) settings.set_num_threads(options.threads);
    Kokkos::ScopeGuard const kokkos(settings);
    run(options);
    return {};
  } catch (UsageError const& error) {
    return {2, error.what()};
  } catch (std::bad_alloc const&) {
    return {1, "not enough memory"};
  } catch (std::exception const& error) {
    return {1, error.what()};
  }
}

/// \brief main() of an example: outcome_of(), and errors are one line.
///
/// \return the exit status.
template <class Options, class Parse, class Run>
int run_program(std::string const& name, int argc, char** argv, Parse const& parse_options, Run const& run) {
  return report(name, outcome_of<Options>(argc, argv, parse_options, run));
}

}  // namespace examples

#endif
