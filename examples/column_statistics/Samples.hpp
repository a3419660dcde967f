// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COLUMN_STATISTICS_SAMPLES_HPP
#define COLUMN_STATISTICS_SAMPLES_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace examples::columns {

/// A table of numbers, a sample a row, in the order of the file: row after row.
struct Samples {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;
  std::vector<std::string> names;  ///< of the columns
  std::string description;         ///< of where it comes from
  std::int64_t not_finite = 0;     ///< NaN and infinite voxels of a volume; they count as 0
};

/// Whether a CSV file's first line has names.
enum class Header {
  automatic,  ///< it has if none of its cells is a number
  yes,
  no
};

/// \brief Reads comma-separated values.
///
/// Cells may be in double quotes; lines may end as on Windows; blank lines are left out. All cells but names are finite
/// numbers with a decimal point.
///
/// \param[in] every only every so many-th sample is kept.
/// \throws std::runtime_error anything else, with the line and the column.
Samples read_csv(std::filesystem::path const& file, char separator, Header header, std::int64_t every);

/// \brief The voxels of a volume as columns, one for each of the slices that lie one behind the other along the file's
/// x axis, the fastest; so rows are as the file has them.
/// \throws std::runtime_error as read_nifti.
Samples read_volume(std::filesystem::path const& file, std::int64_t every);

}  // namespace examples::columns

#endif
