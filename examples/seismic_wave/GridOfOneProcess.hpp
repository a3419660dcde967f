// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_GRID_OF_ONE_PROCESS_HPP
#define SEISMIC_WAVE_GRID_OF_ONE_PROCESS_HPP

#include "Part.hpp"

#include <Koalesce/Stencil.hpp>

#include <cstdint>
#include <filesystem>

namespace examples::seismic {

/// The grid where the example is built without MPI.
class Grid {
 public:
  explicit Grid(Extents const& n) : m_extents(n) {}

  Part part() const { return {m_extents, {}}; }

  auto policy(Exec const& exec) const { return Koalesce::StencilPolicy(exec, Shape{}, m_extents); }

  /// Fills the halo that the next sweep reads.
  template <class Field>
  void fill_halo(Exec const& exec, Field const& now) const {
    mirror(exec, now, m_extents);
  }

  /// There are no checkpoints: the command line refuses them.
  template <class Field>
  void write(Exec const&, std::filesystem::path const&, std::int64_t, Field const&, Field const&) const {}
  template <class Field>
  std::int64_t read(Exec const&, std::filesystem::path const&, Field const&, Field const&) const {
    return 0;
  }

 private:
  Extents m_extents;
};

}  // namespace examples::seismic

#endif
