// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_PEER_COPIES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_PEER_COPIES_HPP

#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/distributed/impl/PeerMemory.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// Messages between processes of one host, copied from one device's memory to another's. Small messages of MPI tell
/// that memory is free, and that a copy is complete; they carry the header.
template <class Exec>
class PeerCopies {
  using Memory = PeerMemory<Exec>;

 public:
  /// Whether it works() is agreed on by all processes of the domain.
  /// \param[in] wanted  whether they share a host, and want it.
  PeerCopies(Ranks const& ranks, std::vector<HaloMessage> const& messages, std::int64_t bytes, bool wanted)
      : m_ranks(&ranks), m_messages(messages) {
    if (!wanted) return;
    open_all(bytes);
    char const opened = m_peers.size() == messages.size();
    m_works           = true;
    for (char const each : ranks.gather(&opened, 1, "Koalesce::Domain")) m_works = m_works && each;
    if (!m_works) close_all();
    else make_requests();
  }

  ~PeerCopies() {
    for (auto* requests : {&m_ready, &m_done})
      for (auto& request : *requests) MPI_Request_free(&request);
    close_all();
  }

  PeerCopies(PeerCopies const&)            = delete;
  PeerCopies& operator=(PeerCopies const&) = delete;

  bool works() const { return m_works; }

  /// Where neighbors' messages arrive.
  std::byte* memory() const { return m_memory; }

  /// When memory() is free: tells neighbors so, copies messages to theirs, and waits for theirs.
  /// \param[in] from  all messages.
  void exchange(Exec const& exec, HaloHeader const& header, std::byte const* from, std::string const& where) {
    m_mine = header;
    MPI_Startall(int(m_ready.size()), m_ready.data());
    m_ranks->wait(m_ready, where, "halos");
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
      m_ranks->check_header(where, m_mine, m_theirs[i], m_messages[i].rank);
      Memory::copy(exec, m_peers[i], from + m_messages[i].begin, m_messages[i].bytes);
    }
    exec.fence("Koalesce::exchange_halo: copied to neighbors");
    MPI_Startall(int(m_done.size()), m_done.data());
    m_ranks->wait(m_done, where, "halos");
  }

 private:
  /// Where a neighbor receives a message.
  struct Place {
    typename Memory::Handle handle;
    std::int64_t begin, exists;
  };

  void open_all(std::int64_t bytes) {
    m_memory = Memory::allocate(bytes);
    Place mine{};
    mine.exists             = m_memory != nullptr && Memory::handle_of(m_memory, mine.handle);
    std::size_t const count = m_messages.size();
    std::vector<Place> places(count, mine), theirs(count);
    std::vector<MPI_Request> requests(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& message = m_messages[i];
      places[i].begin     = message.begin;
      MPI_Irecv(&theirs[i], sizeof(Place), MPI_BYTE, message.rank, message.send_tag, m_ranks->comm(), &requests[2 * i]);
      MPI_Isend(&places[i], sizeof(Place), MPI_BYTE, message.rank, message.receive_tag, m_ranks->comm(),
                &requests[2 * i + 1]);
    }
    m_ranks->wait(requests, "Koalesce::Domain", "neighbors' memory");
    for (std::size_t i = 0; i < count && theirs[i].exists; ++i) {
      auto& opened = m_opened[m_messages[i].rank];
      if (opened == nullptr) opened = Memory::open(theirs[i].handle);
      if (opened == nullptr) return;
      m_peers.push_back(opened + theirs[i].begin);
    }
  }

  /// Memory may be freed only when neighbors have closed it. If they do not say so, it stays.
  void close_all() {
    for (auto& [rank, memory] : m_opened)
      if (memory != nullptr) Memory::close(memory);
    m_opened.clear();
    if (m_memory != nullptr && all_closed()) Memory::free(m_memory);
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

  void make_requests() {
    std::size_t const count = m_messages.size();
    m_theirs.resize(count);
    m_complete.resize(count);
    m_ready.resize(2 * count);
    m_done.resize(2 * count);
    auto const make = [&](std::vector<MPI_Request>& requests, std::vector<HaloHeader>& received, int tags) {
      for (std::size_t i = 0; i < count; ++i) {
        auto const& message = m_messages[i];
        MPI_Recv_init(&received[i], sizeof(HaloHeader), MPI_BYTE, message.rank, message.receive_tag + tags,
                      m_ranks->comm(), &requests[2 * i]);
        MPI_Send_init(&m_mine, sizeof(HaloHeader), MPI_BYTE, message.rank, message.send_tag + tags, m_ranks->comm(),
                      &requests[2 * i + 1]);
      }
    };
    make(m_ready, m_theirs, 100);
    make(m_done, m_complete, 200);
  }

  Ranks const* m_ranks;
  std::vector<HaloMessage> m_messages;
  bool m_works        = false;
  std::byte* m_memory = nullptr;
  std::map<int, std::byte*> m_opened;
  std::vector<std::byte*> m_peers;
  HaloHeader m_mine{};
  std::vector<HaloHeader> m_theirs, m_complete;
  std::vector<MPI_Request> m_ready, m_done;
};

}  // namespace Koalesce::Impl

#endif
