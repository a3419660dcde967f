// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_BACKEND_HPP
#define KOALESCE_COMMON_BACKEND_HPP

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

/// The backends: implementations of the patterns. A backend is a tag, defined in a folder of backends/. It implements a
/// pattern as functions that take this tag.
namespace Koalesce::Backend {

/// Whether an execution space's threads are CPU threads.
template <class Exec>
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible &&
    std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Maps an execution space to its backend: `type` is the tag of the backend that runs unless the caller names another.
/// Defined in backends/enabled/include/Koalesce/enabled/Backends.hpp.
template <class Exec>
struct DefaultFor;

/// The backend that an execution space runs on unless the caller names another.
template <class Exec>
using Default = typename DefaultFor<Exec>::type;

/// Stands for the execution space's default backend.
///
/// Koalesce's own policies name another one by with_backend(), as in `policy.with_backend(Backend::Portable{})`.
/// Functions without such a policy take it as their first template argument: `transpose<Backend::Portable>(...)`. Only
/// fill_halo() and the functions of a Domain, such as exchange_halo(), take none: they are the same for all.
struct Native {};

}  // namespace Koalesce::Backend

namespace Koalesce::Impl {

template <class BackendTag, class Exec>
struct ResolveBackend {
  using type = BackendTag;
};
template <class Exec>
struct ResolveBackend<Backend::Native, Exec> {
  using type = Backend::Default<Exec>;
};

/// The backend that a tag stands for: itself, or what Native means for the execution space.
template <class BackendTag, class Exec>
using Resolve = typename ResolveBackend<BackendTag, Exec>::type;

/// A kernel's name for profilers: the backend that ran, then what the caller calls it.
template <class BackendTag>
std::string kernel_label(BackendTag, std::string const& label) {
  std::string name;
  name.reserve(32 + label.size());  // one allocation: every call of every pattern makes such names
  return name.append("Koalesce::").append(BackendTag::name).append("::").append(label);
}

/// What the caller calls a kernel of this name, as errors say it.
inline std::string label_of_kernel(std::string const& name) {
  auto const backend = name.find("::");
  auto const label   = backend == std::string::npos ? backend : name.find("::", backend + 2);
  return label == std::string::npos ? name : name.substr(label + 2);
}

}  // namespace Koalesce::Impl

#endif
