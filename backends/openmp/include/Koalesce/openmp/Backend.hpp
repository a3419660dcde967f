// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_BACKEND_HPP
#define KOALESCE_OPENMP_BACKEND_HPP

#include <Koalesce/common/Backend.hpp>

/// The functions that make up the backend: each takes the Tag, by which argument-dependent lookup finds it.
namespace Koalesce::Impl::OpenMPBackend {

struct Tag {
  static constexpr char const* name = "openmp";  ///< in kernels' labels
};

}  // namespace Koalesce::Impl::OpenMPBackend

namespace Koalesce::Backend {

/// Loops that vectorize, for execution spaces whose threads are CPU threads.
using OpenMP = Impl::OpenMPBackend::Tag;

}  // namespace Koalesce::Backend

#endif
