// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PROVENANCE_HPP
#define KOALESCE_PROVENANCE_HPP

#include <string>

/// What a result of the tests or of the performance tests has to say of where it comes from.
namespace Provenance {

/// The commit of this build, with "+changes" if files differ from it or are not in it; "unknown" outside a repository.
char const* git_commit();

/// The GPU's name, or the processor's and how many threads run on it. Kokkos must be initialized.
std::string machine();

std::string compiler();

/// Kokkos' backends; GPUs' with the version of their toolkit.
std::string backends();

/// As Kokkos' releases are called.
std::string kokkos_version();

}  // namespace Provenance

#endif
