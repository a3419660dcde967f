// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_GRID_OF_PROCESSES_HPP
#define SEISMIC_WAVE_GRID_OF_PROCESSES_HPP

#include "Part.hpp"

#include <Koalesce/Checkpoint.hpp>
#include <Koalesce/Distributed.hpp>

#include <mpi.h>

#include <cstdint>
#include <filesystem>

namespace examples::seismic {

/// The grid, divided among all processes. All of them make the same calls.
class Grid {
 public:
  explicit Grid(Extents const& n) : m_domain(MPI_COMM_WORLD, n) {}

  Part part() const { return {m_domain.extents(), m_domain.offset()}; }

  auto policy(Exec const& exec) const {
    return Koalesce::StencilPolicy(exec, Shape{}, m_domain)
        .with_boundary(mirror_plane(), mirror_plane(), Koalesce::Dirichlet(0.F));
  }

  /// Nothing to do: with a boundary, the sweep fills halos at the grid's faces and exchanges the others.
  template <class Field>
  void fill_halo(Exec const&, Field const&) const {}

  template <class Field>
  void write(Exec const& exec, std::filesystem::path const& file, std::int64_t step, Field const& now,
             Field const& previous) const {
    Koalesce::write_checkpoint(exec, m_domain, file, step, Koalesce::named("now", now),
                               Koalesce::named("previous", previous));
  }

  /// Returns the step.
  template <class Field>
  std::int64_t read(Exec const& exec, std::filesystem::path const& file, Field const& now,
                    Field const& previous) const {
    return Koalesce::read_checkpoint(exec, m_domain, file, Koalesce::named("now", now),
                                     Koalesce::named("previous", previous));
  }

 private:
  Koalesce::Domain<3> m_domain;
};

}  // namespace examples::seismic

#endif
