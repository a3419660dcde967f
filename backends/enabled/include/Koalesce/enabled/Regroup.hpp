// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_REGROUP_HPP
#define KOALESCE_ENABLED_REGROUP_HPP

#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/openmp/regroup/Regroup.hpp>
#include <Koalesce/openmp/regroup/Until.hpp>
#include <Koalesce/portable/regroup/Regroup.hpp>
#include <Koalesce/portable/regroup/Until.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/regroup/Regroup.hpp>
#include <Koalesce/cuda/regroup/TeamRegrouping.hpp>
#include <Koalesce/cuda/regroup/Until.hpp>
#endif

#endif
