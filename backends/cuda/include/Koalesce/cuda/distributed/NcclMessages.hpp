// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_NCCL_MESSAGES_HPP
#define KOALESCE_CUDA_DISTRIBUTED_NCCL_MESSAGES_HPP

#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/distributed/impl/transport/DeviceMessages.hpp>
#include <Koalesce/distributed/impl/transport/HaloTransport.hpp>
#include <Koalesce/distributed/impl/transport/HeaderMessages.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// A communicator of NCCL, made by the first exchange that needs it. Domains of the same processes share one, because
/// making it takes long.
class NcclRanks {
 public:
  /// Collective.
  static std::shared_ptr<NcclRanks> of(Ranks const& ranks) {
    static std::map<std::vector<int>, std::shared_ptr<NcclRanks>> all;
    if (all.empty()) push_finalize_hook([] { all.clear(); });
    auto& found = all[processes_of(ranks)];
    if (!found) found = std::make_shared<NcclRanks>(ranks);
    return found;
  }

  explicit NcclRanks(Ranks const& ranks) {
    ncclUniqueId id{};
    bool works     = ranks.rank() != 0 || ncclGetUniqueId(&id) == ncclSuccess;
    auto const all = ranks.gather(&id, sizeof(id), "Koalesce::Domain");
    std::memcpy(&id, all.data(), sizeof(id));
    works = works && ncclCommInitRank(&m_comm, ranks.size(), id, ranks.rank()) == ncclSuccess;
    if (!works) ranks.end("Koalesce::Domain: NCCL does not start; set KOALESCE_DISTRIBUTED_TRANSPORT=host");
  }
  ~NcclRanks() { ncclCommDestroy(m_comm); }
  NcclRanks(NcclRanks const&)            = delete;
  NcclRanks& operator=(NcclRanks const&) = delete;

  ncclComm_t comm() const { return m_comm; }

 private:
  /// Their ranks in the world.
  static std::vector<int> processes_of(Ranks const& ranks) {
    int world = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    auto const bytes = ranks.gather(&world, sizeof(world), "Koalesce::Domain");
    std::vector<int> processes(std::size_t(ranks.size()));
    std::memcpy(processes.data(), bytes.data(), bytes.size());
    return processes;
  }

  ncclComm_t m_comm = nullptr;
};

/// Messages by NCCL, on the instance. The host waits only until neighbors have made the same call: without that a call
/// that is missing somewhere would never end.
template <>
class DeviceMessages<Kokkos::Cuda> : public HaloTransport<Kokkos::Cuda> {
 public:
  static constexpr bool exists = true;

  /// NCCL wants a device for each process.
  static bool possible(Ranks const& ranks) {
    cudaDeviceProp facts{};
    cudaGetDeviceProperties(&facts, Kokkos::Cuda().cuda_device());
    constexpr std::size_t size = sizeof(facts.uuid);
    auto const all             = ranks.gather(&facts.uuid, size, "Koalesce::Domain");
    for (int r = 0; r < ranks.size(); ++r)
      if (r != ranks.rank() && std::memcmp(all.data() + size * std::size_t(r), &facts.uuid, size) == 0) return false;
    return true;
  }

  /// Collective.
  DeviceMessages(Ranks& ranks, std::vector<HaloMessage> const& messages, std::int64_t bytes)
      : m_ranks(&ranks),
        m_messages(messages),
        m_nccl(ranks.plan<NcclRanks>("NCCL", [&] { return NcclRanks::of(ranks); })),
        m_headers(ranks, messages),
        m_send("Koalesce::halo to send", std::size_t(bytes)),
        m_receive("Koalesce::halo received", std::size_t(bytes)),
        m_places(places_on_device({places_in(m_send.data(), messages), places_in(m_receive.data(), messages)})),
        m_order(messages.size()) {
    // Messages have no tags: those from one process come in the order in which it sends them.
    std::iota(m_order.begin(), m_order.end(), std::size_t(0));
    std::sort(m_order.begin(), m_order.end(),
              [&](std::size_t a, std::size_t b) { return m_messages[a].receive_tag < m_messages[b].receive_tag; });
  }

  MessagePlace const* send_places() const override { return m_places.data(); }
  MessagePlace const* receive_places() const override { return m_places.data() + m_messages.size(); }

  void exchange(Kokkos::Cuda const& exec, HaloHeader const& header, std::string const& where) override {
    m_headers.exchange(header, where);
    bool works = ncclGroupStart() == ncclSuccess;
    for (auto const& message : m_messages)
      works = works && ncclSend(m_send.data() + message.begin, std::size_t(message.bytes), ncclChar, message.rank,
                                m_nccl->comm(), exec.cuda_stream()) == ncclSuccess;
    for (std::size_t const i : m_order)
      works = works && ncclRecv(m_receive.data() + m_messages[i].begin, std::size_t(m_messages[i].bytes), ncclChar,
                                m_messages[i].rank, m_nccl->comm(), exec.cuda_stream()) == ncclSuccess;
    works = ncclGroupEnd() == ncclSuccess && works;
    if (!works) m_ranks->end(where + ": NCCL failed: " + ncclGetLastError(m_nccl->comm()));
  }

 private:
  using Bytes = Kokkos::View<std::byte*, Kokkos::Cuda::memory_space>;

  Ranks const* m_ranks;
  std::vector<HaloMessage> m_messages;
  std::shared_ptr<NcclRanks> m_nccl;
  HeaderMessages m_headers;
  Bytes m_send, m_receive;
  Places m_places;
  std::vector<std::size_t> m_order;  // in which messages are received
};

}  // namespace Koalesce::Impl

#endif
