// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COLUMN_STATISTICS_STATISTICS_HPP
#define COLUMN_STATISTICS_STATISTICS_HPP

#include "Samples.hpp"

#include <optional>
#include <string>
#include <vector>

namespace examples::columns {

/// What one implementation made of a table, and how fast.
struct Correlation {
  std::vector<double> mean, deviation;  ///< by column; the deviation of samples, with n - 1
  std::vector<double> matrix;           ///< row after row; NaN where one of the two columns is constant
  double statistics_seconds  = 0;       ///< medians
  double correlation_seconds = 0;
  double total_seconds       = 0;

  std::size_t columns() const { return mean.size(); }
  double at(std::size_t i, std::size_t j) const { return matrix[i * columns() + j]; }
  bool is_constant(std::size_t i) const { return deviation[i] == 0; }
};

struct Results {
  Correlation ours;
  std::optional<Correlation> plain;
  double largest_difference = 0;  ///< of two correlations
  double rounding           = 0;  ///< how large it may be
  std::size_t shadow_bytes  = 0;  ///< 0 where there was no memory for it
  double statistics_bytes   = 0;  ///< what each pass reads, with every repetition of a column
  double correlation_bytes  = 0;
};

/// \brief Correlates through Koalesce::ShadowView and, to compare, in plain Kokkos.
/// \param[in] samples is emptied, for its memory.
/// \throws std::runtime_error fewer than two samples, more columns than a matrix of them should have, values whose
/// squares are too large or too small, or results that differ by more than rounding explains.
Results correlate(Samples& samples, int repeat, bool compare);

/// Two columns, the first one before the second.
struct Pair {
  std::size_t first, second;
  double correlation;
};

/// The pairs with the largest correlation, whatever its sign.
std::vector<Pair> strongest(Correlation const& correlation, std::size_t count);

}  // namespace examples::columns

#endif
