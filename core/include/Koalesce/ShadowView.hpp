// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_VIEW_HPP
#define KOALESCE_SHADOW_VIEW_HPP

/// \file
/// Matrices that are transposed while they are read: ShadowView, parallel_read; one result per row or
/// column: parallel_reduce_rows, parallel_reduce_columns; and the half-warp's tile for kernels of
/// your own.

#include <Koalesce/enabled/Shadow.hpp>
#include <Koalesce/shadow/HalfWarpTile.hpp>
#include <Koalesce/shadow/ParallelRead.hpp>
#include <Koalesce/shadow/ReduceLines.hpp>
#include <Koalesce/shadow/ShadowView.hpp>

#endif
