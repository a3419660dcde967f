// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MEMORY_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MEMORY_HPP

namespace Koalesce::Impl {

/// Device memory that kernels of other processes of a host can write to, where an execution space's devices can do
/// that. It then has `exists = true`, and
///
///     Handle                             bytes by which another process opens the memory
///     allocate(bytes), free(memory)      a null pointer if there is none
///     handle_of(memory, handle)          whether there is one
///     open(handle), close(memory)        a null pointer if it cannot be opened
///
/// and the same of events, which an instance records, and instances of other processes wait for:
///
///     Event, EventHandle
///     make_event(event), free_event(event), event_handle_of(event, handle), open_event(handle, event)
///     record(event, exec), wait(exec, event)
template <class Exec>
struct PeerMemory {
  static constexpr bool exists = false;
};

}  // namespace Koalesce::Impl

#endif
