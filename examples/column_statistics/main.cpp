// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correlates the columns of a table that lies row by row, so that threads which go down a column read far apart.
// Koalesce::parallel_reduce_columns makes the means in the order of memory; a Koalesce::ShadowView's by_column
// transposes the table once, and hands the kernel of the correlations, unchanged, what it reads coalesced. Kernels.hpp
// has the kernels, Statistics.cpp both ways to run them; see --help.

#include "../common/OutputFile.hpp"
#include "../common/Program.hpp"
#include "CorrelationPicture.hpp"
#include "Options.hpp"
#include "Samples.hpp"
#include "Statistics.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace examples::columns {
namespace {

std::string milliseconds(double seconds) { return number(1e3 * seconds, 4) + " ms"; }
std::string megabytes(double bytes) { return number(1e-6 * bytes, 4) + " MB"; }

std::string correlation_text(double r) {
  char text[16];
  std::snprintf(text, sizeof(text), "%+.4f", r);
  return text;
}

void add_times(Table& table, Results const& results) {
  auto const add = [&](std::string const& pass, double Correlation::*seconds, std::string const& read) {
    auto const& ours = results.ours;
    if (results.plain) {
      auto const& plain = *results.plain;
      table.values(pass, {milliseconds(plain.*seconds), milliseconds(ours.*seconds),
                          number(plain.*seconds / (ours.*seconds), 3) + " x", read});
    } else {
      table.values(pass, {milliseconds(ours.*seconds), read});
    }
  };
  if (results.plain) table.values("time of", {"plain Kokkos", "Koalesce", "speed", "read"});
  else table.values("time of", {"Koalesce", "read"});
  add("the statistics pass", &Correlation::statistics_seconds, megabytes(results.statistics_bytes));
  add("the correlation pass, which transposes for Koalesce", &Correlation::correlation_seconds,
      megabytes(results.correlation_bytes));
  add("both", &Correlation::total_seconds, megabytes(results.statistics_bytes + results.correlation_bytes));
}

/// The first few names, and how many there are.
std::string listed(std::vector<std::string> const& names) {
  constexpr std::size_t most = 3;
  std::string text           = std::to_string(names.size()) + ": ";
  for (std::size_t n = 0; n < std::min(most, names.size()); ++n) text += (n > 0 ? ", " : "") + names[n];
  return text + (names.size() > most ? ", ..." : "");
}

void run(Options const& options) {
  auto samples       = options.is_csv ? read_csv(options.input, options.separator, options.header, options.every)
                                      : read_volume(options.input, options.every);
  auto const results = correlate(samples, options.repeat, options.compare);
  auto const& ours   = results.ours;

  Table table(samples.description + ": " + std::to_string(samples.rows) + " samples of " +
              std::to_string(samples.columns) + " columns on " + Kokkos::DefaultExecutionSpace::name());
  add_times(table, results);
  table.row("memory of the shadow",
            results.shadow_bytes > 0 ? megabytes(double(results.shadow_bytes)) : "none: the original was read");
  if (results.plain)
    table.row("largest difference between the two results",
              number(results.largest_difference, 2) + ", where rounding allows " + number(results.rounding, 2));
  if (samples.not_finite > 0) table.row("voxels not finite, taken as 0", std::to_string(samples.not_finite));
  std::vector<std::string> constant;
  for (std::size_t c = 0; c < ours.columns(); ++c)
    if (ours.is_constant(c)) constant.push_back(samples.names[c]);
  if (!constant.empty()) table.row("constant columns, which correlate with nothing", listed(constant));
  std::string label = "strongest correlations";
  for (auto const& pair : strongest(ours, std::size_t(options.top))) {
    table.row(label, correlation_text(pair.correlation) + "  " + samples.names[pair.first] + ", " +
                         samples.names[pair.second]);
    label.clear();
  }

  OutputFile picture(options.picture);
  write_png(correlation_picture(ours), picture.temporary());
  picture.commit();
  table.row("written", options.picture.string());
  print(table);
}

}  // namespace
}  // namespace examples::columns

int main(int argc, char** argv) {
  using namespace examples;
  return run_program<columns::Options>("column_statistics", argc, argv, columns::parse_options, columns::run);
}
