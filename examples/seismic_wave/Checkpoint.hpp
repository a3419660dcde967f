// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_CHECKPOINT_HPP
#define SEISMIC_WAVE_CHECKPOINT_HPP

#include "Experiment.hpp"
#include "Recording.hpp"

#include <cstdint>
#include <filesystem>

// A checkpoint is two files: the two time levels, FILE, as Koalesce::write_checkpoint writes it, and FILE.record, what
// stations and snapshots have recorded before. Each takes the place of an earlier one when it is complete, the record
// first. A run that ends between the two leaves a record that is ahead, of which the first steps are as good.
namespace examples::seismic {

/// What the command line says of checkpoints.
struct Checkpoints {
  std::filesystem::path file;     ///< to be written; empty: none
  std::filesystem::path restart;  ///< to go on from; empty: none
  int every      = 200;           ///< steps
  int stop_after = 0;             ///< so many steps; 0: the experiment's
};

/// The file of the record.
std::filesystem::path record_file(std::filesystem::path const& checkpoint);

/// \throws std::runtime_error it cannot be written.
void write_record(std::filesystem::path const& checkpoint, Experiment const& e, Recording const& recording);

/// \throws std::runtime_error it cannot be read, is not complete, or is of another experiment.
Recording read_record(std::filesystem::path const& checkpoint, Experiment const& e);

/// \brief Drops what was recorded after the step that the fields are of.
///
/// \throws std::runtime_error the record ends before that step, or the experiment has no such step.
void shorten(Recording& recording, Experiment const& e, std::int64_t step, std::filesystem::path const& checkpoint);

}  // namespace examples::seismic

#endif
