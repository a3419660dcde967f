// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checkpoint.hpp"

#include "../common/InputFile.hpp"
#include "../common/OutputFile.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace examples::seismic {
namespace {

constexpr char const* kind = "seismic_wave record 1";

/// What the record's first line begins with; numbers of steps and snapshots follow, and on the next line the values.
std::string title(Experiment const& e) {
  return std::string(kind) + ": " + e.model.name + ", " + std::to_string(e.radius_points) + " points:";
}

void write(std::ostream& out, std::vector<float> const& values) {
  out.write(reinterpret_cast<char const*>(values.data()), std::streamsize(values.size() * sizeof(float)));
}

std::vector<float> read(std::istream& in, std::size_t size) {
  std::vector<float> values(size);
  in.read(reinterpret_cast<char*>(values.data()), std::streamsize(size * sizeof(float)));
  return values;
}

/// How many snapshots were taken before a step.
std::size_t snapshots_before(Experiment const& e, int step) {
  return std::size_t(std::count_if(snapshot_minutes.begin(), snapshot_minutes.end(),
                                   [&](int minutes) { return e.time(step - 1) >= 60. * minutes; }));
}

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& problem) {
  throw std::runtime_error(file.string() + ": " + problem);
}

}  // namespace

std::filesystem::path record_file(std::filesystem::path const& checkpoint) {
  return std::filesystem::path(checkpoint.string() + ".record");
}

void write_record(std::filesystem::path const& checkpoint, Experiment const& e, Recording const& recording) {
  OutputFile file(record_file(checkpoint));
  std::ofstream out(file.temporary(), std::ios::binary);
  out << title(e) << ' ' << recording.steps << ' ' << recording.snapshots.size() << '\n';
  for (auto const& seismogram : recording.seismograms) write(out, seismogram);
  for (auto const& snapshot : recording.snapshots) write(out, snapshot);
  out.close();
  if (!out) fail(record_file(checkpoint), "cannot be written");
  file.commit();
}

Recording read_record(std::filesystem::path const& checkpoint, Experiment const& e) {
  auto const file = record_file(checkpoint);
  check_input(file);
  std::ifstream in(file, std::ios::binary);
  std::string line;
  std::getline(in, line);
  if (!line.starts_with(kind)) fail(file, "is no record of seismic_wave");
  if (!line.starts_with(title(e)))
    fail(file, "is of another experiment, \"" + line + "\"; give its --model and --points");
  Recording recording;
  std::size_t snapshots = 0;
  std::istringstream(line.substr(title(e).size())) >> recording.steps >> snapshots;
  if (recording.steps < 1 || recording.steps > e.steps || snapshots != snapshots_before(e, recording.steps))
    fail(file, "is damaged");
  for (std::size_t s = 0; s < e.model.arrivals.size(); ++s)
    recording.seismograms.push_back(read(in, std::size_t(recording.steps)));
  for (std::size_t s = 0; s < snapshots; ++s)
    recording.snapshots.push_back(read(in, std::size_t(e.extents[1] * e.extents[2])));
  if (!in || in.peek() != std::ifstream::traits_type::eof()) fail(file, "is not complete, or damaged");
  return recording;
}

void shorten(Recording& recording, Experiment const& e, std::int64_t step, std::filesystem::path const& checkpoint) {
  if (step < 1 || step >= e.steps)
    fail(checkpoint, "is of step " + std::to_string(step) + ", which is none of this run");
  if (recording.steps < step)
    fail(record_file(checkpoint), "ends at step " + std::to_string(recording.steps) + ", but " + checkpoint.string() +
                                      " is of step " + std::to_string(step) + "; the two are not of one run");
  recording.steps = int(step);
  for (auto& seismogram : recording.seismograms) seismogram.resize(std::size_t(step));
  recording.snapshots.resize(snapshots_before(e, recording.steps));
}

}  // namespace examples::seismic
