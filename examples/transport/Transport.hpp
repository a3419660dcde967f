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
  std::int64_t bank    = 0;  ///< room for so many at a time
  std::uint64_t seed   = 0;
  Side side            = Side::left;
  bool time_events     = false;  ///< wait before every step's events, to time them alone
};

struct Result {
  std::vector<Weight> dose;  ///< what each cell absorbed
  Tally tally;
  std::int64_t steps         = 0;
  std::int64_t most          = 0;  ///< photons at a time
  std::int64_t without_split = 0;  ///< steps in which the bank had no room for splitting
  double seconds             = 0;
  double events_seconds      = 0;  ///< of these; 0: not known
};

/// The label of the regrouped loop.
extern std::string const loop;

/// \brief All histories, with the events of a step regrouped.
/// \throws std::runtime_error the weight that came in is not that which is found.
Result transport(Head const& head, Settings const& settings, Koalesce::Regroup regroup, Progress const& progress);

/// The same in plain Kokkos.
Result transport_plain(Head const& head, Settings const& settings, Progress const& progress);

/// The patient's axis, 0 right, 1 front, 2 top, that the beam goes along.
int patient_axis(Side side);

}  // namespace examples::transport

#endif
