// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_SIDE_INSTANCE_HPP
#define KOALESCE_DISTRIBUTED_IMPL_SIDE_INSTANCE_HPP

#include <Koalesce/common/Backend.hpp>

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl {

/// An instance beside the caller's, whose kernels go first where both have some. Where there is but one, it is the
/// caller's; on devices that no backend specializes this for, the host waits.
template <class Exec>
class SideInstance {
 public:
  explicit SideInstance(Exec const& caller) : m_exec(make(caller)) {}

  Exec const& exec() const { return m_exec; }

  /// What it is given from now on follows what the caller's was given so far.
  void follow(Exec const& caller) {
    if constexpr (Backend::on_host<Exec>) m_exec = caller;
    else caller.fence("Koalesce: before work beside it");
  }

  /// The other way around.
  void precede(Exec const&) const {
    if constexpr (!Backend::on_host<Exec>) m_exec.fence("Koalesce: work beside the caller's");
  }

 private:
  static Exec make(Exec const& caller) {
    if constexpr (Backend::on_host<Exec>) return caller;
    else return Kokkos::Experimental::partition_space(caller, 1)[0];
  }

  Exec m_exec;
};

}  // namespace Koalesce::Impl

#endif
