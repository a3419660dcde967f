// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_HALO_TRANSPORT_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_HALO_TRANSPORT_HPP

#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// Carries the messages of one exchange, again and again, from one process' device to another's.
template <class Exec>
class HaloTransport {
 public:
  /// Of each message, where kernels write or read it.
  using Places = Kokkos::View<MessagePlace**, Kokkos::LayoutRight, typename Exec::memory_space>;

  HaloTransport()                                = default;
  virtual ~HaloTransport()                       = default;
  HaloTransport(HaloTransport const&)            = delete;
  HaloTransport& operator=(HaloTransport const&) = delete;

  /// Before messages are packed.
  virtual void begin(Exec const&) {}
  /// Where the next messages are packed, and where those that have come are.
  virtual MessagePlace const* send_places() const    = 0;
  virtual MessagePlace const* receive_places() const = 0;
  /// After they are packed: what the instance is given from now on sees those of neighbors.
  virtual void exchange(Exec const& exec, HaloHeader const& header, std::string const& where) = 0;

 protected:
  /// Rows of places on the device.
  static Places places_on_device(std::vector<std::vector<MessagePlace>> const& places) {
    Places const device("Koalesce::places of messages", places.size(), places.empty() ? 0 : places[0].size());
    auto const host = Kokkos::create_mirror_view(device);
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = 0; j < places[i].size(); ++j) host(i, j) = places[i][j];
    Kokkos::deep_copy(device, host);
    return device;
  }

  /// Each message in a buffer.
  static std::vector<MessagePlace> places_in(std::byte* buffer, std::vector<HaloMessage> const& messages) {
    std::vector<MessagePlace> places;
    places.reserve(messages.size());
    for (auto const& message : messages) places.push_back({buffer + message.begin});
    return places;
  }
};

}  // namespace Koalesce::Impl

#endif
