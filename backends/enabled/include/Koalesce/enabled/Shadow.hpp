// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_SHADOW_HPP
#define KOALESCE_ENABLED_SHADOW_HPP

#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/enabled/Transpose.hpp>
#include <Koalesce/openmp/shadow/Read.hpp>
#include <Koalesce/openmp/shadow/ReduceLines.hpp>
#include <Koalesce/portable/shadow/Read.hpp>
#include <Koalesce/portable/shadow/ReduceLines.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/shadow/HalfWarpReader.hpp>
#include <Koalesce/cuda/shadow/Read.hpp>
#include <Koalesce/cuda/shadow/ReduceLines.hpp>
#endif

#endif
