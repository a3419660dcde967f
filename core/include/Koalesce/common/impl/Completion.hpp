// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_COMPLETION_HPP
#define KOALESCE_COMMON_IMPL_COMPLETION_HPP

#include <Kokkos_Core.hpp>

#include <memory>

namespace Koalesce::Impl {

/// The end of the work that an execution space instance has been given so far.
class Completion {
 public:
  virtual ~Completion() = default;

  /// Blocks the calling thread until then.
  virtual void wait() = 0;
};

/// Makes later work of another instance begin after it: this one waits on the host. A backend whose instances can wait
/// for each other on the device specializes it in its folder runtime/.
template <class Exec>
class CompletionOf : public Completion {
 public:
  explicit CompletionOf(Exec const& exec) : m_exec(exec) {}

  void wait() override { m_exec.fence("Koalesce: earlier work has ended"); }

  void precede(Exec const& other) {
    if (!(other == m_exec)) wait();
  }

 private:
  Exec m_exec;
};

/// Later work of `exec` begins after `earlier`, which may be on any execution space, or null.
template <class Exec>
void begin_after(Exec const& exec, Completion* earlier) {
  if (earlier == nullptr) return;
  if (auto* const same = dynamic_cast<CompletionOf<Exec>*>(earlier)) same->precede(exec);
  else earlier->wait();
}

}  // namespace Koalesce::Impl

#endif
