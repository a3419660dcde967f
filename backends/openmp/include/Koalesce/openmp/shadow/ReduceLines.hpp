// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_SHADOW_REDUCE_LINES_HPP
#define KOALESCE_OPENMP_SHADOW_REDUCE_LINES_HPP

#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/portable/shadow/ReduceLines.hpp>

namespace Koalesce::Impl::OpenMPBackend {

using PortableBackend::run_line_reduction;

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
