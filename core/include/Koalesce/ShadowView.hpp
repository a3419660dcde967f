// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_VIEW_HPP
#define KOALESCE_SHADOW_VIEW_HPP

/// \file
/// Matrices that are transposed while they are read: ShadowView, parallel_read; and the half-warp's tile for kernels of
/// your own.

#include <Koalesce/enabled/Shadow.hpp>
#include <Koalesce/shadow/HalfWarpTile.hpp>
#include <Koalesce/shadow/ParallelRead.hpp>
#include <Koalesce/shadow/ShadowView.hpp>

#endif
