// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilWeighted.hpp"

void perf::add_13_points(Grid const& grid) { add_weighted_types<Koalesce::Star<2, 2, 2>>("13pt", grid); }
