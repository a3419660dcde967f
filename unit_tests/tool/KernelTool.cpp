// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for Kokkos Tools (KOKKOS_TOOLS_LIBS): which kernels ran, and on how many instances. It prints a line per
// kernel when Kokkos is finalized.

#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

std::mutex access;
std::map<std::string, std::set<std::uint32_t>> instances;  // of every kernel

void saw(char const* kernel, std::uint32_t instance) {
  std::lock_guard const lock(access);
  instances[kernel].insert(instance);
}

}  // namespace

extern "C" {

void kokkosp_begin_parallel_for(char const* name, std::uint32_t instance, std::uint64_t*) { saw(name, instance); }
void kokkosp_begin_parallel_reduce(char const* name, std::uint32_t instance, std::uint64_t*) { saw(name, instance); }
void kokkosp_begin_parallel_scan(char const* name, std::uint32_t instance, std::uint64_t*) { saw(name, instance); }

void kokkosp_finalize_library() {
  for (auto const& [kernel, on] : instances) std::cout << on.size() << " instances: " << kernel << '\n';
  std::cout << std::flush;
}
}
