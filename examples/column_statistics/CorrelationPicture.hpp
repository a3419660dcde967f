// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COLUMN_STATISTICS_CORRELATION_PICTURE_HPP
#define COLUMN_STATISTICS_CORRELATION_PICTURE_HPP

#include "../common/Picture.hpp"
#include "Statistics.hpp"

namespace examples::columns {

/// \brief The matrix in colors from blue, -1, over white, 0, to red, +1, with the numbers of the columns and a color
/// bar.
///
/// Few columns are drawn as large squares; of very many, neighbors share a pixel, which has their mean. Grey is the
/// correlation with a constant column, which has none.
Picture correlation_picture(Correlation const& correlation);

}  // namespace examples::columns

#endif
