// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_MPI_MESSAGES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_MPI_MESSAGES_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/impl/transport/HaloTransport.hpp>
#include <Koalesce/distributed/impl/transport/HeaderMessages.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl {

/// Messages by MPI, from the memory of kernels, or, where MPI does not take that, by way of the host's.
template <class Exec>
class MpiMessages : public HaloTransport<Exec> {
 public:
  /// \param[in] takes_device  whether MPI takes pointers to the memory of a device.
  MpiMessages(Ranks const& ranks, std::vector<HaloMessage> const& messages, std::int64_t size, bool takes_device)
      : m_ranks(&ranks), m_messages(messages), m_staged(on_device && !takes_device) {
    auto const bytes = std::size_t(size);
    m_send           = DeviceBytes(without_values("halo to send"), bytes);
    m_receive        = DeviceBytes(without_values("halo received"), bytes);
    m_places =
        this->places_on_device({this->places_in(m_send.data(), messages), this->places_in(m_receive.data(), messages)});
    if (m_staged) {
      m_host_send    = HostBytes(without_values("halo to send, host"), bytes);
      m_host_receive = HostBytes(without_values("halo received, host"), bytes);
    } else if (on_device) {
      m_headers.emplace(ranks, messages);
    }
    make_requests(m_staged ? m_host_send.data() : m_send.data(), m_staged ? m_host_receive.data() : m_receive.data());
  }

  ~MpiMessages() override {
    for (auto* requests : {&m_sends, &m_receives})
      for (auto& request : *requests) MPI_Request_free(&request);
    MPI_Type_free(&m_piece);
  }

  MessagePlace const* send_places() const override { return m_places.data(); }
  MessagePlace const* receive_places() const override { return m_places.data() + m_messages.size(); }

  void exchange(Exec const& exec, HaloHeader const& header, std::string const& where) override {
    if (m_staged) Kokkos::deep_copy(exec, m_host_send, m_send);
    // Messages are packed, and those received before are unpacked.
    exec.fence("Koalesce::exchange_halo: packed");
    if (m_headers) m_headers->exchange(header, where);
    MPI_Startall(int(m_receives.size()), m_receives.data());
    if (!m_headers) put(header);
    MPI_Startall(int(m_sends.size()), m_sends.data());
    m_ranks->wait(m_receives, where, "halos");
    if (!m_headers) check(header, where);
    if (m_staged) Kokkos::deep_copy(exec, m_receive, m_host_receive);
    m_ranks->wait(m_sends, where, "room for halos");
  }

 private:
  static constexpr bool on_device = !Backend::on_host<Exec>;
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using HostMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using HostMemory = Kokkos::HostSpace;
#endif
  using DeviceBytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using HostBytes   = Kokkos::View<std::byte*, HostMemory>;
  using Places      = typename HaloTransport<Exec>::Places;

  static auto without_values(char const* label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("Koalesce::") + label);
  }

  void make_requests(std::byte* send, std::byte* receive) {
    // In pieces, whose number fits into MPI's int.
    constexpr auto piece = HaloRegions<3>::alignment;
    MPI_Type_contiguous(int(piece), MPI_BYTE, &m_piece);
    MPI_Type_commit(&m_piece);
    std::size_t const count = m_messages.size();
    m_sends.resize(count);
    m_receives.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& message = m_messages[i];
      int const pieces    = int(message.bytes / piece);
      MPI_Send_init(send + message.begin, pieces, m_piece, message.rank, message.send_tag, m_ranks->comm(),
                    &m_sends[i]);
      MPI_Recv_init(receive + message.begin, pieces, m_piece, message.rank, message.receive_tag, m_ranks->comm(),
                    &m_receives[i]);
    }
  }

  std::byte* host(DeviceBytes const& device, HostBytes const& staged) const {
    return m_staged ? staged.data() : device.data();
  }

  void put(HaloHeader const& header) const {
    for (auto const& message : m_messages)
      std::memcpy(host(m_send, m_host_send) + message.begin, &header, sizeof(header));
  }

  void check(HaloHeader const& mine, std::string const& where) const {
    for (auto const& message : m_messages) {
      HaloHeader theirs;
      std::memcpy(&theirs, host(m_receive, m_host_receive) + message.begin, sizeof(theirs));
      m_ranks->check_header(where, mine, theirs, message.rank);
    }
  }

  Ranks const* m_ranks;
  std::vector<HaloMessage> m_messages;
  bool m_staged;
  DeviceBytes m_send, m_receive;
  HostBytes m_host_send, m_host_receive;
  Places m_places;
  std::optional<HeaderMessages> m_headers;
  MPI_Datatype m_piece = MPI_DATATYPE_NULL;
  std::vector<MPI_Request> m_sends, m_receives;
};

}  // namespace Koalesce::Impl

#endif
