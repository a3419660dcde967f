// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_FINALIZE_HOOK_HPP
#define KOALESCE_COMMON_IMPL_FINALIZE_HOOK_HPP

#include <Kokkos_Core.hpp>

#include <functional>
#include <mutex>
#include <utility>

namespace Koalesce::Impl {

/// Kokkos::push_finalize_hook() for several host threads: Kokkos takes no lock.
inline void push_finalize_hook(std::function<void()> hook) {
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  Kokkos::push_finalize_hook(std::move(hook));
}

}  // namespace Koalesce::Impl

#endif
