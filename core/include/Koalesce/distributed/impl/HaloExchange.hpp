// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_HALO_EXCHANGE_HPP
#define KOALESCE_DISTRIBUTED_IMPL_HALO_EXCHANGE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/distributed/impl/PeerCopies.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl {

/// Copies points of a field to messages or back: a point each, or on CPUs a row each.
/// \tparam T  const if they are sent.
template <class T, bool by_rows>
struct CopyHalo {
  static constexpr bool sends = std::is_const_v<T>;
  using Byte                  = std::conditional_t<sends, std::byte, std::byte const>;
  using Element               = std::conditional_t<sends, std::remove_const_t<T>, T const>;

  Field<T> field;
  HaloBox const* boxes;
  Byte* buffer;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    HaloBox const* box   = boxes;
    std::int64_t earlier = 0;
    while (i >= (by_rows ? box->lines : box->points)) {
      earlier = by_rows ? box->lines : box->points;
      ++box;
    }
    i -= earlier;
    std::int64_t const count = by_rows ? box->row.divisor() : 1;
    Extents3 const at        = by_rows ? box->start(i) : box->point(i);
    copy(field.at(at[0], at[1], at[2]), reinterpret_cast<Element*>(buffer + box->begin) + i * count, count);
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(T* here, Element* there, std::int64_t count) const {
    std::int64_t const stride = field.stride[2];
    if (stride == 1) {
      for (std::int64_t x = 0; x < count; ++x) copy_one(here[x], there[x]);
    } else {
      for (std::int64_t x = 0; x < count; ++x) copy_one(here[x * stride], there[x]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void copy_one(T& here, Element& there) {
    if constexpr (sends) there = here;
    else here = there;
  }
};

/// An exchange of halos that happens again and again: buffers and persistent requests. Messages go by copies between
/// devices where processes share a host; otherwise by MPI, and where kernels' memory is not the host's, to the host and
/// back on an instance of their own, beside what runs on the caller's.
template <class Exec, int Rank>
class HaloExchange {
 public:
  /// \param[in] name  the same on all processes.
  HaloExchange(Exec const& exec, Domain<Rank> const& domain, std::string const& name,
               std::vector<HaloNeed<Rank>> const& fields)
      : m_ranks(domain.state().get()),
        m_header{0, std::hash<std::string>()(name)},
        m_regions(domain, fields),
        m_exec(exec),
        m_copies(instance_of_own(exec)) {
    m_send = DeviceBytes(without_values("halo to send"), std::size_t(m_regions.bytes));
    for (auto const& boxes : m_regions.send) m_send_boxes.push_back(on_device(boxes));
    for (auto const& boxes : m_regions.receive) m_receive_boxes.push_back(on_device(boxes));
    if constexpr (PeerMemory<Exec>::exists) {
      m_peers.emplace(*m_ranks, m_regions.messages, m_regions.bytes, m_ranks->one_host());
      if (m_peers->works()) {
        m_receive = DeviceBytes(m_peers->memory(), std::size_t(m_regions.bytes));
        return;
      }
    }
    make_messages(domain.comm());
  }

  ~HaloExchange() {
    for (auto& request : m_sends) MPI_Request_free(&request);
    for (auto& request : m_receives) MPI_Request_free(&request);
    if (m_piece != MPI_DATATYPE_NULL) MPI_Type_free(&m_piece);
  }

  HaloExchange(HaloExchange const&)            = delete;
  HaloExchange& operator=(HaloExchange const&) = delete;

  bool has_messages() const { return !m_regions.messages.empty(); }

  /// Fills the messages with a field's points.
  template <class T>
  void pack(Exec const& exec, std::size_t field, Field<T const> const& from) {
    launch(exec, "Koalesce::exchange_halo, pack", m_regions.send[field],
           CopyHalo<T const, !staged>{from, m_send_boxes[field].data(), m_send.data()});
  }

  /// After pack() of all fields. What is enqueued then runs while messages travel.
  void start(Exec const& exec) {
    m_header.call = m_ranks->next_call();
    if (!has_messages()) return;
    if (exec != m_exec) m_exec.fence("Koalesce::exchange_halo: unpacked before");
    m_exec = exec;
    m_packed.record(exec);
  }

  /// Sends, and waits until messages have come; unpack() may follow.
  void finish(std::string const& where) {
    if (!has_messages()) return;
    // Messages are packed, and those received before are unpacked.
    m_packed.wait();
    if constexpr (PeerMemory<Exec>::exists)
      if (m_peers->works()) return m_peers->exchange(m_copies, m_header, m_send.data(), where);
    MPI_Startall(int(m_receives.size()), m_receives.data());
    if constexpr (staged) {
      Kokkos::deep_copy(m_copies, m_host_send, m_send);
      m_copies.fence("Koalesce::exchange_halo: on the host");
    }
    for (auto const& message : m_regions.messages)
      std::memcpy(m_host_send.data() + message.begin, &m_header, sizeof(m_header));
    MPI_Startall(int(m_sends.size()), m_sends.data());
    m_ranks->wait(m_receives, where, "halos");
    for (auto const& message : m_regions.messages) {
      HaloHeader header;
      std::memcpy(&header, m_host_receive.data() + message.begin, sizeof(header));
      m_ranks->check_header(where, m_header, header, message.rank);
    }
    if constexpr (staged) {
      Kokkos::deep_copy(m_copies, m_receive, m_host_receive);
      m_copies.fence("Koalesce::exchange_halo: received");
    }
    m_ranks->wait(m_sends, where, "room for halos");
  }

  template <class T>
  void unpack(Exec const& exec, std::size_t field, Field<T> const& to) const {
    launch(exec, "Koalesce::exchange_halo, unpack", m_regions.receive[field],
           CopyHalo<T, !staged>{to, m_receive_boxes[field].data(), m_receive.data()});
  }

 private:
  static constexpr bool staged = !Backend::on_host<Exec>;
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using HostMemory = std::conditional_t<staged, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using HostMemory = Kokkos::HostSpace;
#endif
  using DeviceBytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using HostBytes   = Kokkos::View<std::byte*, HostMemory>;
  using Boxes       = Kokkos::View<HaloBox*, typename Exec::memory_space>;
  struct NoPeers {};
  using Peers = typename std::conditional_t<PeerMemory<Exec>::exists, std::type_identity<PeerCopies<Exec>>,
                                            std::type_identity<NoPeers>>::type;

  static Exec instance_of_own(Exec const& exec) {
    if constexpr (staged) return Kokkos::Experimental::partition_space(exec, 1)[0];
    else return exec;
  }

  static auto without_values(char const* label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("Koalesce::") + label);
  }

  void make_messages(MPI_Comm comm) {
    auto const bytes = std::size_t(m_regions.bytes);
    m_receive        = DeviceBytes(without_values("halo received"), bytes);
    if constexpr (staged) {
      m_host_send    = HostBytes(without_values("halo to send, host"), bytes);
      m_host_receive = HostBytes(without_values("halo received, host"), bytes);
    } else {
      m_host_send    = m_send;
      m_host_receive = m_receive;
    }
    // In pieces, whose number fits into MPI's int.
    MPI_Type_contiguous(int(HaloRegions<Rank>::alignment), MPI_BYTE, &m_piece);
    MPI_Type_commit(&m_piece);
    std::size_t const count = m_regions.messages.size();
    m_sends.resize(count);
    m_receives.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& message = m_regions.messages[i];
      int const pieces    = int(message.bytes / HaloRegions<Rank>::alignment);
      MPI_Send_init(m_host_send.data() + message.begin, pieces, m_piece, message.rank, message.send_tag, comm,
                    &m_sends[i]);
      MPI_Recv_init(m_host_receive.data() + message.begin, pieces, m_piece, message.rank, message.receive_tag, comm,
                    &m_receives[i]);
    }
  }

  static Boxes on_device(std::vector<HaloBox> const& boxes) {
    Boxes const view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Koalesce::halo boxes"), boxes.size());
    Kokkos::View<HaloBox const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(boxes.data(),
                                                                                                        boxes.size());
    Kokkos::deep_copy(view, host);
    return view;
  }

  template <class Functor>
  static void launch(Exec const& exec, char const* label, std::vector<HaloBox> const& boxes, Functor const& functor) {
    if (boxes.empty()) return;
    std::int64_t const count = staged ? boxes.back().points : boxes.back().lines;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), functor);
  }

  Ranks* m_ranks;  // which holds this
  HaloHeader m_header;
  HaloRegions<Rank> m_regions;
  Exec m_exec, m_copies;
  WorkMark<Exec> m_packed;
  DeviceBytes m_send, m_receive;
  HostBytes m_host_send, m_host_receive;
  std::vector<Boxes> m_send_boxes, m_receive_boxes;
  std::optional<Peers> m_peers;
  MPI_Datatype m_piece = MPI_DATATYPE_NULL;
  std::vector<MPI_Request> m_sends, m_receives;
};

}  // namespace Koalesce::Impl

#endif
