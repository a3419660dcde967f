// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilWeighted.hpp"

void perf::add_25_points(Grid const& grid) { add_weighted_types<Koalesce::Star<4, 4, 4>>("25pt", grid); }
