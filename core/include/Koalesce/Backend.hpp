// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_BACKEND_HPP
#define KOALESCE_BACKEND_HPP

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

/// The ways a pattern can run. A backend is a tag; each implements a pattern as one overload that takes it.
namespace Koalesce::Backend {

/// Kokkos alone (TeamPolicy and scratch memory): runs on every execution space. A backend that derives from it runs,
/// under its own name, what this one does wherever it has no overload.
struct Portable {
  static constexpr char const* name = "portable";  ///< in kernels' labels
};

/// Loops that vectorize, for execution spaces whose threads are CPU threads.
struct OpenMP {
  static constexpr char const* name = "openmp";  ///< in kernels' labels
};

/// Native CUDA kernels.
struct Cuda {
  static constexpr char const* name = "cuda";  ///< in kernels' labels
};

/// Whether an execution space's threads are CPU threads.
template <class Exec>
inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible&&
    std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// The one place that chooses: the backend an execution space runs on unless the caller names another.
template <class Exec>
struct DefaultFor {
  using type = std::conditional_t<on_host<Exec>, OpenMP, Portable>;  ///< one of the tags
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct DefaultFor<Kokkos::Cuda> {
  using type = Cuda;
};
#endif

/// The backend that an execution space runs on unless the caller names another.
template <class Exec>
using Default = typename DefaultFor<Exec>::type;

/// Stands for the execution space's own backend where a function takes a backend.
struct Native {};

/// The backend that a tag stands for: itself, or what Native means for the execution space.
template <class BackendTag, class Exec>
using Resolve = std::conditional_t<std::is_same_v<BackendTag, Native>, Default<Exec>, BackendTag>;

}  // namespace Koalesce::Backend

namespace Koalesce::Impl {

/// Backend::Portable itself, and what derives from it.
template <class Tag>
concept RunsPortable = std::is_base_of_v<Backend::Portable, Tag>;

/// The backends that are compiled in.
inline constexpr char const* backend_names[] = {
#ifdef KOKKOS_ENABLE_CUDA
    Backend::Cuda::name,
#endif
    Backend::OpenMP::name, Backend::Portable::name};

/// A kernel's name for profilers: the path that ran, then what the caller calls it.
template <class BackendTag>
std::string kernel_label(BackendTag, std::string const& label) {
  std::string name("Koalesce::");
  return name.append(BackendTag::name).append("::").append(label);
}

}  // namespace Koalesce::Impl

#endif
