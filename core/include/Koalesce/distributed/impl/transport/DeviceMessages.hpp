// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_DEVICE_MESSAGES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_DEVICE_MESSAGES_HPP

namespace Koalesce::Impl {

/// Messages between devices by a library of theirs. A backend that has one specializes it, with `exists = true`, and
///
///     possible(ranks)                         whether every process has a device of its own; collective
///     DeviceMessages(ranks, messages, bytes)  a HaloTransport
template <class Exec>
class DeviceMessages {
 public:
  static constexpr bool exists = false;
};

/// Whether MPI takes pointers to the memory of an execution space. Specialized by backends.
template <class Exec>
struct MpiOnDevice {
  static bool works() { return false; }
};

}  // namespace Koalesce::Impl

#endif
