// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MESSAGES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MESSAGES_HPP

#include <Koalesce/distributed/impl/transport/HaloTransport.hpp>
#include <Koalesce/distributed/impl/transport/HeaderMessages.hpp>
#include <Koalesce/distributed/impl/transport/PeerMemory.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Messages between processes of one host: kernels pack them into the neighbors' memory, and events of the devices tell
/// that it is free, and that a message is complete. The host waits only until neighbors have made the same call.
///
/// There are two buffers, used in turn. A process writes to a neighbor's buffer again after the neighbor's event `free`
/// of the call before last. That the event was recorded is known from the neighbor's header of the last call.
template <class Exec>
class PeerMessages : public HaloTransport<Exec> {
  using Memory = PeerMemory<Exec>;

 public:
  /// Collective. \throws Error on all processes, if memory of one cannot be opened by another.
  PeerMessages(Ranks const& ranks, std::vector<HaloMessage> const& messages, std::int64_t bytes)
      : m_ranks(&ranks), m_messages(messages) {
    char const works = open_all(bytes);
    bool all         = true;
    for (char const each : ranks.gather(&works, 1, "Koalesce::Domain")) all = all && each;
    if (!all) {
      close_all();
      fail("Koalesce::Domain", "a process' device memory cannot be opened by another of the host; set ",
           "KOALESCE_DISTRIBUTED_TRANSPORT=host in the environment");
    }
    m_headers.emplace(ranks, messages);
    std::vector<std::vector<MessagePlace>> rows;
    for (int const b : {0, 1}) {
      auto& theirs = rows.emplace_back();
      for (std::size_t i = 0; i < m_messages.size(); ++i) {
        auto const& peer = m_peers.at(m_messages[i].rank);
        theirs.push_back({peer.memory + b * peer.bytes + m_begins[i]});
      }
      rows.push_back(this->places_in(m_memory + b * bytes, m_messages));
    }
    m_places = this->places_on_device(rows);
  }

  ~PeerMessages() override { close_all(); }

  void begin(Exec const& exec) override {
    m_buffer = 1 - m_buffer;
    for (auto& [rank, peer] : m_peers) Memory::wait(exec, peer.free[std::size_t(m_buffer)]);
  }
  MessagePlace const* send_places() const override { return row(2 * m_buffer); }
  MessagePlace const* receive_places() const override { return row(2 * m_buffer + 1); }
  void exchange(Exec const& exec, HaloHeader const& header, std::string const& where) override {
    Memory::record(m_sent[std::size_t(m_buffer)], exec);
    m_headers->exchange(header, where);
    for (auto& [rank, peer] : m_peers) Memory::wait(exec, peer.sent[std::size_t(m_buffer)]);
  }
  void end(Exec const& exec) override { Memory::record(m_free[std::size_t(m_buffer)], exec); }

 private:
  using Events = std::array<typename Memory::Event, 2>;

  /// What a neighbor is told, message by message.
  struct Offer {
    typename Memory::Handle memory;
    typename Memory::EventHandle sent[2], free[2];
    std::int64_t begin, bytes, exists;
  };
  struct Peer {
    std::byte* memory = nullptr;
    Events sent{}, free{};
    std::int64_t bytes = 0;
  };

  MessagePlace const* row(int i) const { return m_places.data() + std::size_t(i) * m_messages.size(); }

  bool open_all(std::int64_t bytes) {
    m_memory = Memory::allocate(2 * bytes);
    Offer mine{};
    bool works = m_memory != nullptr && Memory::handle_of(m_memory, mine.memory);
    for (std::size_t const b : {0, 1})
      for (auto const& [event, handle] : {std::pair(&m_sent[b], &mine.sent[b]), std::pair(&m_free[b], &mine.free[b])})
        works = Memory::make_event(*event) && Memory::event_handle_of(*event, *handle) && works;
    mine.bytes              = bytes;
    mine.exists             = works;
    std::size_t const count = m_messages.size();
    std::vector<Offer> offers(count, mine), theirs(count);
    std::vector<MPI_Request> requests(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& message = m_messages[i];
      offers[i].begin     = message.begin;
      MPI_Irecv(&theirs[i], sizeof(Offer), MPI_BYTE, message.rank, message.send_tag, m_ranks->comm(), &requests[2 * i]);
      MPI_Isend(&offers[i], sizeof(Offer), MPI_BYTE, message.rank, message.receive_tag, m_ranks->comm(),
                &requests[2 * i + 1]);
    }
    m_ranks->wait(requests, "Koalesce::Domain", "neighbors' memory");
    for (std::size_t i = 0; i < count; ++i) {
      works = theirs[i].exists && open(m_messages[i].rank, theirs[i]) && works;
      m_begins.push_back(theirs[i].begin);
    }
    return works;
  }

  bool open(int rank, Offer const& offer) {
    if (m_peers.count(rank) > 0) return true;
    Peer peer;
    peer.memory = Memory::open(offer.memory);
    peer.bytes  = offer.bytes;
    if (peer.memory == nullptr) return false;
    bool works = true;
    for (std::size_t const b : {0, 1})
      works =
          Memory::open_event(offer.sent[b], peer.sent[b]) && Memory::open_event(offer.free[b], peer.free[b]) && works;
    m_peers[rank] = peer;
    return works;
  }

  /// Memory may be freed only when neighbors have closed it. If they do not say so, it stays.
  void close_all() {
    for (auto& [rank, peer] : m_peers) {
      for (std::size_t const b : {0, 1}) {
        Memory::free_event(peer.sent[b]);
        Memory::free_event(peer.free[b]);
      }
      Memory::close(peer.memory);
    }
    m_peers.clear();
    bool const closed = all_closed();
    if (m_memory != nullptr && closed) Memory::free(m_memory);
    m_memory = nullptr;
    for (std::size_t const b : {0, 1}) {
      Memory::free_event(m_sent[b]);
      Memory::free_event(m_free[b]);
    }
  }

  bool all_closed() const {
    std::vector<MPI_Request> requests;
    for (auto const& message : m_messages) {
      MPI_Irecv(nullptr, 0, MPI_BYTE, message.rank, message.receive_tag + 300, m_ranks->comm(),
                &requests.emplace_back());
      MPI_Isend(nullptr, 0, MPI_BYTE, message.rank, message.send_tag + 300, m_ranks->comm(), &requests.emplace_back());
    }
    return m_ranks->complete(requests, 5);
  }

  Ranks const* m_ranks;
  std::vector<HaloMessage> m_messages;
  std::byte* m_memory = nullptr;
  Events m_sent{}, m_free{};
  std::map<int, Peer> m_peers;
  std::vector<std::int64_t> m_begins;  // of each message, in the neighbor's buffer
  typename HaloTransport<Exec>::Places m_places;
  std::optional<HeaderMessages> m_headers;
  int m_buffer = 1;
};

}  // namespace Koalesce::Impl

#endif
