// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_TRANSPOSE_HPP
#define KOALESCE_ENABLED_TRANSPOSE_HPP

#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/openmp/transpose/Structs.hpp>
#include <Koalesce/openmp/transpose/Transpose.hpp>
#include <Koalesce/portable/transpose/Structs.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/transpose/Structs.hpp>
#include <Koalesce/cuda/transpose/Transpose.hpp>
#endif

#endif
