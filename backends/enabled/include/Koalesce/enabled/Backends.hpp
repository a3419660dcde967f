// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_BACKENDS_HPP
#define KOALESCE_ENABLED_BACKENDS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/runtime/Machine.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/runtime/Machine.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Completion.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#endif

#include <type_traits>

// Only this folder asks which backends are compiled in: a new one is added here, and to each <Pattern>.hpp beside.
namespace Koalesce::Backend {

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

}  // namespace Koalesce::Backend

namespace Koalesce::Impl {

/// The backends that are compiled in.
inline constexpr char const* backend_names[] = {
#ifdef KOKKOS_ENABLE_CUDA
    Backend::Cuda::name,
#endif
    Backend::OpenMP::name, Backend::Portable::name};

}  // namespace Koalesce::Impl

#endif
