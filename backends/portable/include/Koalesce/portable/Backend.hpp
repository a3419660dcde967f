// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_BACKEND_HPP
#define KOALESCE_PORTABLE_BACKEND_HPP

#include <Koalesce/common/Backend.hpp>

#include <type_traits>

/// The functions that make up the backend: each takes the Tag, by which argument-dependent lookup finds it.
namespace Koalesce::Impl::PortableBackend {

struct Tag {
  static constexpr char const* name = "portable";  ///< in kernels' labels
};

/// Backend::Portable itself, and what derives from it.
template <class T>
concept RunsPortable = std::is_base_of_v<Tag, T>;

}  // namespace Koalesce::Impl::PortableBackend

namespace Koalesce::Backend {

/// Kokkos alone (TeamPolicy and scratch memory): runs on every execution space. A backend that derives from it runs,
/// under its own name, what this one does wherever it has no overload.
using Portable = Impl::PortableBackend::Tag;

}  // namespace Koalesce::Backend

#endif
