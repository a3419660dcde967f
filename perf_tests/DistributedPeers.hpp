// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_DISTRIBUTED_PEERS_HPP
#define KOALESCE_PERF_DISTRIBUTED_PEERS_HPP

#include <Koalesce/Distributed.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"

/// How programs exchange halos by hand.
namespace perf {

/// Counts what differs.
template <class T>
struct CompareFields {
  T const *a, *b;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const { wrong += !(a[i] == b[i]); }
};

/// Faces of one field of three dimensions: subviews copied to contiguous buffers, those to the host where kernels'
/// memory is another, and one MPI_Sendrecv for each direction.
template <class Field>
class UsualExchange {
  using T      = typename Field::value_type;
  using Buffer = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using HostSpace = std::conditional_t<on_host, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
#else
  using HostSpace = Kokkos::HostSpace;
#endif
  using HostBuffer = Kokkos::View<T***, Kokkos::LayoutRight, HostSpace>;

  struct Side {
    int to, from;  ///< ranks, MPI_PROC_NULL where there is none
    int dim, side;
    Buffer out, in;
    HostBuffer host_out, host_in;
  };

 public:
  UsualExchange(Koalesce::Domain<3> const& domain, Field const& field, std::int64_t halo)
      : m_domain(domain), m_comm(domain.comm()), m_field(field), m_halo(halo), m_n(domain.extents()) {
    for (int d = 0; d < 3; ++d)
      for (int const side : {-1, 1}) {
        int low = MPI_PROC_NULL, high = MPI_PROC_NULL;
        MPI_Cart_shift(m_comm, d, 1, &low, &high);
        Side s{side < 0 ? low : high, side < 0 ? high : low, d, side, {}, {}, {}, {}};
        if (s.to == MPI_PROC_NULL && s.from == MPI_PROC_NULL) continue;
        auto n = m_n;
        n[d]   = halo;
        s.out  = Buffer("out", n[0], n[1], n[2]);
        s.in   = Buffer("in", n[0], n[1], n[2]);
        if constexpr (!on_host) {
          s.host_out = HostBuffer("out, host", n[0], n[1], n[2]);
          s.host_in  = HostBuffer("in, host", n[0], n[1], n[2]);
        } else {
          s.host_out = s.out;
          s.host_in  = s.in;
        }
        m_sides.push_back(s);
      }
  }

  void run() const {
    Exec const exec;
    for (auto const& s : m_sides)
      if (s.to != MPI_PROC_NULL) Kokkos::deep_copy(exec, s.out, slab(s.dim, s.side < 0 ? 0 : m_n[s.dim] - m_halo));
    transfer();
    for (auto const& s : m_sides)
      if (s.from != MPI_PROC_NULL) Kokkos::deep_copy(exec, slab(s.dim, s.side < 0 ? m_n[s.dim] : -m_halo), s.in);
    exec.fence();
  }

  /// The buffers alone.
  void transfer() const {
    Exec const exec;
    if constexpr (!on_host)
      for (auto const& s : m_sides) Kokkos::deep_copy(exec, s.host_out, s.out);
    exec.fence();
    for (auto const& s : m_sides)
      MPI_Sendrecv(s.host_out.data(), int(s.out.size() * sizeof(T)), MPI_BYTE, s.to, s.dim, s.host_in.data(),
                   int(s.in.size() * sizeof(T)), MPI_BYTE, s.from, s.dim, m_comm, MPI_STATUS_IGNORE);
    if constexpr (!on_host)
      for (auto const& s : m_sides) Kokkos::deep_copy(exec, s.in, s.host_in);
    exec.fence();
  }

  /// That all processes send.
  double bytes_of_all() const {
    double mine = 0, all = 0;
    for (auto const& s : m_sides)
      if (s.to != MPI_PROC_NULL) mine += double(s.out.size() * sizeof(T));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, m_comm);
    return all;
  }

 private:
  auto slab(int dim, std::int64_t first) const {
    std::pair<std::int64_t, std::int64_t> range[3];
    for (int d = 0; d < 3; ++d) range[d] = {m_halo, m_halo + m_n[d]};
    range[dim] = {m_halo + first, m_halo + first + m_halo};
    return Kokkos::subview(m_field, range[0], range[1], range[2]);
  }

  Koalesce::Domain<3> m_domain;  // whose communicator it is
  MPI_Comm m_comm;
  Field m_field;
  std::int64_t m_halo;
  Kokkos::Array<std::int64_t, 3> m_n;
  std::vector<Side> m_sides;
};

}  // namespace perf

#endif
