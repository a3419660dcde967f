// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "../common/RegroupOption.hpp"

#include <string>

namespace examples::minor_planets {
namespace {

constexpr double year = 365.25;

void check(Options& o) {
  auto const& s = o.settings;
  require(s.days > 0 && s.days <= 222 * year,
          "--years must be greater than 0 and at most 222: the planets' elements hold from 1800 on");
  require(s.tolerance >= 1e-14 && s.tolerance <= 1e-3, "--tolerance must be 1e-14 to 1e-3");
  require(s.clones >= 1 && s.clones <= 100000, "--clones must be 1 to 100000");
  require(s.batch >= 1 && s.batch <= 100000, "--batch must be 1 to 100000");
  require(o.check >= 0 && o.check <= 1000000, "--check must be 0 to 1000000");
  check_threads(o.threads);
  require(!o.input.empty(), "no table of elements given; see --help");
  check_picture_name(o.picture);
  check_output(o.picture, o.input);
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Integrates the orbits of minor planets back in time, with steps that an error estimate sets: to the day in\n"
      "1801 on which the first of them was discovered. The Sun and the giant planets pull. Some orbits take fifty\n"
      "times the steps of others: threads that are done take the next ones (Koalesce::parallel_regroup_until). A\n"
      "plain Kokkos loop runs to compare: the orbits are the same. Prints a table; writes a picture of where they "
      "were.\n",
      "minor_planets");
  std::string input, picture = "minor_planets.png";
  double years    = o.settings.days / year;
  bool no_compare = false, no_planets = false;
  auto* const file = app.add_option("elements", input,
                                    "Table: a name, semi-major axis (AU), eccentricity, inclination, ascending node, "
                                    "argument of perihelion and mean anomaly (degrees) a line, at MJD 59800.");
#ifdef MINOR_PLANETS_ELEMENTS
  input = MINOR_PLANETS_ELEMENTS;
  file->capture_default_str();
#else
  file->required();
#endif
  app.add_option("-p,--picture,-o,--output", picture, "Picture, .png: positions and numbers of steps.")
      ->capture_default_str();
  app.add_option("-y,--years", years, "How far back.")->capture_default_str();
  app.add_option("--tolerance", o.settings.tolerance, "Error of a step, of distance and speed.")->capture_default_str();
  app.add_option("-c,--clones", o.settings.clones,
                 "Orbits for each body: its own, and others whose speeds differ by up to a millionth.")
      ->capture_default_str();
  app.add_option("--batch", o.settings.batch,
                 "Clones of each body in a loop; the first loops are timed to choose how the rest runs.")
      ->capture_default_str();
  add_regroup_option(app, o.regroup,
                     "Whether those that are done take the next orbit; automatic: if measuring says that it pays.");
  app.add_option("--check", o.check,
                 "So many bodies, evenly from the table, by another method, too: an error if they end elsewhere.")
      ->capture_default_str();
  app.add_flag("--no-planets", no_planets, "The Sun alone pulls.");
  app.add_flag("--no-compare", no_compare, "Do not run plain Kokkos for comparison.");
  app.add_flag("--decisions", o.show_decisions, "Print everything that the library measured and decided, too.");
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;
  o.input            = input;
  o.picture          = picture;
  o.settings.days    = years * year;
  o.settings.planets = !no_planets;
  o.compare          = !no_compare;
  check(o);
  return true;
}

}  // namespace examples::minor_planets
