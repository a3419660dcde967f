// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_TRANSPORTS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_TRANSPORTS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/impl/transport/DeviceMessages.hpp>
#include <Koalesce/distributed/impl/transport/HaloTransport.hpp>
#include <Koalesce/distributed/impl/transport/MpiMessages.hpp>
#include <Koalesce/distributed/impl/transport/PeerMessages.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace Koalesce::Impl {

/// Collective.
template <class Exec>
std::unique_ptr<HaloTransport<Exec>> make_transport(Ranks& ranks, std::vector<HaloMessage> const& messages,
                                                    std::int64_t bytes) {
  Transport const by = Backend::on_host<Exec> ? Transport::host : ranks.transport();
  if constexpr (PeerMemory<Exec>::exists)
    if (by == Transport::peers) return std::make_unique<PeerMessages<Exec>>(ranks, messages, bytes);
  if constexpr (DeviceMessages<Exec>::exists)
    if (by == Transport::device) return std::make_unique<DeviceMessages<Exec>>(ranks, messages, bytes);
  return std::make_unique<MpiMessages<Exec>>(ranks, messages, bytes, by == Transport::mpi);
}

}  // namespace Koalesce::Impl

#endif
