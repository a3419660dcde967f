// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_KOALESCE_HPP
#define KOALESCE_KOALESCE_HPP

/// \file
/// All of Koalesce but Distributed.hpp and Checkpoint.hpp, which need MPI.

/// \namespace Koalesce
/// Views and parallel patterns for Kokkos.

#include <Koalesce/Configuration.hpp>
#include <Koalesce/Placement.hpp>
#include <Koalesce/Regroup.hpp>
#include <Koalesce/ShadowView.hpp>
#include <Koalesce/Stencil.hpp>
#include <Koalesce/Transpose.hpp>
#include <Koalesce/Tuning.hpp>
#include <Koalesce/Version.hpp>

#endif
