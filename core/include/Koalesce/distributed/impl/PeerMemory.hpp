// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_PEER_MEMORY_HPP
#define KOALESCE_DISTRIBUTED_IMPL_PEER_MEMORY_HPP

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl {

/// A place in the work of an instance, to wait for on the host while the instance goes on. Here it does not: record()
/// waits. Specialized by backends whose devices have events.
template <class Exec>
class WorkMark {
 public:
  void record(Exec const& exec) { exec.fence("Koalesce::exchange_halo: packed"); }
  void wait() const {}
};

/// Device memory that other processes of a host can copy to, where an execution space's devices can do that. It then
/// has `exists = true`, and
///
///     Handle                          bytes by which another process opens the memory
///     allocate(bytes), free(memory)   a null pointer if there is none
///     handle_of(memory, handle)       whether there is one
///     open(handle), close(memory)     a null pointer if it cannot be opened
///     copy(exec, to, from, bytes)     asynchronously
template <class Exec>
struct PeerMemory {
  static constexpr bool exists = false;
};

}  // namespace Koalesce::Impl

#endif
