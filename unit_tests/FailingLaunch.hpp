// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_FAILING_LAUNCH_HPP
#define KOALESCE_TEST_FAILING_LAUNCH_HPP

#include <Kokkos_Core.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

namespace Koalesce::Test {

/// While it lives, launches of kernels throw, where `fails` says so of their name and number; one at a time.
class FailingLaunch {
 public:
  using Fails = std::function<bool(std::string const& name, int number)>;

  explicit FailingLaunch(Fails const& fails) : m_fails(fails) {
    using namespace Kokkos::Tools::Experimental;
    s_failing = this;
    set_begin_parallel_for_callback(launch);
    set_begin_parallel_reduce_callback(launch);
  }

  ~FailingLaunch() {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
    s_failing = nullptr;
  }

  FailingLaunch(FailingLaunch const&)            = delete;
  FailingLaunch& operator=(FailingLaunch const&) = delete;

  /// How many have thrown.
  int failures() const { return m_failures; }

 private:
  static void launch(char const* name, std::uint32_t, std::uint64_t*) {
    if (!s_failing->m_fails(name, s_failing->m_launches++)) return;
    ++s_failing->m_failures;
    throw std::runtime_error(std::string("the launch failed: ") + name);
  }

  static inline FailingLaunch* s_failing = nullptr;

  Fails m_fails;
  std::atomic<int> m_launches{0}, m_failures{0};
};

}  // namespace Koalesce::Test

#endif
