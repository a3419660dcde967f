// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The orbits of minor planets, integrated back in time with steps that an error estimate sets: what is near the Sun, or
// comes near a planet, takes many times the steps of what is far away, so that the lanes of a warp wait for the
// longest of their orbits. In Koalesce::parallel_regroup_until those that are done take the next one. Orbit.hpp has its
// functors, Ensemble.cpp both loops; see --help.

#include "../common/OutputFile.hpp"
#include "../common/Program.hpp"
#include "../common/ProgressBar.hpp"
#include "Ensemble.hpp"
#include "Options.hpp"
#include "OrbitPicture.hpp"

#include <Koalesce/Tuning.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

namespace examples::minor_planets {
namespace {

void require_equal(Result const& ours, Result const& plain) {
  for (std::size_t i = 0; i < ours.orbits.size(); ++i)
    if (ours.steps[i] != plain.steps[i] || ours.orbits[i].position != plain.orbits[i].position ||
        ours.orbits[i].velocity != plain.orbits[i].velocity)
      throw std::runtime_error("plain Kokkos and Koalesce give different orbits");
}

/// \return the largest distance (AU) between an orbit's end and the reference's.
/// \throws std::runtime_error it is larger than tolerances of steps explain.
double check(std::vector<Body> const& bodies, Result const& result, Settings const& settings, int checked) {
  double largest    = 0;
  auto const count  = std::min<std::size_t>(checked, bodies.size());
  auto const report = progress_bar("reference");
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t const i = n * bodies.size() / count;
    auto const expected = reference(bodies[i], settings);
    double square       = 0;
    for (int d = 0; d < 3; ++d) square += std::pow(result.orbits[i].position[d] - expected[d], 2);
    double const away = std::sqrt(square);
    // Errors of steps add up, and what they do to the period adds up again.
    if (!(away <= 1e-6 + 1e6 * settings.tolerance))
      throw std::runtime_error(bodies[i].name + " ends " + number(away, 3) + " AU from where the reference is");
    largest = std::max(largest, away);
    report(double(n + 1) / double(count));
  }
  return largest;
}

void add_times(Table& table, Result const& ours, std::optional<Result> const& plain) {
  auto const all  = std::accumulate(ours.steps.begin(), ours.steps.end(), std::int64_t(0));
  auto const time = [](Result const& r) { return number(r.seconds, 4) + " s"; };
  auto const rate = [&](Result const& r) { return number(1e-6 * double(all) / r.seconds, 3); };
  if (plain) {
    table.values("", {"plain Kokkos", "Koalesce", "speed"});
    table.values("time of all orbits", {time(*plain), time(ours), number(plain->seconds / ours.seconds, 3) + " x"});
    table.values("million steps a second", {rate(*plain), rate(ours)});
  } else {
    table.row("time of all orbits", time(ours));
    table.row("million steps a second", rate(ours));
  }
  auto const [least, most] = std::minmax_element(ours.steps.begin(), ours.steps.end());
  table.row("steps of an orbit: least, mean, most", std::to_string(*least) + ", " +
                                                        number(double(all) / double(ours.steps.size()), 4) + ", " +
                                                        std::to_string(*most));
  auto const given_up = std::count(ours.steps.begin(), ours.steps.end(), max_steps);
  if (given_up > 0) table.row("orbits given up", std::to_string(given_up));
}

void run(Options const& options) {
  auto const bodies = read_elements(options.input);
  auto const& s     = options.settings;
  // The first launch of a kernel takes longer.
  Settings few = s;
  few.clones   = 1;
  few.days     = std::min(s.days, 1.);
  std::optional<Result> plain;
  if (options.compare) {
    integrate_plain(bodies, few, [](double) {});
    plain = integrate_plain(bodies, s, progress_bar("plain Kokkos"));
  }
  integrate({bodies.front()}, few, options.regroup, [](double) {});
  auto const ours = integrate(bodies, s, options.regroup, progress_bar("Koalesce"));
  if (plain) require_equal(ours, *plain);

  Table table(options.input.filename().string() + ", " + std::to_string(bodies.size()) + " minor planets, " +
              std::to_string(s.clones) + (s.clones == 1 ? " orbit" : " orbits") + " each, " +
              number(s.days / 365.25, 4) + " years back on " + Kokkos::DefaultExecutionSpace::name());
  add_times(table, ours, plain);
  if (options.check > 0)
    table.row("farthest from the reference", number(check(bodies, ours, s, options.check), 3) + " AU");
  if (plain) table.row("orbits", "the same in both runs, to the last bit");
  for (auto const& decision : Koalesce::tuning_decisions(loop))
    if (decision.decided) table.row("decided for " + decision.extents, decision.why);

  OutputFile picture(options.picture);
  write_png(orbit_picture({ours.orbits.begin(), ours.orbits.begin() + std::ssize(bodies)},
                          {ours.steps.begin(), ours.steps.begin() + std::ssize(bodies)}, epoch - s.days),
            picture.temporary());
  picture.commit();
  table.row("written", options.picture.string());
  print(table);
  if (options.show_decisions)
    for (auto const& decision : Koalesce::tuning_decisions(loop)) std::cout << decision;
}

}  // namespace
}  // namespace examples::minor_planets

int main(int argc, char** argv) {
  using namespace examples;
  return run_program<minor_planets::Options>("minor_planets", argc, argv, minor_planets::parse_options,
                                             minor_planets::run);
}
