// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_STENCIL_HPP
#define KOALESCE_ENABLED_STENCIL_HPP

#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/openmp/stencil/BoundedStencil.hpp>
#include <Koalesce/openmp/stencil/FusedSteps.hpp>
#include <Koalesce/openmp/stencil/Stencil.hpp>
#include <Koalesce/portable/stencil/FusedSteps.hpp>
#include <Koalesce/portable/stencil/Stencil.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/stencil/BoundedStencil.hpp>
#include <Koalesce/cuda/stencil/Stencil.hpp>
#endif

#endif
