// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_CHOOSE_TRANSPORT_HPP
#define KOALESCE_DISTRIBUTED_IMPL_TRANSPORT_CHOOSE_TRANSPORT_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>
#include <Koalesce/distributed/impl/transport/DeviceMessages.hpp>
#include <Koalesce/distributed/impl/transport/PeerMemory.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/// Which way halos of a domain go: the first that works everywhere, or the one that the environment names.
namespace Koalesce::Impl {

/// The names in KOALESCE_DISTRIBUTED_TRANSPORT, in the order of preference.
inline constexpr char const* transport_names[] = {"peers", "nccl", "mpi", "host"};
inline constexpr int transports                = 4;

/// Whether a process can open the memory of the next one. Collective among processes of one host.
template <class Exec>
bool opens_next(Ranks const& ranks) {
  using Memory = PeerMemory<Exec>;
  typename Memory::Handle mine{};
  std::byte* const memory = Memory::allocate(1);
  bool works              = Memory::possible() && memory != nullptr && Memory::handle_of(memory, mine);
  auto const all          = ranks.gather(&mine, sizeof(mine), "Koalesce::Domain");
  char const offered      = works;
  auto const have         = ranks.gather(&offered, 1, "Koalesce::Domain");
  int const next          = (ranks.rank() + 1) % ranks.size();
  if (next != ranks.rank()) {
    typename Memory::Handle handle;
    std::memcpy(&handle, all.data() + sizeof(handle) * std::size_t(next), sizeof(handle));
    std::byte* const opened = have[std::size_t(next)] ? Memory::open(handle) : nullptr;
    works                   = works && opened != nullptr;
    if (opened != nullptr) Memory::close(opened);
  }
  ranks.gather(&offered, 1, "Koalesce::Domain");  // all have closed it
  if (memory != nullptr) Memory::free(memory);
  return works;
}

/// The transport of kernels' memory on an execution space. Collective.
/// \throws Error on all processes, if the environment names one that does not work, or not the same everywhere.
template <class Exec>
Transport choose_transport(Ranks const& ranks) {
  char works[transports + 1] = {0, 0, 0, 1, transports};
  if constexpr (!Backend::on_host<Exec>) {
    if constexpr (PeerMemory<Exec>::exists) works[0] = ranks.one_host() && opens_next<Exec>(ranks);
    if constexpr (DeviceMessages<Exec>::exists) works[1] = DeviceMessages<Exec>::possible(ranks);
    works[2] = MpiOnDevice<Exec>::works();
  }
  char const* const named = std::getenv("KOALESCE_DISTRIBUTED_TRANSPORT");
  for (char t = 0; named != nullptr && *named != 0 && t < transports; ++t)
    if (std::strcmp(named, transport_names[int(t)]) == 0) works[transports] = t;
  if (named != nullptr && *named != 0 && works[transports] == transports) works[transports] = transports + 1;
  auto const all        = ranks.gather(works, sizeof(works), "Koalesce::Domain");
  auto const of         = [&](int rank, int t) { return all[sizeof(works) * std::size_t(rank) + std::size_t(t)]; };
  auto const everywhere = [&](int t) {
    for (int r = 0; r < ranks.size(); ++r)
      if (!of(r, t)) return false;
    return true;
  };
  int const wanted = of(0, transports);
  for (int r = 0; r < ranks.size(); ++r)
    if (of(r, transports) > transports || of(r, transports) != wanted)
      fail("Koalesce::Domain", "KOALESCE_DISTRIBUTED_TRANSPORT of rank ", r,
           of(r, transports) > transports ? " names no transport" : " is not that of rank 0",
           "; set it to peers, nccl, mpi or host on all processes, or unset it");
  if constexpr (!Backend::on_host<Exec>) {
    if (wanted < transports && !everywhere(wanted))
      fail("Koalesce::Domain", "KOALESCE_DISTRIBUTED_TRANSPORT is ", transport_names[wanted],
           ", which does not work for all of these processes and this build; unset it, or set it to host");
    for (int t = 0; t < transports; ++t)
      if (wanted == t || (wanted == transports && everywhere(t))) return Transport(t);
  }
  return Transport::host;
}

/// In words, for logs.
inline char const* to_string(Transport transport) {
  switch (transport) {
    case Transport::peers: return "writing to the memory of other devices of this host";
    case Transport::device: return "NCCL";
    case Transport::mpi: return "MPI from the devices' memory";
    default: return "MPI through host memory";
  }
}

}  // namespace Koalesce::Impl

#endif
