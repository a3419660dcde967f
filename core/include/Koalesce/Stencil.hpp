// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_HPP
#define KOALESCE_STENCIL_HPP

/// \file
/// Stencils: parallel_stencil and parallel_stencil_steps, make_field for their fields, fill_halo for what lies around
/// them.

#include <Koalesce/common/ReproducibleSum.hpp>
#include <Koalesce/enabled/Stencil.hpp>
#include <Koalesce/stencil/ActivePoints.hpp>
#include <Koalesce/stencil/FieldList.hpp>
#include <Koalesce/stencil/Halo.hpp>
#include <Koalesce/stencil/MakeField.hpp>
#include <Koalesce/stencil/ParallelStencil.hpp>
#include <Koalesce/stencil/ParallelStencilSteps.hpp>

#endif
