// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Monte Carlo transport of light through a head: a photon's history has some ten flights, or thousands if it was split
// in what lies deep, so that the lanes of a warp wait for the longest of their histories. In
// Koalesce::parallel_regroup_until_reduce those that are done take the next one. History.hpp has its functors,
// Transport.cpp both loops; see --help.

#include "../common/OutputFile.hpp"
#include "../common/Program.hpp"
#include "../common/ProgressBar.hpp"
#include "DosePicture.hpp"
#include "Head.hpp"
#include "Options.hpp"
#include "Transport.hpp"

#include <Koalesce/Tuning.hpp>

#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

namespace examples::transport {
namespace {

std::string share(double part, double of) { return number(100 * part / of, 4) + " %"; }

void add_times(Table& table, Result const& ours, std::optional<Result> const& plain) {
  std::int64_t happened = 0;
  for (auto const count : ours.tally.count) happened += count;
  auto const time = [](Result const& r) { return number(r.seconds, 4) + " s"; };
  auto const rate = [&](Result const& r) { return number(1e-6 * double(happened) / r.seconds, 3); };
  if (plain) {
    table.values("", {"plain Kokkos", "Koalesce", "speed"});
    table.values("time of all histories", {time(*plain), time(ours), number(plain->seconds / ours.seconds, 3) + " x"});
    table.values("million events a second", {rate(*plain), rate(ours)});
  } else {
    table.row("time of all histories", time(ours));
    table.row("million events a second", rate(ours));
  }
  for (int e = 0; e < events; ++e)
    table.row(std::string("event ") + event_names[e],
              std::to_string(ours.tally.count[e]) + " (" + share(double(ours.tally.count[e]), double(happened)) + ")");
  if (ours.tally.unsplit > 0) table.row("splits left out, for lack of room", std::to_string(ours.tally.unsplit));
}

void add_weights(Table& table, Head const& head, Result const& ours, std::int64_t photons) {
  double const all = double(photons) * double(whole);
  std::array<double, tissues> absorbed{};
  std::array<std::int64_t, tissues> cells{};
  for (std::int64_t c = 0; c < head.cells(); ++c) {
    absorbed[int(head.tissue[c])] += double(ours.dose[c]);
    ++cells[int(head.tissue[c])];
  }
  double const cm3 = 1e-3 * head.spacing[0] * head.spacing[1] * head.spacing[2];
  for (int t = 1; t < tissues; ++t)
    table.row(
        std::string("weight absorbed in ") + materials[t].name + ", " + number(double(cells[t]) * cm3, 4) + " cm3",
        share(absorbed[t], all));
  table.row("weight escaped", share(double(ours.tally.escaped), all));
  table.row("weight that roulette lost - won", share(double(ours.tally.lost), all));
  table.row("weight missing", "none: to the last of 2^-32");
}

/// A number that says whether two runs absorbed the same everywhere.
std::string fingerprint(std::vector<Weight> const& dose) {
  std::uint64_t hash = 0;
  for (auto const weight : dose) hash = (hash ^ weight) * 0x100000001b3U + (hash >> 32);
  char text[20];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

void run(Options const& options) {
  auto const volume = read_nifti(options.input);
  auto const head   = segment(volume, options.add_skull, options.input.string());

  std::optional<Result> plain;
  // The first launch of a kernel takes longer.
  Settings few = options.settings;
  few.photons  = 16;
  if (options.compare) {
    transport_plain(head, few, [](double) {});
    plain = transport_plain(head, options.settings, progress_bar("plain Kokkos"));
  }
  transport(head, few, options.regroup, [](double) {});
  auto const ours = transport(head, options.settings, options.regroup, progress_bar("Koalesce"));
  if (plain && plain->dose != ours.dose) throw std::runtime_error("plain Kokkos and Koalesce give different doses");

  Table table(options.input.filename().string() + ", " + std::to_string(head.size[0]) + " x " +
              std::to_string(head.size[1]) + " x " + std::to_string(head.size[2]) + " cells, " +
              std::to_string(options.settings.photons) + " photons on " + Kokkos::DefaultExecutionSpace::name());
  add_times(table, ours, plain);
  add_weights(table, head, ours, options.settings.photons);
  table.row("dose", fingerprint(ours.dose) + (plain ? ", the same in both runs" : ""));
  for (auto const& decision : Koalesce::tuning_decisions(loop))
    if (decision.decided) table.row("decided for " + decision.extents, decision.why);
  if (volume.not_finite > 0) table.row("voxels not finite, taken as 0", std::to_string(volume.not_finite));

  OutputFile picture(options.picture);
  write_png(dose_picture(head, ours.dose, options.settings.photons, patient_axis(options.settings.side)),
            picture.temporary());
  picture.commit();
  table.row("written", options.picture.string());
  print(table);
  if (options.show_decisions)
    for (auto const& decision : Koalesce::tuning_decisions(loop)) std::cout << decision;
}

}  // namespace
}  // namespace examples::transport

int main(int argc, char** argv) {
  using namespace examples;
  return run_program<transport::Options>("transport", argc, argv, transport::parse_options, transport::run);
}
