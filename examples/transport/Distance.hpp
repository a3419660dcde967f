// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_DISTANCE_HPP
#define TRANSPORT_DISTANCE_HPP

#include "Head.hpp"

#include <cstdint>
#include <vector>

namespace examples::transport {

/// A set of a grid's cells.
using Cells = std::vector<std::uint8_t>;

/// Nearly the distance, in mm, of every cell to the nearest of a set: along edges and diagonals of cells.
std::vector<float> distance(Head const& head, Cells const& from);

Cells within(std::vector<float> const& distances, double most);

/// The cells that a walk from the grid's border comes to without entering the obstacle.
Cells reachable_from_border(Head const& head, Cells const& obstacle);

}  // namespace examples::transport

#endif
