// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_ACCESS_ESTIMATE_HPP
#define KOALESCE_PLACEMENT_ACCESS_ESTIMATE_HPP

namespace Koalesce {

/// \brief Averages the trip counts of loops whose trip counts are not constants.
class TripCounts {
 public:
  /// Adds the trip count of one loop.
  void add(double trips) {
    m_sum += trips;
    ++m_loops;
  }

  /// The mean over the loops; 0 if there were none.
  double average() const { return m_loops > 0 ? m_sum / double(m_loops) : 0; }
  /// Number of loops.
  long long loops() const { return m_loops; }

 private:
  double m_sum      = 0;
  long long m_loops = 0;
};

/// \brief The trip count that an estimate assumes for a loop whose trip count is unknown.
///
/// The average over the loops of the benchmarks' kernels, which `koalesce_perf_placement --trip_counts` prints on a
/// GPU.
inline constexpr double learned_trips = 71;

/// \brief Estimates from its source code how often a kernel accesses an array.
///
/// For nested loops and conditions, pass the inner estimate to the outer one: an access in a condition in a loop is
/// `AccessEstimate().in_loop(8, AccessEstimate().in_condition())`, which counts 8 * 0.5.
class AccessEstimate {
 public:
  /// \param[in] unknown_trips  the trip count that in_unknown_loop() assumes.
  constexpr explicit AccessEstimate(double unknown_trips = learned_trips) : m_unknown_trips(unknown_trips) {}

  /// n accesses that always happen.
  constexpr AccessEstimate& access(double n = 1) { return add(n); }
  /// n accesses in a condition: half of them happen.
  constexpr AccessEstimate& in_condition(double n = 1) { return add(0.5 * n); }
  /// What another estimate counts, in a condition.
  constexpr AccessEstimate& in_condition(AccessEstimate const& body) { return in_condition(body.count()); }
  /// n accesses in each of a loop's trips.
  constexpr AccessEstimate& in_loop(double trips, double n = 1) { return add(trips * n); }
  /// What another estimate counts, in each of a loop's trips.
  constexpr AccessEstimate& in_loop(double trips, AccessEstimate const& body) { return in_loop(trips, body.count()); }
  /// n accesses in each trip of a loop whose trip count is no constant.
  constexpr AccessEstimate& in_unknown_loop(double n = 1) { return add(m_unknown_trips * n); }
  /// What another estimate counts, in each trip of a loop whose trip count is no constant.
  constexpr AccessEstimate& in_unknown_loop(AccessEstimate const& body) { return in_unknown_loop(body.count()); }

  /// Accesses, so far.
  constexpr double count() const { return m_count; }

 private:
  constexpr AccessEstimate& add(double n) {
    m_count += n;
    return *this;
  }

  double m_unknown_trips;
  double m_count = 0;
};

}  // namespace Koalesce

#endif
