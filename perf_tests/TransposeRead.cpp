// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads of a row-major matrix by an index map, summed up: read/<map>/<type>/<rows>x<cols>/<impl>.
//
//   koalesce_first           the first read: it transposes on the way where the map goes by column
//   koalesce                 later ones
//   koalesce_new             a new ShadowView for each read of a map that is not by column: what classification adds to
//                            plain
//   plain                    a Kokkos::parallel_reduce with the same map
//   copied_<maker>_first     by column: a copy in the other layout, made by <maker>, and a plain loop over it, item by
//                            item as the copy lies, whatever the map was: who makes a copy writes the loop for it
//   copied_later             that loop alone
//   copied_evaluating        that loop, which also computes the map's index of every item
//   transpose                Koalesce::transpose alone
//
// Memory for our shadow and for the copies is there before: neither's allocation is measured. It is in
// read/by_column_once/... and read/by_column_thrice/...: a matrix that is read so often, and a new ShadowView or copy.
//
//   koalesce                 a ShadowView that decides by itself when it transposes
//   plain                    the plain loop over the original
//   copied_mdrange           a new copy by the best MDRange loop, and plain loops over it

#include "TransposeRead.hpp"

#include <Koalesce/Koalesce.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <type_traits>

#include "TransposePeers.hpp"

namespace {

using namespace Koalesce;
using perf::Exec;
using perf::Matrices;
using perf::MatrixExtents;

/// Hides from the library what it knows of a map: an application's own functor.
template <class Map>
struct Opaque {
  Map map;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t item) const { return map(item); }
};

/// A pseudo-random gather.
struct Random {
  std::int64_t size;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t item) const {
    return std::int64_t((std::uint64_t(item) * 0x9E3779B97F4A7C15u >> 20) % std::uint64_t(size));
  }
};

struct Sum {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, T const& value, double& sum) const {
    sum += double(value);
  }
};

/// The loop as a user has it without the library.
template <class T, class Map>
struct Plain {
  T const* data;
  Map map;

  KOKKOS_FUNCTION void operator()(std::int64_t item, double& sum) const { sum += double(data[map(item)]); }
};

template <class View, class Map>
double plain_sum(View const& a, Map const& map) {
  double sum = 0;
  Kokkos::parallel_reduce("plain",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, std::int64_t(a.size())),
                          Plain<typename View::value_type, Map>{a.data(), map}, sum);
  return sum;
}

template <class T, class Map>
double koalesce_sum(ShadowView<typename Matrices<T>::View> const& a, Map const& map) {
  double sum = 0;
  parallel_read_reduce("sum", Exec(), a, map, Sum{}, sum);
  return sum;
}

/// A loop over a copy by a user who also needs the original's indices.
template <class T, class Map>
struct Evaluating {
  T const* data;
  Map map;

  KOKKOS_FUNCTION void operator()(std::int64_t item, double& sum) const {
    sum += map(item) >= 0 ? double(data[item]) : 1.;  // the comparison keeps the compiler from dropping the map
  }
};

template <class View, class Map>
double evaluating_sum(View const& copy, Map const& map) {
  double sum = 0;
  Kokkos::parallel_reduce("evaluating",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, std::int64_t(copy.size())),
                          Evaluating<typename View::value_type, Map>{copy.data(), map}, sum);
  return sum;
}

/// Measures what returns the sum, if it returns the right one.
template <class T, class Map, class Kernel>
void measure_sum(benchmark::State& state, Matrices<T> const& m, Map const& map, Kernel const& kernel) {
  double const right = plain_sum(m.in, map), sum = kernel();
  if (!(std::abs(sum - right) <= 1e-9 * std::abs(right)))
    return state.SkipWithError(("the sum is " + std::to_string(sum) + ", not " + std::to_string(right)).c_str());
  perf::measure(state, double(m.in.size()) * sizeof(T), [&] { kernel(); });
}

/// Measures a plain loop over a copy in the other layout.
/// \param make fills m.out; every time, or only before.
template <class T, class Map>
void measure_copied(benchmark::State& state, Matrices<T> const& m, Map const& map, bool every_time,
                    std::function<void()> const& make) {
  make();
  if (auto const wrong = perf::mismatches(m.out, m.in); wrong != 0)
    return state.SkipWithError((std::to_string(wrong) + " elements of the copy are wrong").c_str());
  measure_sum(state, m, map, [&] {
    if (every_time) make();
    return plain_sum(m.out, RowOrder{});
  });
}

/// What who knows that a loop goes by column does without the library.
template <class T, class Map>
void add_copied_reads(std::string const& base, MatrixExtents const& n, Map const& map) {
  auto const deep_copy = [](Matrices<T> const& m) { Kokkos::deep_copy(Exec(), m.out_as_source(), m.in); };
  perf::add(base + "copied_deep_copy_first", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    measure_copied(state, m, map, true, [&] { deep_copy(m); });
  });
  perf::add(base + "copied_mdrange_first", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    auto const best = perf::fastest(
        perf::transpose_loops(), [&](perf::TransposeLoop const& loop) { perf::mdrange_transpose(loop, m.in, m.out); });
    state.SetLabel(best.name());
    measure_copied(state, m, map, true, [&] { perf::mdrange_transpose(best, m.in, m.out); });
  });
#ifdef KOALESCE_HAVE_CUBLAS
  perf::add(base + "copied_cublas_first", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    perf::Cublas const cublas{Exec()};
    measure_copied(state, m, map, true, [&] { cublas.transpose(m.in, m.out); });
  });
#endif
  perf::add(base + "copied_later", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    measure_copied(state, m, map, false, [&] { deep_copy(m); });
  });
  if constexpr (!std::is_same_v<Map, ColumnOrder>)
    perf::add(base + "copied_evaluating", [=](benchmark::State& state) {
      Matrices<T> const m(n);
      deep_copy(m);
      measure_sum(state, m, map, [&] { return evaluating_sum(m.out, map); });
    });
}

template <class Map>
inline constexpr bool goes_by_column = std::is_same_v<Map, ColumnOrder> || std::is_same_v<Map, Opaque<ColumnOrder>>;

template <class T, class Map>
void add_read(std::string const& name, MatrixExtents const& n, Map const& map) {
  std::string const base = "read/" + name + "/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  perf::add(base + "koalesce_first", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    ShadowView const a(m.in, ShadowBuild::first_read);
    measure_sum(state, m, map, [&] {
      a.invalidate();
      return koalesce_sum<T>(a, map);
    });
  });
  perf::add(base + "koalesce", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    ShadowView const a(m.in);
    a.by_column(Exec());
    measure_sum(state, m, map, [&] { return koalesce_sum<T>(a, map); });
  });
  if (std::is_same_v<Map, Random> || std::is_same_v<Map, Opaque<RowOrder>>)
    perf::add(base + "koalesce_new", [=](benchmark::State& state) {
      Matrices<T> const m(n);
      measure_sum(state, m, map, [&] { return koalesce_sum<T>(ShadowView(m.in), map); });
    });
  perf::add(base + "plain", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    measure_sum(state, m, map, [&] { return plain_sum(m.in, map); });
  });
  if constexpr (goes_by_column<Map>) add_copied_reads<T>(base, n, map);
  perf::add(base + "transpose", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    auto const kernel = [&] { transpose(Exec(), m.out, m.in); };
    perf::settle(kernel);
    perf::measure(state, m.bytes(), kernel);
  });
}

/// A whole program's reads of a matrix, with what they allocate.
template <class T>
void add_few_reads(std::string const& name, MatrixExtents const& n, int times) {
  std::string const base = "read/" + name + "/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  ColumnOrder const map(n[0], n[1]);
  auto const repeated = [times](auto const& read) {
    double sum = 0;
    for (int time = 0; time < times; ++time) sum = read();
    return sum;
  };
  perf::add(base + "koalesce", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    measure_sum(state, m, map, [&] {
      ShadowView const a(m.in);
      return repeated([&] { return koalesce_sum<T>(a, map); });
    });
  });
  perf::add(base + "plain", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    measure_sum(state, m, map, [&] { return repeated([&] { return plain_sum(m.in, map); }); });
  });
  perf::add(base + "copied_mdrange", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    auto const best = perf::fastest(
        perf::transpose_loops(), [&](perf::TransposeLoop const& loop) { perf::mdrange_transpose(loop, m.in, m.out); });
    state.SetLabel(best.name());
    measure_sum(state, m, map, [&] {
      decltype(m.out) const copy(Kokkos::view_alloc("copy", Kokkos::WithoutInitializing), n[1], n[0]);
      perf::mdrange_transpose(best, m.in, copy);
      return repeated([&] { return plain_sum(copy, RowOrder{}); });
    });
  });
}

template <class T>
void add_maps(MatrixExtents const& n) {
  ColumnOrder const columns(n[0], n[1]);
  add_read<T>("by_column", n, columns);
  add_read<T>("by_column_opaque", n, Opaque<ColumnOrder>{columns});
  add_read<T>("by_row", n, RowOrder{});
  add_read<T>("by_row_opaque", n, Opaque<RowOrder>{});
  add_read<T>("random", n, Random{n[0] * n[1]});
}

}  // namespace

void add_reads() {
  if (perf::on_host) {
    add_maps<double>({8192, 8192});
    add_maps<double>({100003, 257});
    for (auto const& n : {MatrixExtents{20000, 500}, {8192, 8192}}) {
      add_few_reads<double>("by_column_once", n, 1);
      add_few_reads<double>("by_column_thrice", n, 3);
    }
  } else {
    add_maps<double>({16384, 16384});
    add_maps<double>({1000003, 257});
    add_maps<float>({16384, 16384});
    add_maps<float>({4099, 65537});
    add_few_reads<double>("by_column_once", {16384, 16384}, 1);
    add_few_reads<double>("by_column_thrice", {16384, 16384}, 3);
  }
}
