// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_HALO_EXCHANGE_HPP
#define KOALESCE_DISTRIBUTED_IMPL_HALO_EXCHANGE_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/HaloCopy.hpp>
#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/distributed/impl/SideInstance.hpp>
#include <Koalesce/distributed/impl/transport/Transports.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// An exchange of halos that happens again and again: what is copied, the transport, the instance beside the caller's.
template <class Exec, int Rank>
class HaloExchange {
 public:
  /// Collective. \param[in] name  the same on all processes.
  HaloExchange(Exec const& exec, Domain<Rank> const& domain, std::string const& name,
               std::vector<HaloNeed<Rank>> const& fields)
      : m_ranks(domain.state().get()),
        m_header{0, std::hash<std::string>()(name)},
        m_regions(domain, fields),
        m_side(exec),
        m_exec(exec),
        m_transport(make_transport<Exec>(*m_ranks, m_regions.messages, m_regions.bytes)) {
    for (auto const& boxes : m_regions.send) m_send.emplace_back(boxes);
    for (auto const& boxes : m_regions.receive) m_receive.emplace_back(boxes);
  }

  ~HaloExchange() { Kokkos::fence("Koalesce: halos are unpacked"); }  // the caller's instance may be gone

  HaloExchange(HaloExchange const&)            = delete;
  HaloExchange& operator=(HaloExchange const&) = delete;

  bool has_messages() const { return !m_regions.messages.empty(); }

  /// The instance that an exchange runs on.
  Exec const& exec() const { return m_exec; }

  /// Before pack() of all fields.
  /// \param[in] beside  whether messages travel beside what the caller's instance is given until finish().
  void start(Exec const& exec, bool beside) {
    m_header.call = m_ranks->next_call();
    if (!has_messages()) return;
    if (beside) m_side.follow(exec);
    Exec const& next = beside ? m_side.exec() : exec;
    if (next != m_exec && exec != m_exec) Kokkos::fence("Koalesce::exchange_halo: unpacked before");
    m_exec = next;
    m_transport->begin(m_exec);
  }

  /// Fills the messages with a field's points.
  template <class T>
  void pack(std::size_t field, Field<T const> const& from) const {
    m_send[field].run(m_exec, "Koalesce::exchange_halo, pack", from, m_transport->send_places());
  }

  /// After pack() of all fields: what exec() is given now sees the messages of neighbors.
  void exchange(std::string const& where) { m_transport->exchange(m_exec, m_header, where); }

  template <class T>
  void unpack(std::size_t field, Field<T> const& to) const {
    m_receive[field].run(m_exec, "Koalesce::exchange_halo, unpack", to, m_transport->receive_places());
  }

  /// What the caller's instance is given now follows all that exec() was given.
  void finish(Exec const& exec, bool beside) const {
    if (beside && has_messages()) m_side.precede(exec);
  }

 private:
  Ranks* m_ranks;  // which holds this
  HaloHeader m_header;
  HaloRegions<Rank> m_regions;
  SideInstance<Exec> m_side;
  Exec m_exec;
  std::unique_ptr<HaloTransport<Exec>> m_transport;
  std::vector<HaloCopies<Exec>> m_send, m_receive;
};

}  // namespace Koalesce::Impl

#endif
