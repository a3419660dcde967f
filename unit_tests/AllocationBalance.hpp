// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_ALLOCATION_BALANCE_HPP
#define KOALESCE_TEST_ALLOCATION_BALANCE_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <mutex>

namespace Koalesce::Test {

/// What Kokkos has allocated less what it has freed while the balance lives; one at a time.
class AllocationBalance {
 public:
  AllocationBalance() {
    using namespace Kokkos::Tools::Experimental;
    s_bytes = 0;
    set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) { add(std::int64_t(bytes)); });
    set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t bytes) { add(-std::int64_t(bytes)); });
  }
  ~AllocationBalance() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  AllocationBalance(AllocationBalance const&)            = delete;
  AllocationBalance& operator=(AllocationBalance const&) = delete;

  std::int64_t bytes() const { return s_bytes; }

 private:
  static void add(std::int64_t bytes) {
    std::lock_guard const lock(s_mutex);
    s_bytes += bytes;
  }

  static inline std::int64_t s_bytes = 0;
  static inline std::mutex s_mutex;
};

}  // namespace Koalesce::Test

#endif
