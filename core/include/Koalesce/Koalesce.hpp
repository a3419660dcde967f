// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_HPP
#define KOALESCE_HPP

/// \file
/// All of Koalesce.

/// \namespace Koalesce
/// Views and parallel patterns for Kokkos.

#include <Koalesce/Configuration.hpp>
#include <Koalesce/HalfWarp.hpp>
#include <Koalesce/HalfWarpTile.hpp>
#include <Koalesce/Halo.hpp>
#include <Koalesce/ParallelRead.hpp>
#include <Koalesce/Placement.hpp>
#include <Koalesce/Regroup.hpp>
#include <Koalesce/ShadowView.hpp>
#include <Koalesce/Stencil.hpp>
#include <Koalesce/TeamRegroup.hpp>
#include <Koalesce/Transpose.hpp>
#include <Koalesce/Version.hpp>

#endif
