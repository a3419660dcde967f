// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_HEADER_MESSAGES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_HEADER_MESSAGES_HPP

#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// What messages begin with, by MPI and on its own, where the points travel by other ways.
class HeaderMessages {
 public:
  HeaderMessages(Ranks const& ranks, std::vector<HaloMessage> const& messages) : m_ranks(&ranks), m_messages(messages) {
    std::size_t const count = messages.size();
    m_theirs.resize(count);
    m_requests.resize(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      MPI_Recv_init(&m_theirs[i], sizeof(HaloHeader), MPI_BYTE, messages[i].rank, messages[i].receive_tag + tags,
                    ranks.comm(), &m_requests[2 * i]);
      MPI_Send_init(&m_mine, sizeof(HaloHeader), MPI_BYTE, messages[i].rank, messages[i].send_tag + tags, ranks.comm(),
                    &m_requests[2 * i + 1]);
    }
  }

  ~HeaderMessages() {
    for (auto& request : m_requests) MPI_Request_free(&request);
  }

  HeaderMessages(HeaderMessages const&)            = delete;
  HeaderMessages& operator=(HeaderMessages const&) = delete;

  /// Waits until all neighbors make this call, or ends the job.
  void exchange(HaloHeader const& mine, std::string const& where) {
    m_mine = mine;
    MPI_Startall(int(m_requests.size()), m_requests.data());
    m_ranks->wait(m_requests, where, "halos");
    for (std::size_t i = 0; i < m_messages.size(); ++i)
      m_ranks->check_header(where, m_mine, m_theirs[i], m_messages[i].rank);
  }

 private:
  static constexpr int tags = 100;  // beyond those of directions

  Ranks const* m_ranks;
  std::vector<HaloMessage> m_messages;
  HaloHeader m_mine{};
  std::vector<HaloHeader> m_theirs;
  std::vector<MPI_Request> m_requests;
};

}  // namespace Koalesce::Impl

#endif
