// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_DOMAIN_HPP
#define KOALESCE_DISTRIBUTED_DOMAIN_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/distributed/impl/ProcessGrid.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>
#include <Koalesce/distributed/impl/transport/ChooseTransport.hpp>
#include <Koalesce/stencil/impl/domain/RankDomain.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>

namespace Koalesce {

/// What a Domain may be told: `Domain domain(comm, {nz, ny, nx}, {.periodic = {true, true, true}})`.
template <int Rank>
struct DomainOptions {
  Kokkos::Array<bool, Rank> periodic{};  ///< of each dimension, whether its last points are neighbors of the first
  Kokkos::Array<int, Rank> ranks{};      ///< processes in each dimension; 0: as makes halos smallest
  /// The dimension of adjacent elements: halos across it count eight times, so that it is divided last unless it is far
  /// longer than the others.
  int contiguous    = Rank - 1;
  double time_limit = 60;  ///< seconds; when a process waits longer for others, the job ends
};

/// \brief The points of a grid, divided among the processes of a communicator, a box for each.
///
///     Domain domain(MPI_COMM_WORLD, {nz, ny, nx});
///     auto const n = domain.extents();                        // this process' points
///     Kokkos::View<double***, Kokkos::LayoutRight> u("u", n[0] + 2, n[1] + 2, n[2] + 2), next("next", u.layout());
///     parallel_stencil("step", StencilPolicy(exec, Star<1, 1, 1>{}, domain), u, next, functor);
///
/// With LayoutLeft Views, Kokkos' default on GPUs: `Domain domain(MPI_COMM_WORLD, {nz, ny, nx}, {.contiguous = 0})`.
///
/// All calls that take a domain are made by all of its processes, in the same order. Copies share one state. The last
/// copy must be gone before MPI and Kokkos are finalized.
///
/// \tparam Rank  number of dimensions, 1 to 3.
template <int Rank>
class Domain {
 public:
  static_assert(Rank >= 1 && Rank <= 3, "Koalesce::Domain: there are domains of 1 to 3 dimensions");

  static constexpr int rank = Rank;                               ///< number of dimensions
  using extents_type        = Kokkos::Array<std::int64_t, Rank>;  ///< points per dimension
  using options_type        = DomainOptions<Rank>;                ///< what it may be told

  /// \brief Divides the points. Collective: all processes of the communicator call it, with the same arguments.
  ///
  /// \param[in] comm     any communicator; the domain uses a copy.
  /// \param[in] extents  points of the whole grid per dimension.
  /// \param[in] options  periods, the processes in each dimension, the contiguous one, the time limit.
  /// \throws Error on all processes if MPI is not initialized, or without MPI_THREAD_FUNNELED; the time limit
  ///         or an extent is not positive; there are more processes than can have points; the processes given in each
  ///         dimension are not as many as there are; arguments differ between processes; or
  ///         KOALESCE_DISTRIBUTED_TRANSPORT names a transport that does not work. (On host execution spaces MPI through
  ///         host memory carries halos, whichever of them it names.)
  Domain(MPI_Comm comm, extents_type const& extents, options_type const& options = {})
      : m_global(extents), m_periodic(options.periodic) {
    std::string const where = "Koalesce::Domain";
    check_mpi(where);
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    m_state =
        std::make_shared<Impl::Ranks>(copy, options.time_limit > 0 ? options.time_limit : options_type().time_limit);
    m_state->agree(where, text_of(options), [&] { choose(where, options); });
    int parts[Rank], periods[Rank], at[Rank];
    for (int d = 0; d < Rank; ++d) {
      parts[d]   = m_ranks[d];
      periods[d] = m_periodic[d];
    }
    MPI_Comm grid;
    MPI_Cart_create(copy, Rank, parts, periods, 0, &grid);
    m_state = std::make_shared<Impl::Ranks>(grid, options.time_limit);
    m_state->set_transport(Impl::choose_transport<KernelSpace>(*m_state));
    MPI_Cart_coords(grid, m_state->rank(), Rank, at);
    for (int d = 0; d < Rank; ++d) {
      auto const part  = Impl::part_of(m_global[d], m_ranks[d], at[d]);
      m_coordinates[d] = at[d];
      m_offset[d]      = part.first;
      m_extents[d]     = part.count;
    }
  }

  /// This process' points per dimension.
  extents_type const& extents() const { return m_extents; }
  /// The indices of its first point in the whole grid.
  extents_type const& offset() const { return m_offset; }
  /// Points of the whole grid per dimension.
  extents_type const& global_extents() const { return m_global; }
  /// Whether dimension d has a period.
  bool periodic(int d) const { return m_periodic[d]; }
  /// Processes in each dimension.
  Kokkos::Array<int, Rank> const& ranks() const { return m_ranks; }
  /// Where in them this process is.
  Kokkos::Array<int, Rank> const& coordinates() const { return m_coordinates; }
  /// The domain's own communicator, a Cartesian one of MPI.
  MPI_Comm comm() const { return m_state->comm(); }
  /// What carries halos between processes, for logs: of fields that kernels of the default execution space use.
  std::string transport() const { return Impl::to_string(m_state->transport()); }

  /// Whether this process has a neighbor in this direction, or, with a period, is its own.
  /// \param[in] d     the dimension. \param[in] side  -1: towards lower indices, 1: towards higher ones.
  bool has_neighbor(int d, int side) const {
    int const at = m_coordinates[d] + side;
    return m_periodic[d] || (at >= 0 && at < m_ranks[d]);
  }

  /// For Koalesce's own functions.
  std::shared_ptr<Impl::Ranks> const& state() const { return m_state; }

 private:
  /// A name that depends on the class' parameter: backends, which specialize what is asked of it, come later.
  using KernelSpace = std::conditional_t<(Rank > 0), Kokkos::DefaultExecutionSpace, void>;

  static void check_mpi(std::string const& where) {
    int initialized = 0, level = 0;
    MPI_Initialized(&initialized);
    if (!initialized) Impl::fail(where, "MPI is not initialized; call MPI_Init_thread first");
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED)
      Impl::fail(where,
                 "MPI was initialized for a single thread, but execution spaces have several; initialize it with "
                 "MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided)");
  }

  std::string text_of(options_type const& options) const {
    std::string text = "({";
    for (int d = 0; d < Rank; ++d)
      text += (d ? ", " : "") + std::to_string(m_global[d]) + (options.periodic[d] ? " periodic" : "") +
              (options.ranks[d] != 0 ? " over " + std::to_string(options.ranks[d]) : "");
    return text + "}, contiguous " + std::to_string(options.contiguous) + ", time limit " +
           std::to_string(options.time_limit) + " s)";
  }

  void choose(std::string const& where, options_type const& options) {
    int const size     = m_state->size();
    std::int64_t given = 1;
    bool all           = true;
    for (int d = 0; d < Rank; ++d) {
      if (m_global[d] < 1)
        Impl::fail(where, "the grid has ", m_global[d], " points in dimension ", d,
                   ", which cannot be divided; give 1 or more");
      if (options.ranks[d] < 0)
        Impl::fail(where, "there are to be ", options.ranks[d], " processes in dimension ", d,
                   "; give 1 or more, or 0 for as many as are best");
      if (options.ranks[d] > 0) given = std::min(given * options.ranks[d], std::int64_t(1) << 31);
      else all = false;
    }
    if (!(options.time_limit > 0))
      Impl::fail(where, "the time limit is ", options.time_limit, " s; give a positive one");
    if (options.contiguous < 0 || options.contiguous >= Rank)
      Impl::fail(where, "the contiguous dimension is ", options.contiguous, "; it must be one of 0 to ", Rank - 1);
    if (size % given != 0 || (all && size != given))
      Impl::fail(where, "the options ask for ", all ? "" : "a multiple of ", given,
                 " processes, but the communicator has ", size, "; give numbers whose product is ", size,
                 ", or 0 for as many as are best");
    m_ranks = Impl::choose_grid<Rank>(m_global, size, options.ranks, m_periodic, options.contiguous);
    if (m_ranks[0] == 0)
      Impl::fail(where, "there are ", size, " processes, more than can have points of ", text_of(options),
                 ", a box for each; use fewer, or do not ask for so many in one dimension");
  }

  extents_type m_global, m_extents{}, m_offset{};
  Kokkos::Array<bool, Rank> m_periodic;
  Kokkos::Array<int, Rank> m_ranks{}, m_coordinates{};
  std::shared_ptr<Impl::Ranks> m_state;
};

/// Deduces the number of dimensions: `Domain domain(comm, {nz, ny, nx});`
template <class N, std::size_t Rank>
Domain(MPI_Comm, N const (&)[Rank], DomainOptions<int(Rank)> const& = {}) -> Domain<int(Rank)>;

/// The domain as a line of text: the grid, the processes, this process' part, the transport.
template <int Rank>
std::ostream& operator<<(std::ostream& out, Domain<Rank> const& domain) {
  auto const list = [&](char const* between, auto const& values) {
    for (int d = 0; d < Rank; ++d) out << (d ? between : "") << values[d];
  };
  list(" x ", domain.global_extents());
  out << " points over ";
  list(" x ", domain.ranks());
  out << " processes; rank " << domain.state()->rank() << ": ";
  list(" x ", domain.extents());
  out << " from (";
  list(", ", domain.offset());
  return out << "); halos by " << domain.transport();
}

}  // namespace Koalesce

#endif
