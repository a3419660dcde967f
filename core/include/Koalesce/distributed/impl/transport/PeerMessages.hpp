// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MESSAGES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_PEER_MESSAGES_HPP

#include <Koalesce/distributed/impl/transport/HaloTransport.hpp>
#include <Koalesce/distributed/impl/transport/HeaderMessages.hpp>
#include <Koalesce/distributed/impl/transport/PeerMemory.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// Messages between processes of one host: kernels pack them into the neighbors' memory, and a flag there tells that a
/// message is complete: the number of the exchange. The host waits only until neighbors have made the same call.
///
/// There are two buffers, used in turn. When a process packs into a neighbor's buffer again, it has received the
/// neighbor's message of the exchange between, which the neighbor packed after it had unpacked that buffer.
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
      for (std::size_t i = 0; i < m_messages.size(); ++i)
        theirs.push_back({peer(i) + b * m_offers[i].bytes + m_offers[i].begin});
      rows.push_back(this->places_in(m_memory + b * bytes, m_messages));
    }
    m_places = this->places_on_device(rows);
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
      m_theirs.push_back(flag(peer(i), m_offers[i].bytes, m_offers[i].number));
      m_mine.push_back(flag(m_memory, bytes, std::int64_t(i)));
    }
  }

  ~PeerMessages() override { close_all(); }

  void begin(Exec const&) override { ++m_number; }
  MessagePlace const* send_places() const override { return row(2 * buffer()); }
  MessagePlace const* receive_places() const override { return row(2 * buffer() + 1); }
  void exchange(Exec const& exec, HaloHeader const& header, std::string const& where) override {
    Memory::set(exec, m_theirs, m_number);
    m_headers->exchange(header, where);
    Memory::wait(exec, m_mine, m_number);
  }

 private:
  /// What a neighbor is told, message by message.
  struct Offer {
    typename Memory::Handle memory;
    std::int64_t begin, bytes, number, exists;
  };

  int buffer() const { return int(m_number % 2); }
  MessagePlace const* row(int i) const { return m_places.data() + std::size_t(i) * m_messages.size(); }

  /// The memory of a message's neighbor.
  std::byte* peer(std::size_t message) const { return m_peers.at(m_messages[message].rank); }

  /// Flags lie behind both buffers.
  static std::uint64_t* flag(std::byte* memory, std::int64_t bytes, std::int64_t message) {
    return reinterpret_cast<std::uint64_t*>(memory + 2 * bytes) + message;
  }

  bool open_all(std::int64_t bytes) {
    std::size_t const count = m_messages.size();
    m_memory                = Memory::allocate(2 * bytes + std::int64_t(count * sizeof(std::uint64_t)));
    Offer mine{};
    bool works  = m_memory != nullptr && Memory::handle_of(m_memory, mine.memory);
    mine.bytes  = bytes;
    mine.exists = works;
    std::vector<Offer> offers(count, mine);
    m_offers.resize(count);
    std::vector<MPI_Request> requests(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& message = m_messages[i];
      offers[i].begin     = message.begin;
      offers[i].number    = std::int64_t(i);
      MPI_Irecv(&m_offers[i], sizeof(Offer), MPI_BYTE, message.rank, message.send_tag, m_ranks->comm(),
                &requests[2 * i]);
      MPI_Isend(&offers[i], sizeof(Offer), MPI_BYTE, message.rank, message.receive_tag, m_ranks->comm(),
                &requests[2 * i + 1]);
    }
    m_ranks->wait(requests, "Koalesce::Domain", "neighbors' memory");
    for (std::size_t i = 0; i < count; ++i)
      works = m_offers[i].exists && open(m_messages[i].rank, m_offers[i].memory) && works;
    return works;
  }

  bool open(int rank, typename Memory::Handle const& handle) {
    if (m_peers.count(rank) > 0) return true;
    std::byte* const memory = Memory::open(handle);
    if (memory != nullptr) m_peers[rank] = memory;
    return memory != nullptr;
  }

  /// Memory may be freed only when neighbors have closed it. If they do not say so, it stays.
  void close_all() {
    for (auto const& [rank, memory] : m_peers) Memory::close(memory);
    m_peers.clear();
    bool const closed = all_closed();
    if (m_memory != nullptr && closed) Memory::free(m_memory);
    m_memory = nullptr;
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
  std::map<int, std::byte*> m_peers;
  std::vector<Offer> m_offers;
  PeerFlags m_theirs, m_mine;  // of each message
  typename HaloTransport<Exec>::Places m_places;
  std::optional<HeaderMessages> m_headers;
  std::uint64_t m_number = 0;  // of the exchange
};

}  // namespace Koalesce::Impl

#endif
