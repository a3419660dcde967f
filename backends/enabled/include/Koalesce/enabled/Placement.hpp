// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_PLACEMENT_HPP
#define KOALESCE_ENABLED_PLACEMENT_HPP

#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/openmp/placement/Placement.hpp>
#include <Koalesce/portable/placement/Placement.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/placement/Placement.hpp>
#endif

#endif
