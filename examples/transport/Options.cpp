// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "../common/RegroupOption.hpp"

#include <map>
#include <string>

namespace examples::transport {
namespace {

std::map<std::string, Side> const side_names{
    {"right", Side::right}, {"left", Side::left}, {"front", Side::front}, {"back", Side::back}, {"top", Side::top}};

void check(Options& o) {
  auto const& s = o.settings;
  require(s.photons >= 1 && s.photons <= 100000000, "--photons must be 1 to 100000000");
  require(s.batch >= 0 && s.batch <= 100000000, "--batch must be 0 to 100000000");
  check_threads(o.threads);
  require(!o.input.empty(), "no volume given; see --help");
  if (o.picture.empty()) o.picture = stem(o.input) + "_dose.png";
  check_picture_name(o.picture);
  check_output(o.picture, o.input);
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Follows photons of a beam of near-infrared light through a head, whose tissues come from an MRI volume: they\n"
      "are scattered, absorbed in part, split where they matter more, lost, and escape. Some histories are a hundred\n"
      "times as long as others: threads that are done take the next ones (Koalesce::parallel_regroup_until_reduce).\n"
      "A plain Kokkos loop runs to compare: the histories are the same. Prints a table of times, events and weights;\n"
      "writes a picture of the dose.\n",
      "transport");
  std::string input, picture, side = "left";
  std::int64_t seed = 1;
  bool no_compare = false, no_skull = false;
  auto* const file =
      app.add_option("volume", input,
                     "NIfTI-1 (.nii, .nii.gz, .hdr + .img) or Analyze 7.5 file, 3-D. Tissues are told apart by "
                     "brightness, as in T1-weighted MRI.");
#ifdef KOALESCE_MRI_DATA
  input = KOALESCE_MRI_DATA;
  file->capture_default_str();
#else
  file->required();
#endif
  auto const names = [](auto const& all) {
    std::vector<std::string> result;
    result.reserve(all.size());
    for (auto const& [name, value] : all) result.push_back(name);
    return CLI::IsMember(result);
  };
  app.add_option("-p,--picture,-o,--output", picture,
                 "Picture, .png: tissues, and dose in two slices through the beam. Default: <volume>_dose.png here.");
  app.add_option("-n,--photons", o.settings.photons, "How many start.")->capture_default_str();
  app.add_option("--beam", side, "Where the beam comes from, in terms of the patient.")
      ->check(names(side_names))
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed of the random numbers.")->capture_default_str();
  app.add_option(
         "--batch", o.settings.batch,
         "Histories of a loop; the first loops are timed to choose how the rest runs. 0: at least 16384, and 16 "
         "for each thread that the device runs at a time.")
      ->capture_default_str();
  add_regroup_option(app, o.regroup,
                     "Whether those that are done take the next history; automatic: if measuring says that it pays.");
  app.add_flag("--no-skull", no_skull,
               "Do not put a skull and a scalp around what the volume shows, because it has them itself.");
  app.add_flag("--no-compare", no_compare, "Do not run plain Kokkos for comparison.");
  app.add_flag("--decisions", o.show_decisions, "Print everything that the library measured and decided, too.");
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;
  o.input   = input;
  o.picture = picture;
  require(seed >= 0, "--seed must be 0 or more");
  o.settings.seed = std::uint64_t(seed);
  o.settings.side = side_names.at(side);
  o.compare       = !no_compare;
  o.add_skull     = !no_skull;
  check(o);
  return true;
}

}  // namespace examples::transport
