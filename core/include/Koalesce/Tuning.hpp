// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_HPP
#define KOALESCE_TUNING_HPP

/// \file
/// How all patterns choose among kernels that do the same work.

#include <Koalesce/tuning/Tuning.hpp>

#endif
