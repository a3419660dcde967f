// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Statistics.hpp"

#include "Kernels.hpp"

#include <Koalesce/ShadowView.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace examples::columns {
namespace {

using Host = Kokkos::HostSpace;
using Unmanaged =
    Kokkos::View<double const**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The matrix where kernels run, and what the passes write.
struct Table {
  Exec exec;
  Matrix a;
  Columns shift, offset;
  Matrix products;

  Table(double const* values, std::int64_t rows, std::int64_t columns)
      : a(Kokkos::view_alloc(exec, "samples", Kokkos::WithoutInitializing), rows, columns),
        shift(Kokkos::view_alloc(exec, "shift", Kokkos::WithoutInitializing), columns),
        offset(Kokkos::view_alloc(exec, "offset"), columns),
        products(Kokkos::view_alloc(exec, "products"), columns, columns) {
    auto const host = Kokkos::create_mirror_view(a);
    Kokkos::deep_copy(host, Unmanaged(values, rows, columns));
    Kokkos::deep_copy(a, host);
    Kokkos::deep_copy(exec, shift, Kokkos::subview(a, 0, Kokkos::ALL));
    exec.fence();
  }

  std::int64_t rows() const { return std::int64_t(a.extent(0)); }
  std::int64_t columns() const { return std::int64_t(a.extent(1)); }
};

/// Seconds that something takes.
template <class Function>
double timed(Exec const& exec, Function const& function) {
  exec.fence();
  Kokkos::Timer const timer;
  function();
  exec.fence();
  return timer.seconds();
}

template <class View>
void dot_products(Table const& table, View const& a) {
  using Body       = DotProducts<View>;
  auto const tiles = Body::tiles(table.columns());
  Kokkos::parallel_for("column_statistics::dot_products",
                       Kokkos::TeamPolicy<Exec>(table.exec, int(tiles * tiles), Kokkos::AUTO),
                       Body{a, table.shift, table.offset, table.products});
}

/// The two passes through a ShadowView, which is a new one every time: nothing is transposed before.
class OurPasses {
 public:
  explicit OurPasses(Table const& table) : m_table(table), m_a(table.a) {}

  void statistics() const {
    Koalesce::parallel_reduce_columns("column means", m_table.exec, m_a,
                                      AddToMean{m_table.shift, 1 / double(m_table.rows())}, m_table.offset);
  }

  void correlation() const { dot_products(m_table, m_a.by_column(m_table.exec)); }

  std::size_t shadow_bytes() const { return m_a.shadow_bytes(); }

 private:
  Table const& m_table;
  Koalesce::ShadowView<Matrix> m_a;
};

/// The same two on the original.
class PlainPasses {
 public:
  explicit PlainPasses(Table const& table) : m_table(table) {}

  void statistics() const {
    Kokkos::parallel_for("column_statistics::plain_mean",
                         Kokkos::TeamPolicy<Exec>(m_table.exec, int(m_table.columns()), Kokkos::AUTO),
                         PlainMean{m_table.a, m_table.shift, m_table.offset});
  }

  void correlation() const { dot_products(m_table, m_table.a); }

  std::size_t shadow_bytes() const { return 0; }

 private:
  Table const& m_table;
};

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

/// Whether all values of a column are its first one.
bool is_constant(Table const& table, std::size_t column) {
  auto const a     = table.a;
  auto const shift = table.shift;
  bool differs     = false;
  Kokkos::parallel_reduce(
      "column_statistics::differs",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(table.exec, 0, table.rows()),
      KOKKOS_LAMBDA(std::int64_t sample, bool& other) { other = other || a(sample, column) != shift(column); },
      Kokkos::LOr<bool>(differs));
  return !differs;
}

/// From sums of products to correlations.
Correlation finish(Table const& table, std::vector<std::string> const& names) {
  auto const shift    = Kokkos::create_mirror_view_and_copy(Host(), table.shift);
  auto const offset   = Kokkos::create_mirror_view_and_copy(Host(), table.offset);
  auto const products = Kokkos::create_mirror_view_and_copy(Host(), table.products);
  auto const n        = std::size_t(table.columns());
  Correlation result;
  double const accurate = double(table.rows()) * std::numeric_limits<double>::min();  // smaller squares lose digits
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(products(i, i))) throw std::runtime_error(names[i] + ": the values are too large to be squared");
    if (products(i, i) < accurate && !is_constant(table, i))
      throw std::runtime_error(names[i] + ": the values differ by too little for squares; scale them");
    result.mean.push_back(shift(i) + offset(i));
    result.deviation.push_back(std::sqrt(products(i, i) / double(table.rows() - 1)));
  }
  result.matrix.assign(n * n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      if (result.is_constant(i) || result.is_constant(j)) continue;
      double const r           = products(i, j) / (std::sqrt(products(i, i)) * std::sqrt(products(j, j)));
      result.matrix[i * n + j] = result.matrix[j * n + i] = i == j ? 1 : std::clamp(r, -1., 1.);
    }
  return result;
}

template <class Passes>
Correlation run(Table const& table, int repeat, std::vector<std::string> const& names, std::size_t& shadow_bytes) {
  std::vector<double> statistics, correlation, total;
  for (int r = 0; r < repeat; ++r) {
    Passes const passes(table);
    statistics.push_back(timed(table.exec, [&] { passes.statistics(); }));
    correlation.push_back(timed(table.exec, [&] { passes.correlation(); }));
    total.push_back(statistics.back() + correlation.back());
    shadow_bytes = passes.shadow_bytes();
  }
  auto result                = finish(table, names);
  result.statistics_seconds  = median(statistics);
  result.correlation_seconds = median(correlation);
  result.total_seconds       = median(total);
  return result;
}

/// The first launch of a kernel takes longer.
template <class Passes>
void warm_up() {
  std::vector<double> const values(64 * 64, 1);
  Table const table(values.data(), 64, 64);
  Passes const passes(table);
  passes.statistics();
  passes.correlation();
  table.exec.fence();
}

double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!std::isnan(a[i]) || !std::isnan(b[i])) {
      double const difference = std::abs(a[i] - b[i]);
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    }
  return largest;
}

/// A bound of how far rounding can move a correlation: that of a sum of so many products, and more where the values of
/// a column are far from its first one in terms of their deviation.
double rounding(Table const& table, Correlation const& correlation) {
  auto const offset = Kokkos::create_mirror_view_and_copy(Host(), table.offset);
  double far        = 0;
  for (std::size_t i = 0; i < correlation.columns(); ++i)
    if (!correlation.is_constant(i)) far = std::max(far, std::abs(offset(i)) / correlation.deviation[i]);
  return 4 * std::numeric_limits<double>::epsilon() * double(table.rows()) * (1 + far);
}

}  // namespace

Results correlate(Samples& samples, int repeat, bool compare) {
  constexpr std::int64_t max_columns = 10000;  // the correlation matrix has 800 MB
  if (samples.rows < 2)
    throw std::runtime_error(samples.description + ": correlations need two samples or more, and there " +
                             (samples.rows == 1 ? "is only one" : "are none"));
  if (samples.columns > max_columns)
    throw std::runtime_error(samples.description + ": has " + std::to_string(samples.columns) +
                             " columns; the matrix of their correlations would be too large with more than " +
                             std::to_string(max_columns));
  Table const table(samples.values.data(), samples.rows, samples.columns);
  std::vector<double>().swap(samples.values);

  Results results;
  auto const columns = double(samples.columns), tiles = double(DotProducts<Matrix>::tiles(samples.columns));
  auto const column_bytes   = double(sizeof(double)) * double(samples.rows);
  results.statistics_bytes  = columns * column_bytes;
  results.correlation_bytes = tiles * (tiles + 1) / 2 * 2 * Products::tile * column_bytes;

  warm_up<OurPasses>();
  results.ours = run<OurPasses>(table, repeat, samples.names, results.shadow_bytes);
  if (compare) {
    std::size_t none = 0;
    warm_up<PlainPasses>();
    results.plain              = run<PlainPasses>(table, repeat, samples.names, none);
    results.largest_difference = largest_difference(results.ours.matrix, results.plain->matrix);
    results.rounding           = rounding(table, results.ours);
    if (!(results.largest_difference <= results.rounding))
      throw std::runtime_error("Koalesce and plain Kokkos differ by " + std::to_string(results.largest_difference) +
                               ", more than rounding explains");
  }
  return results;
}

std::vector<Pair> strongest(Correlation const& correlation, std::size_t count) {
  std::vector<Pair> pairs;
  auto const stronger = [](Pair const& a, Pair const& b) {
    return std::tuple(-std::abs(a.correlation), a.first, a.second) <
           std::tuple(-std::abs(b.correlation), b.first, b.second);
  };
  if (count == 0) return pairs;
  // A heap whose top is the weakest of the strongest so far.
  for (std::size_t i = 0; i < correlation.columns(); ++i)
    for (std::size_t j = i + 1; j < correlation.columns(); ++j) {
      Pair const pair{i, j, correlation.at(i, j)};
      if (std::isnan(pair.correlation) || (pairs.size() == count && !stronger(pair, pairs.front()))) continue;
      if (pairs.size() == count) {
        std::pop_heap(pairs.begin(), pairs.end(), stronger);
        pairs.pop_back();
      }
      pairs.push_back(pair);
      std::push_heap(pairs.begin(), pairs.end(), stronger);
    }
  std::sort_heap(pairs.begin(), pairs.end(), stronger);
  return pairs;
}

}  // namespace examples::columns
