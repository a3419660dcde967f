// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_HPP
#define KOALESCE_TRANSPOSE_HPP

/// \file
/// Transpositions: transpose, copy_layout, copy_structs.

#include <Koalesce/enabled/Transpose.hpp>
#include <Koalesce/transpose/CopyStructs.hpp>
#include <Koalesce/transpose/Transpose.hpp>

#endif
