// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One result per column or row of a row-major matrix: reduce/<columns|rows>/<type>/<rows>x<columns>/<impl>, sums, and
// reduce/<columns|rows>_of_four/..., sums, sums of squares, minima and maxima. Bytes count the matrix once, and `copy`
// reads and writes as many: it copies a half of it. Results are compared with sums in double precision before they are
// measured.

#include "TransposeReduce.hpp"

#include <Koalesce/ShadowView.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"
#include "TransposePeers.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#endif

namespace {

using perf::Exec;
using perf::MatrixExtents;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
template <class T>
using Vector = Kokkos::View<T*, Exec>;

// ---- Ours ----

struct Add {
  template <class T>
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, T value, T& sum) const {
    sum += value;
  }
};

struct AddSquare {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double value, double& sum) const { sum += value * value; }
};

struct Least {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double value, double& least) const {
    least = Kokkos::min(least, value);
  }
};

struct Most {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double value, double& most) const {
    most = Kokkos::max(most, value);
  }
};

struct AddFour {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double value, double& sum, double& squares, double& least,
                                  double& most) const {
    sum += value;
    squares += value * value;
    least = Kokkos::min(least, value);
    most  = Kokkos::max(most, value);
  }
};

template <class T, class Functor, class... Results>
void koalesce(bool rows, Matrix<T> const& a, Functor const& functor, Results const&... results) {
  if (rows) Koalesce::parallel_reduce_rows("reduce", Exec(), a, functor, results...);
  else Koalesce::parallel_reduce_columns("reduce", Exec(), a, functor, results...);
}

// ---- Plain Kokkos ----

/// Element `at` of a line.
template <class T>
KOKKOS_FUNCTION T element(Matrix<T> const& a, bool rows, std::int64_t line, std::int64_t at) {
  return rows ? a(line, at) : a(at, line);
}

/// A team takes a line.
template <class T, class Functor, class Reducer>
struct TeamPerLine {
  using Member = Kokkos::TeamPolicy<Exec>::member_type;
  using Sum    = typename Reducer::value_type;

  Matrix<T> a;
  bool rows;
  Functor functor;
  Vector<Sum> result;

  void run() const {
    Kokkos::parallel_for("plain", Kokkos::TeamPolicy<Exec>(int(a.extent(rows ? 0 : 1)), Kokkos::AUTO), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const line = team.league_rank();
    Sum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, std::int64_t(a.extent(rows ? 1 : 0))),
        [&](std::int64_t at, Sum& update) { functor(0, 0, Sum(element(a, rows, line, at)), update); }, Reducer(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { result(line) = sum; });
  }
};

/// A thread takes a line.
template <class T>
struct ThreadPerLine {
  Matrix<T> a;
  bool rows;
  Vector<T> sum, squares, least, most;  // only the first, if the others are empty

  void run() const { Kokkos::parallel_for("plain", Range(0, std::int64_t(sum.extent(0))), *this); }

  KOKKOS_FUNCTION void operator()(std::int64_t line) const {
    std::int64_t const length = a.extent(rows ? 1 : 0);
    T s = 0, q = 0, l = Kokkos::Experimental::finite_max_v<T>, m = Kokkos::Experimental::finite_min_v<T>;
    if (squares.extent(0) == 0) {
      for (std::int64_t at = 0; at < length; ++at) s += element(a, rows, line, at);
      sum(line) = s;
      return;
    }
    for (std::int64_t at = 0; at < length; ++at) {
      T const value = element(a, rows, line, at);
      s += value;
      q += value * value;
      l = Kokkos::min(l, value);
      m = Kokkos::max(m, value);
    }
    sum(line)     = s;
    squares(line) = q;
    least(line)   = l;
    most(line)    = m;
  }
};

/// On CPUs: what threads read that add up their shares, in vectors.
template <class T>
struct ReadShares {
  T const* from;
  std::int64_t count, shares;
  Vector<T> sums;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    constexpr int lanes    = 256 / sizeof(T);
    T sum[lanes]           = {};
    std::int64_t const end = count * (share + 1) / shares;
    for (std::int64_t i = count * share / shares; i + lanes <= end; i += lanes)
      for (int lane = 0; lane < lanes; ++lane) sum[lane] += from[i + lane];
    for (int lane = 0; lane < lanes; ++lane) sums(share) += sum[lane];
  }
};

/// Lines whose results differ from the expected ones by more than rounding.
template <class T>
struct WrongLine {
  Vector<T> found;
  Vector<double> expected;
  double rounding = std::is_same_v<T, float> ? 2e-3 : 1e-10;

  KOKKOS_FUNCTION void operator()(std::int64_t line, std::int64_t& wrong) const {
    double const right = expected(line);
    if (!(Kokkos::abs(double(found(line)) - right) <= rounding * Kokkos::abs(right))) ++wrong;  // NaN, too
  }
};

#ifdef KOKKOS_ENABLE_CUDA
struct RowStart {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};

/// CUB's sums of segments, which are the rows.
template <class T>
std::function<void()> cub_sums(Matrix<T> const& a, Vector<T> const& sums) {
  auto const starts =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), RowStart{std::int64_t(a.extent(1))});
  auto const rows = int(a.extent(0));
  auto const call = [=](void* storage, std::size_t& bytes) {
    cub::DeviceSegmentedReduce::Sum(storage, bytes, a.data(), sums.data(), rows, starts, starts + 1,
                                    Exec().cuda_stream());
  };
  std::size_t bytes = 0;
  call(nullptr, bytes);
  Vector<char> const storage("storage", bytes);
  return [=] {
    std::size_t size = bytes;
    call(storage.data(), size);
  };
}
#endif

// ---- All of them ----

/// A matrix and the results of its lines.
template <class T>
struct Lines {
  Lines(MatrixExtents const& n, bool r)
      : rows(r), a(Kokkos::view_alloc("a", Kokkos::WithoutInitializing), n[0], n[1]), lines(n[r ? 0 : 1]) {
    perf::fill(a);
    for (auto* const result : {&sum, &squares, &least, &most}) *result = Vector<T>("result", lines);
  }

  double bytes() const { return double(a.size()) * sizeof(T); }

  /// How many of the sums, and of what else is given, are not those of a plain loop, up to rounding.
  std::int64_t mismatches(std::vector<Vector<T>> const& found) const {
    Vector<double> const expected("expected", lines);
    std::int64_t all = 0;
    auto const look  = [&](Vector<T> const& result, auto const& reference) {
      reference.run();
      std::int64_t wrong = 0;
      Kokkos::parallel_reduce("mismatches", Range(0, lines), WrongLine<T>{result, expected}, wrong);
      all += wrong;
    };
    look(found[0], TeamPerLine<T, Add, Kokkos::Sum<double>>{a, rows, {}, expected});
    if (found.size() == 4) {
      look(found[1], TeamPerLine<T, AddSquare, Kokkos::Sum<double>>{a, rows, {}, expected});
      look(found[2], TeamPerLine<T, Least, Kokkos::Min<double>>{a, rows, {}, expected});
      look(found[3], TeamPerLine<T, Most, Kokkos::Max<double>>{a, rows, {}, expected});
    }
    return all;
  }

  bool rows;
  Matrix<T> a;
  std::int64_t lines;
  Vector<T> sum, squares, least, most;
};

/// Runs once, compares, and is ready.
template <class T>
perf::Prepared prepared(std::shared_ptr<Lines<T>> const& l, std::vector<Vector<T>> const& results,
                        std::function<void()> const& kernel) {
  for (auto const& result : results) Kokkos::deep_copy(result, std::numeric_limits<T>::quiet_NaN());
  kernel();
  Exec().fence();
  perf::Prepared ready;
  ready.kernel = [l, kernel] { kernel(); };
  ready.bytes  = l->bytes();
  if (!results.empty())
    if (auto const wrong = l->mismatches(results); wrong != 0)
      ready.error = std::to_string(wrong) + " results are wrong";
  return ready;
}

template <class T>
std::string base_name(char const* what, bool rows, MatrixExtents const& n) {
  return std::string("reduce/") + (rows ? "rows" : "columns") + what + "/" + perf::type_name<T>() + "/" +
         perf::size_name(n) + "/";
}

template <class T>
void add_copy(std::string const& base, MatrixExtents const& n, bool rows) {
  perf::add_prepared(base + "copy", [=] {
    auto const l           = std::make_shared<Lines<T>>(n, rows);
    std::size_t const half = l->a.size() / 2;
    using Flat             = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto const copy        = perf::fastest_copy(Flat(l->a.data() + half, half), Flat(l->a.data(), half));
    auto ready             = prepared<T>(l, {}, copy.run);
    ready.label            = copy.name;
    return ready;
  });
}

/// The bound of what only reads.
template <class T>
void add_read(std::string const& base, MatrixExtents const& n, bool rows) {
  if (!perf::on_host) return;
  perf::add_prepared(base + "read", [=] {
    auto const l                = std::make_shared<Lines<T>>(n, rows);
    std::int64_t const elements = l->a.size(), shares = Exec().concurrency();
    Vector<T> const sums("sums", shares);
    return prepared<T>(l, {}, [=] {
      Kokkos::parallel_for("read", Range(0, shares), ReadShares<T>{l->a.data(), elements, shares, sums});
    });
  });
}

template <class T>
void add_sums(MatrixExtents const& n, bool rows) {
  std::string const base = base_name<T>("", rows, n);
  auto const add         = [=](std::string const& impl, auto const& make) {
    perf::add_prepared(base + impl, [=] {
      auto const l = std::make_shared<Lines<T>>(n, rows);
      return prepared<T>(l, {l->sum}, make(*l));
    });
  };
  add("koalesce",
      [](Lines<T> const& l) -> std::function<void()> { return [&l] { koalesce(l.rows, l.a, Add(), l.sum); }; });
  add("plain_team", [](Lines<T> const& l) -> std::function<void()> {
    return [&l] { TeamPerLine<T, Add, Kokkos::Sum<T>>{l.a, l.rows, {}, l.sum}.run(); };
  });
  add("plain_range", [](Lines<T> const& l) -> std::function<void()> {
    return [&l] { ThreadPerLine<T>{l.a, l.rows, l.sum, {}, {}, {}}.run(); };
  });
#ifdef KOALESCE_HAVE_CUBLAS
  add("cublas_gemv", [](Lines<T> const& l) -> std::function<void()> {
    auto const cublas = std::make_shared<perf::Cublas>(Exec());
    Vector<T> const ones("ones", l.a.extent(l.rows ? 1 : 0));
    Kokkos::deep_copy(ones, T(1));
    return [&l, cublas, ones] { cublas->multiply(l.rows, l.a, ones, l.sum); };
  });
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if (rows) add("cub", [](Lines<T> const& l) { return cub_sums(l.a, l.sum); });
#endif
  add_copy<T>(base, n, rows);
  add_read<T>(base, n, rows);
}

/// Four reducers in one pass, and one pass each.
void add_four(MatrixExtents const& n, bool rows) {
  using T = double;
  using Koalesce::per_line;
  std::string const base = base_name<T>("_of_four", rows, n);
  auto const add         = [=](std::string const& impl, auto const& run) {
    perf::add_prepared(base + impl, [=] {
      auto const l = std::make_shared<Lines<T>>(n, rows);
      return prepared<T>(l, {l->sum, l->squares, l->least, l->most}, [run, &lines = *l] { run(lines); });
    });
  };
  add("koalesce", [](Lines<T> const& l) {
    koalesce(l.rows, l.a, AddFour(), l.sum, l.squares, per_line<Kokkos::Min<T>>(l.least),
             per_line<Kokkos::Max<T>>(l.most));
  });
  add("koalesce_each", [](Lines<T> const& l) {
    koalesce(l.rows, l.a, Add(), l.sum);
    koalesce(l.rows, l.a, AddSquare(), l.squares);
    koalesce(l.rows, l.a, Least(), per_line<Kokkos::Min<T>>(l.least));
    koalesce(l.rows, l.a, Most(), per_line<Kokkos::Max<T>>(l.most));
  });
  add("plain_team", [](Lines<T> const& l) {
    TeamPerLine<T, Add, Kokkos::Sum<T>>{l.a, l.rows, {}, l.sum}.run();
    TeamPerLine<T, AddSquare, Kokkos::Sum<T>>{l.a, l.rows, {}, l.squares}.run();
    TeamPerLine<T, Least, Kokkos::Min<T>>{l.a, l.rows, {}, l.least}.run();
    TeamPerLine<T, Most, Kokkos::Max<T>>{l.a, l.rows, {}, l.most}.run();
  });
  add("plain_range", [](Lines<T> const& l) { ThreadPerLine<T>{l.a, l.rows, l.sum, l.squares, l.least, l.most}.run(); });
  add_copy<T>(base, n, rows);
  add_read<T>(base, n, rows);
}

}  // namespace

void add_line_reductions() {
  constexpr std::int64_t shrink = perf::on_host ? 10 : 1, side = perf::on_host ? 4096 : 16384;
  for (bool const rows : {false, true}) {
    add_sums<double>({side, side}, rows);
    add_sums<float>({side, side}, rows);
    for (MatrixExtents const& n : {MatrixExtents{50000000 / shrink, 3},
                                   {3, 50000000 / shrink},
                                   {1000003 / shrink, 257},
                                   {20000, 500},
                                   {116920 / (perf::on_host ? 2 : 1), 301}})
      add_sums<double>(n, rows);
    add_sums<float>({4099, perf::on_host ? 8193 : 65537}, rows);
    add_four({1000003 / shrink, 257}, rows);
  }
}
