// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_TRANSPORT_HPP
#define TRANSPORT_TRANSPORT_HPP

#include "../common/ProgressBar.hpp"
#include "Head.hpp"
#include "Photon.hpp"

#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace examples::transport {

/// Where the beam comes from, in terms of the patient.
enum class Side { right, left, front, back, top };

struct Settings {
  std::int64_t photons = 0;
  std::int64_t batch   = 0;  ///< photons of a loop; 0: as many as the device needs
  std::uint64_t seed   = 0;
  Side side            = Side::left;
};

struct Result {
  std::vector<Weight> dose;  ///< what each cell absorbed
  Tally tally;
  double seconds = 0;
};

/// The label of the loop over histories.
extern std::string const loop;

/// \brief All histories; lanes and threads that are done take the next ones.
/// \throws std::runtime_error the weight that came in is not that which is found.
Result transport(Head const& head, Settings const& settings, Koalesce::Regroup regroup, Progress const& progress);

/// The same in plain Kokkos.
Result transport_plain(Head const& head, Settings const& settings, Progress const& progress);

/// The patient's axis, 0 right, 1 front, 2 top, that the beam goes along.
int patient_axis(Side side);

}  // namespace examples::transport

#endif
