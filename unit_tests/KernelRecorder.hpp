// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_KERNEL_RECORDER_HPP
#define KOALESCE_TEST_KERNEL_RECORDER_HPP

#include <Koalesce/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace Koalesce::Test {

using Strings = std::vector<std::string>;

/// What Kokkos tells its tools while the recorder lives, from whichever thread; one recorder at a time.
class KernelRecorder {
 public:
  struct Kernel {
    std::string name;
    std::uint32_t device;  // of the execution space instance
    bool reduces;
  };

  KernelRecorder() {
    using namespace Kokkos::Tools::Experimental;
    s_record = this;
    set_begin_parallel_for_callback([](char const* name, std::uint32_t device, std::uint64_t*) {
      s_record->add(s_record->kernels, Kernel{name, device, false});
    });
    set_begin_parallel_reduce_callback([](char const* name, std::uint32_t device, std::uint64_t*) {
      s_record->add(s_record->kernels, Kernel{name, device, true});
    });
    // Kokkos fences on behalf of the tools themselves before it calls one.
    set_begin_fence_callback([](char const* name, std::uint32_t, std::uint64_t*) {
      if (std::strstr(name, "Tool Fence") == nullptr) s_record->add(s_record->fences, name);
    });
    set_push_region_callback([](char const* name) { s_record->add(s_record->regions, name); });
    // Kokkos makes its pool of scratch memory when a process first asks for some.
    set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t) {
      if (std::strstr(label, "TeamScratchMemory") == nullptr) s_record->add(s_record->allocations, label);
    });
  }

  ~KernelRecorder() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_fence_callback(nullptr);
    set_push_region_callback(nullptr);
    set_allocate_data_callback(nullptr);
    s_record = nullptr;
  }

  KernelRecorder(KernelRecorder const&)            = delete;
  KernelRecorder& operator=(KernelRecorder const&) = delete;

  Strings kernel_names() const {
    Strings names;
    for (auto const& kernel : kernels) names.push_back(kernel.name);
    return names;
  }

  std::vector<Kernel> kernels;
  Strings fences, regions, allocations;

 private:
  template <class List, class Item>
  void add(List& list, Item const& item) {
    std::lock_guard const lock(m_mutex);
    list.push_back(item);
  }

  std::mutex m_mutex;
  static inline KernelRecorder* s_record = nullptr;
};

/// Expects that call() throws an Error with all these phrases, and that nothing ran.
template <class Call>
void expect_error(Strings const& phrases, Call const& call) {
  KernelRecorder const record;
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected: " << phrases.front();
  } catch (Error const& e) {
    for (auto const& phrase : phrases)
      EXPECT_NE(std::string(e.what()).find(phrase), std::string::npos) << "\"" << phrase << "\" is not in\n"
                                                                       << e.what();
  }
  EXPECT_TRUE(record.kernels.empty());
}

}  // namespace Koalesce::Test

#endif
