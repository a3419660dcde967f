// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_ALLOCATION_BALANCE_HPP
#define KOALESCE_TEST_ALLOCATION_BALANCE_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace Koalesce::Test {

/// What Kokkos has allocated less what it has freed while the balance lives; one at a time.
class AllocationBalance {
 public:
  AllocationBalance() {
    using namespace Kokkos::Tools::Experimental;
    s_bytes = 0;
    s_labels.clear();
    set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* label, void const* memory,
                                  std::uint64_t bytes) { add(label, memory, std::int64_t(bytes)); });
    set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* label, void const* memory,
                                    std::uint64_t bytes) { add(label, memory, -std::int64_t(bytes)); });
  }
  ~AllocationBalance() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  AllocationBalance(AllocationBalance const&)            = delete;
  AllocationBalance& operator=(AllocationBalance const&) = delete;

  std::int64_t bytes() const { return s_bytes; }

  /// The labels of what was allocated and is still there.
  std::string labels() const {
    std::lock_guard const lock(s_mutex);
    std::string text;
    for (auto const& [memory, label] : s_labels) text += (text.empty() ? "" : ", ") + label;
    return text;
  }

 private:
  static void add(char const* label, void const* memory, std::int64_t bytes) {
    std::lock_guard const lock(s_mutex);
    s_bytes += bytes;
    if (bytes > 0) s_labels.emplace(memory, label);
    else s_labels.erase(memory);
  }

  static inline std::int64_t s_bytes = 0;
  static inline std::map<void const*, std::string> s_labels;
  static inline std::mutex s_mutex;
};

}  // namespace Koalesce::Test

#endif
