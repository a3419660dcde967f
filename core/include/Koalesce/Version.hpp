// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOALESCE_VERSION_HPP
#define KOALESCE_VERSION_HPP

/// \file Version.hpp
/// The library's version. CMake reads the project's version from here.

/// Changes with an incompatible interface.
#define KOALESCE_VERSION_MAJOR 0
/// Changes with a new feature; before 1.0.0 with an incompatible interface, too.
#define KOALESCE_VERSION_MINOR 1
/// Changes with a correction.
#define KOALESCE_VERSION_PATCH 0

/// MAJOR * 10000 + MINOR * 100 + PATCH, for use in `#if`.
#define KOALESCE_VERSION (KOALESCE_VERSION_MAJOR * 10000 + KOALESCE_VERSION_MINOR * 100 + KOALESCE_VERSION_PATCH)

/// "MAJOR.MINOR.PATCH".
#define KOALESCE_VERSION_STRING \
  KOALESCE_IMPL_TEXT(KOALESCE_VERSION_MAJOR, KOALESCE_VERSION_MINOR, KOALESCE_VERSION_PATCH)
/// \cond
// Arguments of a macro are expanded before it is, operands of # are not: hence two.
#define KOALESCE_IMPL_TEXT(major, minor, patch) KOALESCE_IMPL_LITERAL(major, minor, patch)
#define KOALESCE_IMPL_LITERAL(major, minor, patch) #major "." #minor "." #patch
/// \endcond

#endif
