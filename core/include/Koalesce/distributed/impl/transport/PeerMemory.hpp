// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MEMORY_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MEMORY_HPP

#include <cstdint>
#include <vector>

namespace Koalesce::Impl {

/// Where flags lie, of this process or of others.
using PeerFlags = std::vector<std::uint64_t*>;

/// Device memory that kernels of other processes of a host can write to, where an execution space's devices can do
/// that. It then has `exists = true`, and
///
///     possible()                         whether this device can
///     Handle                             bytes by which another process opens the memory
///     allocate(bytes), free(memory)      a null pointer if there is none; all its bytes are 0
///     handle_of(memory, handle)          whether there is one
///     open(handle), close(memory)        a null pointer if it cannot be opened
///
/// and of flags in such memory, numbers that grow:
///
///     set(exec, flags, number)           after all that the instance was given, and what its kernels wrote is seen
///     wait(exec, flags, number)          before all that the instance is given from now on; no kernel waits
template <class Exec>
struct PeerMemory {
  static constexpr bool exists = false;
};

}  // namespace Koalesce::Impl

#endif
