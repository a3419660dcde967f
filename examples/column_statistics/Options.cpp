// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"

#include <string>

namespace examples::columns {

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Standardises the columns of a table, a sample a row, and correlates each with each: twice, on the table as the\n"
      "file has it in plain Kokkos, and through Koalesce::ShadowView, which transposes it while it is first read.\n"
      "Prints a table of both times and of the strongest correlations; writes a picture of the correlation matrix.\n",
      "column_statistics");
  std::string volume, csv, header = "auto", separator = ",", folder = ".";
  auto* const volume_option =
      app.add_option("--volume", volume,
                     "Take the table from a 3-D MRI volume: a column is a slice across the file's x axis, a sample its "
                     "voxels at one place (y, z). NIfTI-1 or Analyze 7.5 file.");
#ifdef KOALESCE_MRI_DATA
  volume = KOALESCE_MRI_DATA;
  volume_option->capture_default_str();
#endif
  auto* const csv_option =
      app.add_option("--csv", csv,
                     "Take it from a file of comma-separated numbers; cells may be in double quotes. Cells that are "
                     "missing, no numbers or not finite are errors.")
          ->excludes(volume_option);
  app.add_option("--header", header,
                 "Whether the first line of the CSV file has names; auto: it has if none of its cells is a number.")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  app.add_option("--separator", separator, "What separates the cells of the CSV file: a character, or tab.")
      ->capture_default_str();
  app.add_option("--every", o.every, "Keep only every so many-th sample.")->capture_default_str();
  app.add_option("--out-dir", folder, "Folder for the picture, <name>_correlation.png.")->capture_default_str();
  app.add_option("--top", o.top, "How many of the strongest correlations are printed.")->capture_default_str();
  app.add_option("--repeat", o.repeat, "The times are medians of so many runs.")->capture_default_str();
  bool no_compare = false;
  app.add_flag("--no-compare", no_compare, "Do not run plain Kokkos for comparison.");
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;

  o.compare = !no_compare;
  o.header  = header == "yes" ? Header::yes : header == "no" ? Header::no : Header::automatic;
  o.is_csv  = csv_option->count() > 0;
  o.input   = o.is_csv ? csv : volume;
  require(!o.input.empty(), "no table given; see --help");
  require(o.every >= 1 && o.every <= 1000000000, "--every must be 1 to 1000000000");
  require(o.top >= 0 && o.top <= 1000, "--top must be 0 to 1000");
  require(o.repeat >= 1 && o.repeat <= 1000, "--repeat must be 1 to 1000");
  check_threads(o.threads);
  if (separator == "tab" || separator == "\\t") separator = "\t";
  require(separator.size() == 1, "--separator must be one character, or tab");
  o.separator = separator[0];
  require(std::string("\"+-.0123456789\r\n").find(o.separator) == std::string::npos,
          "--separator must not be a character that cells have");
  o.picture = (std::filesystem::path(folder) / (stem(o.input) + "_correlation.png")).lexically_normal();
  check_output(o.picture, o.input);
  return true;
}

}  // namespace examples::columns
