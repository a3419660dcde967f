// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Transport.hpp"

#include "History.hpp"

#include <Koalesce/Regroup.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace examples::transport {

std::string const loop = "transport::histories";

namespace {

constexpr float beam_radius = 4;  // mm

template <class T>
Kokkos::View<T*, Exec> on_device(std::string const& name, std::vector<T> const& values) {
  Kokkos::View<T*, Exec> view(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), values.size());
  Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

Grid make_grid(Head const& head) {
  Grid grid{};
  std::vector<std::uint8_t> tissue(head.tissue.size());
  std::transform(head.tissue.begin(), head.tissue.end(), tissue.begin(), [](Tissue t) { return std::uint8_t(t); });
  grid.tissue = on_device("tissue", tissue);
  for (int d = 0; d < 3; ++d) {
    grid.cells_per_mm[d] = float(1 / head.spacing[d]);
    grid.size[d]         = head.size[d];
  }
  grid.materials = on_device("materials", std::vector<Material>(materials.begin(), materials.end()));
  for (auto const& m : materials) grid.densest = std::max(grid.densest, absorptions * m.absorption + m.scattering);
  return grid;
}

/// Through the middle of the object.
Beam make_beam(Head const& head, Side side) {
  auto const& to   = head.patient[patient_axis(side)];
  bool const above = (side == Side::right || side == Side::front || side == Side::top) != to.flipped;
  Beam beam{};
  beam.axis   = to.axis;
  beam.radius = beam_radius;
  for (int d = 0; d < 3; ++d) beam.center[d] = float(head.center[d]);
  beam.direction[to.axis] = above ? -1.F : 1.F;
  double const edge       = double(head.size[to.axis]) * head.spacing[to.axis];
  beam.center[to.axis]    = float(above ? edge * (1 - 1e-6) : 0);
  return beam;
}

/// What came in is what was absorbed, got out, and the roulette's balance.
void check_weight(Result const& result, Settings const& settings) {
  Weight const came     = Weight(settings.photons) * whole;
  Weight const absorbed = std::accumulate(result.dose.begin(), result.dose.end(), Weight(0));
  Weight const found    = absorbed + result.tally.escaped + Weight(result.tally.lost);
  if (came != found)
    throw std::runtime_error("weight is not conserved: " + std::to_string(settings.photons) + " photons started, " +
                             std::to_string(double(found) / double(whole)) + " are found");
}

/// What was asked for; or so many that their end, when some threads have no work left, is a small part of a loop.
Index batch_size(Exec const& exec, Settings const& settings) {
  return settings.batch > 0 ? settings.batch : std::max<Index>(16384, 16 * Index(exec.concurrency()));
}

/// \param[in] histories runs a batch, histories(exec, photons, begin, fly, tally).
template <class Histories>
Result run(Head const& head, Settings const& settings, Progress const& progress, Histories const& histories) {
  Exec const exec;
  Fly const fly{make_grid(head), Kokkos::View<Weight*, Exec>(Kokkos::view_alloc(exec, "dose"), head.cells())};
  Begin begin{make_beam(head, settings.side), 0, settings.seed};
  Result result;
  Index const batch = batch_size(exec, settings);
  exec.fence();
  Kokkos::Timer const timer;
  for (Index done = 0; done < settings.photons; done += batch) {
    begin.first = std::uint64_t(done);
    Tally tally;
    histories(exec, std::min(batch, settings.photons - done), begin, fly, tally);
    result.tally += tally;
    progress(double(done) / double(settings.photons));
  }
  result.seconds = timer.seconds();
  progress(1);
  auto const dose = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), fly.dose);
  result.dose.assign(dose.data(), dose.data() + dose.size());
  check_weight(result, settings);
  return result;
}

}  // namespace

int patient_axis(Side side) {
  switch (side) {
    case Side::right:
    case Side::left: return 0;
    case Side::front:
    case Side::back: return 1;
    case Side::top: break;
  }
  return 2;
}

Result transport(Head const& head, Settings const& settings, Koalesce::Regroup regroup, Progress const& progress) {
  return run(
      head, settings, progress, [&](Exec const& exec, Index photons, Begin const& begin, Fly const& fly, Tally& tally) {
        Koalesce::parallel_regroup_until_reduce(loop, Koalesce::RegroupPolicy(exec, 0, photons).with_regroup(regroup),
                                                begin, fly, End(), Kokkos::Sum<Tally>(tally));
      });
}

Result transport_plain(Head const& head, Settings const& settings, Progress const& progress) {
  return run(head, settings, progress,
             [&](Exec const& exec, Index photons, Begin const& begin, Fly const& fly, Tally& tally) {
               Kokkos::parallel_reduce("transport::plain",
                                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, photons),
                                       Plain{begin, fly, End()}, Kokkos::Sum<Tally>(tally));
             });
}

}  // namespace examples::transport
