// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_HPP
#define KOALESCE_PLACEMENT_HPP

/// \file
/// Arrays on chip: parallel_placed, tune_placement.

#include <Koalesce/enabled/Placement.hpp>
#include <Koalesce/placement/ParallelPlaced.hpp>

#endif
