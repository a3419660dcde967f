// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Transport.hpp"

#include "Events.hpp"
#include "Flight.hpp"

#include <Koalesce/Regroup.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace examples::transport {

std::string const loop = "transport::events";

namespace {

constexpr float beam_radius = 4;  // mm

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;

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

/// Photons under way, and all that kernels need to get them on.
class Histories {
 public:
  Histories(Exec const& exec, Head const& head, Settings const& settings)
      : m_exec(exec),
        m_settings(settings),
        m_grid(make_grid(head)),
        m_beam(make_beam(head, settings.side)),
        m_now(room("photons", settings.bank)),
        m_later(room("photons of the next step", settings.bank)),
        m_born(room("second halves", settings.bank / 2)),
        m_next(Kokkos::view_alloc(exec, "next event", Kokkos::WithoutInitializing), settings.bank),
        m_dose(Kokkos::view_alloc(exec, "dose"), head.cells()) {}

  Exec const& exec() const { return m_exec; }
  Photons const& photons() const { return m_now; }
  auto const& next() const { return m_next; }
  auto const& dose() const { return m_dose; }
  Index under_way() const { return m_under_way; }
  /// With room for two of each: known before the step, so that who splits depends on no order.
  bool may_split() const { return 2 * m_under_way <= m_settings.bank; }

  Pass pass() const { return {}; }
  Scatter scatter() const { return {m_grid}; }
  Absorb absorb() const { return {m_grid, m_dose}; }
  Split split() const { return {m_born}; }
  Roulette roulette() const { return {}; }
  Escape escape() const { return {}; }

  /// New ones up to a quarter of the bank: splitting needs the rest.
  void start() {
    Index const count = std::min(m_settings.photons - m_started, m_settings.bank / 4 - m_under_way);
    if (count <= 0) return;
    Kokkos::parallel_for("transport::start", Range(m_exec, 0, count),
                         Start{m_now, m_beam, m_under_way, std::uint64_t(m_started), m_settings.seed});
    m_started += count;
    m_under_way += count;
  }

  void fly() const {
    Kokkos::parallel_for("transport::flight", Range(m_exec, 0, m_under_way),
                         Flight{m_now, m_next, m_grid, may_split()});
  }

  void gather(Tally const& step) {
    Kokkos::parallel_scan("transport::gather", Range(m_exec, 0, m_under_way), Gather{m_now, m_born, m_later, m_next});
    std::swap(m_now, m_later);
    m_under_way += step.born - step.gone;
  }

 private:
  Photons room(std::string const& name, Index count) const {
    return Photons(Kokkos::view_alloc(m_exec, name, Kokkos::WithoutInitializing), count);
  }

  Exec m_exec;
  Settings m_settings;
  Grid m_grid;
  Beam m_beam;
  Photons m_now, m_later, m_born;
  Kokkos::View<Event*, Exec> m_next;
  Kokkos::View<Weight*, Exec> m_dose;
  Index m_under_way = 0, m_started = 0;
};

/// What came in is what was absorbed, got out, and the roulette's balance.
void check_weight(Result const& result, Settings const& settings) {
  auto const& t     = result.tally;
  Weight const came = Weight(settings.photons) * whole, found = t.absorbed + t.escaped + t.lost - t.won;
  if (came != found)
    throw std::runtime_error("weight is not conserved: " + std::to_string(settings.photons) + " photons started, " +
                             std::to_string(double(found) / double(whole)) + " are found");
  Weight const dose = std::accumulate(result.dose.begin(), result.dose.end(), Weight(0));
  if (dose != t.absorbed) throw std::runtime_error("the dose is not the weight that was absorbed");
}

/// \param[in] events runs a step's events, events(histories, tally).
///
/// The host waits once per step, for the tally, which says how many photons there are next; and only to time events
/// before them.
template <class Events>
Result run(Head const& head, Settings const& settings, Progress const& progress, Events const& events) {
  Exec const exec;
  Histories histories(exec, head, settings);
  Result result;
  double const all = double(settings.photons) * double(whole);
  exec.fence();
  Kokkos::Timer const timer;
  for (histories.start(); histories.under_way() > 0; histories.start()) {
    result.most = std::max(result.most, histories.under_way());
    ++result.steps;
    if (!histories.may_split()) ++result.without_split;
    histories.fly();
    if (settings.time_events) exec.fence();
    Kokkos::Timer const events_timer;
    Tally step;
    events(histories, step);
    if (settings.time_events) result.events_seconds += events_timer.seconds();
    histories.gather(step);
    result.tally += step;
    auto const& t = result.tally;
    progress(std::clamp((double(t.absorbed) + double(t.escaped) + double(t.lost) - double(t.won)) / all, 0., 1.));
  }
  exec.fence();
  result.seconds = timer.seconds();
  progress(1);
  auto const dose = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), histories.dose());
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
  return run(head, settings, progress, [&](Histories const& h, Tally& tally) {
    auto const policy = Koalesce::RegroupPolicy(h.exec(), 0, h.under_way())
                            .with_payload(Koalesce::round_trip(h.photons()))
                            .with_regroup(regroup);
    Koalesce::parallel_regroup_reduce(loop, policy, NextEvent{h.next()}, h.pass(), h.scatter(), h.absorb(), h.split(),
                                      h.roulette(), h.escape(), Kokkos::Sum<Tally>(tally));
  });
}

Result transport_plain(Head const& head, Settings const& settings, Progress const& progress) {
  return run(head, settings, progress, [&](Histories const& h, Tally& tally) {
    Kokkos::parallel_reduce(
        "transport::plain", Range(h.exec(), 0, h.under_way()),
        PlainStep{h.photons(), h.next(), h.pass(), h.scatter(), h.absorb(), h.split(), h.roulette(), h.escape()},
        Kokkos::Sum<Tally>(tally));
  });
}

}  // namespace examples::transport
