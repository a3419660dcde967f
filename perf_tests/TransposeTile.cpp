// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A user's kernel with one thread per row of a row-major matrix: tile/<type>/<rows>x<columns>/<impl>.
// Each row is a recurrence, s = decay * s + a(i, j) * x(j), so a team cannot share it. Neighboring threads own
// neighboring rows, so a plain loop reads the matrix by column: uncoalesced on GPUs. A CPU thread reads along its rows.
//
//   half_warp_tile           a TeamPolicy kernel that reads through HalfWarpTile
//   by_column                a RangePolicy kernel over ShadowView::by_column(), whose shadow was built before
//   by_column_first          the same, and the shadow is rebuilt each time
//   plain                    the same kernel over the matrix itself
//   kokkos_scratch           a TeamPolicy kernel with tiles in team scratch
//   tile_32x33               a CUDA kernel with tiles in shared memory, filled by asynchronous copies
//   read                     parallel_reduce over the matrix, coalesced: the bound
//
// Each is the fastest of a few variants; the label names it. The results of all variants are compared with the plain
// loop's before one is measured. Bytes count the matrix once.

#include "TransposeTile.hpp"

#include <Koalesce/Koalesce.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"
#include "TransposePeers.hpp"
#include "TransposeTileCuda.hpp"

namespace {

using namespace Koalesce;
using perf::Exec;
using perf::MatrixExtents;

using Range  = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
using Team   = Kokkos::TeamPolicy<Exec>;
using Member = Team::member_type;

/// Close to 1, so that the first columns of a long row still count in the comparison of results.
inline constexpr double decay = 0.99999;

struct Step {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(T sum, T element, T x) const {
    return T(decay) * sum + element * x;
  }
};

template <class T>
struct Problem {
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  using Vector = Kokkos::View<T*, Exec>;

  explicit Problem(MatrixExtents const& n)
      : a(Kokkos::view_alloc("a", Kokkos::WithoutInitializing), n[0], n[1]),
        x("x", n[1]),
        y("y", n[0]),
        right("right", n[0]) {
    perf::fill(a);
    perf::fill(x);
  }

  double bytes() const { return double(sizeof(T)) * double(a.size()); }

  Matrix a;
  Vector x, y;
  Vector right;  ///< the plain loop's result
};

/// One of the ways to write an implementation.
struct Variant {
  std::string name;
  std::function<void()> run;
};

// ---- One thread per row, by itself ----

/// \tparam Batch elements that a thread loads before it works on them; 1 is the loop as written by a user.
template <class View, class Vector, int Batch>
struct AlongRows {
  using T = typename Vector::value_type;

  View a;
  Vector x, y;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const columns = a.extent(1);
    std::int64_t j             = 0;
    T sum                      = 0;
    if constexpr (Batch > 1) {
      for (; j + Batch <= columns; j += Batch) {
        T element[Batch];
        for (int b = 0; b < Batch; ++b) element[b] = a(i, j + b);
        for (int b = 0; b < Batch; ++b) sum = Step()(sum, element[b], x(j + b));
      }
    }
    for (; j < columns; ++j) sum = Step()(sum, T(a(i, j)), x(j));
    y(i) = sum;
  }
};

/// \tparam Bounds Kokkos::LaunchBounds; without any, the compiler saves registers and splits the batches up.
template <int Batch, class Bounds = Kokkos::LaunchBounds<>, class T, class View>
void go_along_rows(Problem<T> const& p, View const& a) {
  Kokkos::parallel_for("along rows",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, Bounds>(0, std::int64_t(a.extent(0))),
                       AlongRows<View, typename Problem<T>::Vector, Batch>{a, p.x, p.y});
}

template <int Batch, int Block, class T, class Matrix>
Variant batched_loop(Problem<T> const& p, Matrix const& matrix) {
  std::string const block = perf::on_host ? "" : ", blocks of " + std::to_string(Block);
  return {std::to_string(Batch) + " at a time" + block,
          [=] { go_along_rows<Batch, Kokkos::LaunchBounds<Block, 1>>(p, matrix()); }};
}

/// \param[in] matrix returns the View to read.
template <class T, class Matrix>
std::vector<Variant> loops(Problem<T> const& p, Matrix const& matrix) {
  Variant const as_written{"as written", [=] { go_along_rows<1>(p, matrix()); }};
  if (perf::on_host) return {as_written, batched_loop<16, 32>(p, matrix)};
  return {as_written, batched_loop<16, 128>(p, matrix), batched_loop<32, 128>(p, matrix),
          batched_loop<32, 32>(p, matrix), batched_loop<64, 32>(p, matrix)};
}

// ---- Tiles of half-warps ----

template <class T, int Ahead, int Rows>
struct HalfWarpTiles {
  using Tile = HalfWarpTile<T, Exec, Ahead, Rows>;
  /// On a CPU a thread takes the rows of a half-warp.
  static constexpr int rows_per_thread = Tile::on_host ? Rows : 1;

  typename Problem<T>::Matrix a;
  typename Problem<T>::Vector x, y;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team);
    std::int64_t const row   = std::int64_t(team.league_rank()) * Tile::rows(team.team_size());
    std::int64_t const first = Tile::first_row(team.team_rank(), row), columns = a.extent(1);
    T sum[rows_per_thread] = {};
    tile.read(team, a, x, row, 0, columns, [&](std::int64_t i, std::int64_t, T element, T x_j) {
      T& s = sum[rows_per_thread == 1 ? 0 : i - first];
      s    = Step()(s, element, x_j);
    });
    for (int r = 0; r < rows_per_thread; ++r)
      if (first >= 0 && first + r < std::int64_t(a.extent(0))) y(first + r) = sum[r];
  }
};

template <int Ahead, int Rows, class T>
void add_half_warp_tiles(std::vector<Variant>& variants, Problem<T> const& p) {
  using Tile = HalfWarpTile<T, Exec, Ahead, Rows>;
  for (int const team_size : perf::on_host ? std::vector<int>{1} : std::vector<int>{16, 32, 64, 128, 256}) {
    std::int64_t const all = p.a.extent(0), rows = Tile::rows(team_size);
    Team policy(int((all + rows - 1) / rows), team_size);
    if (Tile::scratch_size(team_size) > std::size_t(Team::scratch_size_max(0))) continue;
    policy.set_scratch_size(0, Kokkos::PerTeam(int(Tile::scratch_size(team_size))));
    variants.push_back({perf::size_name<2>({Rows, Tile::tile_columns}) + ", teams of " + std::to_string(team_size) +
                            ", " + std::to_string(Ahead) + " tiles ahead",
                        [=] {
                          Kokkos::parallel_for("half-warp tiles", policy, HalfWarpTiles<T, Ahead, Rows>{p.a, p.x, p.y});
                        }});
  }
}

template <class T>
std::vector<Variant> half_warp_tiles(Problem<T> const& p) {
  std::vector<Variant> variants;
  add_half_warp_tiles<5, 16>(variants, p);
  if (perf::on_host) return variants;
  add_half_warp_tiles<3, 16>(variants, p);
  add_half_warp_tiles<7, 16>(variants, p);
  add_half_warp_tiles<3, 8>(variants, p);
  add_half_warp_tiles<3, 4>(variants, p);
  add_half_warp_tiles<3, 2>(variants, p);
  return variants;
}

// ---- Tiles in scratch memory ----

/// Two tiles per team, so one barrier per tile is enough: while the first threads work on one tile, the others fill the
/// next. Tiles hold the products of elements and x.
template <class T, int Rows, int Columns>
struct ScratchTiles {
  static constexpr int pitch = Columns + 1, size = Rows * pitch, batch = 4;
  static constexpr std::size_t bytes = (2 * size + Rows) * sizeof(T);

  typename Problem<T>::Matrix a;
  typename Problem<T>::Vector x, y;

  /// Zero outside the matrix.
  KOKKOS_FUNCTION T product(std::int64_t i, std::int64_t j) const {
    return i < std::int64_t(a.extent(0)) && j < std::int64_t(a.extent(1)) ? a(i, j) * x(j) : T(0);
  }

  KOKKOS_FUNCTION void fill(Member const& team, std::int64_t row, std::int64_t column, T* tile) const {
    int const threads = team.team_size();
    for (int first = team.team_rank(); first < Rows * Columns; first += batch * threads) {
      T value[batch];
      for (int b = 0; b < batch; ++b) {
        int const k = first + b * threads;
        value[b]    = k < Rows * Columns ? product(row + k / Columns, column + k % Columns) : T(0);
      }
      for (int b = 0; b < batch; ++b)
        if (int const k = first + b * threads; k < Rows * Columns) tile[k / Columns * pitch + k % Columns] = value[b];
    }
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    T* const tiles             = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(+bytes, alignof(T)));
    T* const sums              = tiles + 2 * size;
    std::int64_t const row     = std::int64_t(team.league_rank()) * Rows;
    std::int64_t const columns = a.extent(1);
    for (int r = team.team_rank(); r < Rows; r += team.team_size()) sums[r] = T(0);
    for (std::int64_t c = 0, t = 0; c < columns; c += Columns, ++t) {
      T* const tile = tiles + t % 2 * size;
      fill(team, row, c, tile);
      team.team_barrier();
      int const n = int(Kokkos::min<std::int64_t>(Columns, columns - c));
      for (int r = team.team_rank(); r < Rows; r += team.team_size()) go_on(tile + r * pitch, n, sums[r]);
    }
    for (int r = team.team_rank(); r < Rows; r += team.team_size())
      if (row + r < std::int64_t(a.extent(0))) y(row + r) = sums[r];
  }

  KOKKOS_FUNCTION static void go_on(T const* products, int n, T& sum) {
    T s = sum;
    if (n == Columns)
      for (int c = 0; c < Columns; ++c) s = Step()(s, products[c], T(1));
    else
      for (int c = 0; c < n; ++c) s = Step()(s, products[c], T(1));
    sum = s;
  }
};

template <int Rows, int Columns, class T>
Variant scratch_tile(Problem<T> const& p, int team_size) {
  using Kernel           = ScratchTiles<T, Rows, Columns>;
  std::int64_t const all = p.a.extent(0);
  std::string const name = perf::size_name<2>({Rows, Columns}) + ", teams of " + std::to_string(team_size);
  return {name, [=] {
            Kokkos::parallel_for("scratch tiles",
                                 Team(int((all + Rows - 1) / Rows), team_size)
                                     .set_scratch_size(0, Kokkos::PerTeam(int(Kernel::bytes + alignof(T)))),
                                 Kernel{p.a, p.x, p.y});
          }};
}

template <class T>
std::vector<Variant> scratch_tiles(Problem<T> const& p) {
  if (perf::on_host) return {scratch_tile<32, 32>(p, 1), scratch_tile<8, 64>(p, 1)};
  std::vector<Variant> variants;
  for (int const team_size : {128, 256})
    for (auto const& variant : {scratch_tile<32, 32>(p, team_size), scratch_tile<32, 64>(p, team_size),
                                scratch_tile<16, 64>(p, team_size), scratch_tile<8, 128>(p, team_size)})
      variants.push_back(variant);
  return variants;
}

// ---- Tiles in CUDA ----

#ifdef KOKKOS_ENABLE_CUDA
template <int Rows, int Columns, int Stages, class T>
void add_cuda_tile(std::vector<Variant>& variants, Problem<T> const& p) {
  perf::RowKernelData<T> const data{p.a.data(), p.x.data(), p.y.data(), std::int64_t(p.a.extent(0)),
                                    std::int64_t(p.a.extent(1))};
  for (int const warps : {1, 4})
    if (auto const run = perf::launch_along_rows<Rows, Columns, Stages>(Exec(), data, Step(), warps))
      variants.push_back({perf::size_name<2>({Rows, Columns + 1}) + ", " + std::to_string(Stages) + " stages, " +
                              std::to_string(warps) + " warps per block",
                          [run, p] { run(); }});  // p keeps the memory
}

template <class T>
std::vector<Variant> cuda_tiles(Problem<T> const& p) {
  std::vector<Variant> variants;
  add_cuda_tile<32, 32, 2>(variants, p);
  add_cuda_tile<32, 32, 3>(variants, p);
  add_cuda_tile<32, 32, 4>(variants, p);
  add_cuda_tile<32, 64, 2>(variants, p);
  add_cuda_tile<32, 64, 3>(variants, p);
  add_cuda_tile<32, 96, 2>(variants, p);
  add_cuda_tile<16, 64, 3>(variants, p);
  add_cuda_tile<8, 64, 4>(variants, p);
  add_cuda_tile<8, 128, 4>(variants, p);
  add_cuda_tile<4, 128, 4>(variants, p);
  return variants;
}
#endif

// ---- The bound ----

/// Reads N elements per access; up to N - 1 elements at the end are left out.
template <class T, int N>
struct ReadWords {
  struct alignas(N * sizeof(T)) Word {
    T element[N];
  };

  Word const* words;

  KOKKOS_FUNCTION void operator()(std::int64_t i, T& sum) const {
    Word const word = words[i];
    for (int k = 0; k < N; ++k) sum += word.element[k];
  }
};

template <int N, class T>
void read_words(Problem<T> const& p) {
  using Kernel = ReadWords<T, N>;
  T sum        = 0;
  Kokkos::parallel_reduce("read", Range(0, p.a.size() / N),
                          Kernel{reinterpret_cast<typename Kernel::Word const*>(p.a.data())}, sum);
}

template <class T>
std::vector<Variant> reads(Problem<T> const& p) {
  constexpr int wide = 16 / sizeof(T);
  return {{"1 element", [=] { read_words<1>(p); }}, {"16 bytes", [=] { read_words<wide>(p); }}};
}

// ---- The benchmarks ----

template <class Vector>
struct WrongRows {
  using T = typename Vector::value_type;

  Vector y, right;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    T const tolerance = std::is_same_v<T, double> ? T(1e-10) : T(1e-4);
    if (!(Kokkos::abs(y(i) - right(i)) <= tolerance * Kokkos::abs(right(i)))) ++wrong;
  }
};

/// Says how many rows are wrong; empty if none is.
template <class T>
std::string error_of(Variant const& variant, Problem<T> const& p) {
  std::int64_t wrong = 0;
  Kokkos::deep_copy(p.y, T(-1));  // not the result of the variant before
  variant.run();
  Kokkos::parallel_reduce("wrong rows", Range(0, p.y.extent(0)), WrongRows<typename Problem<T>::Vector>{p.y, p.right},
                          wrong);
  return wrong == 0 ? "" : std::to_string(wrong) + " rows of \"" + variant.name + "\" are wrong";
}

/// The fastest variant, or an error if the result of any is wrong.
template <class T>
perf::Prepared prepare(Problem<T> const& p, std::vector<Variant> const& variants) {
  go_along_rows<1>(p, p.a);
  Kokkos::deep_copy(p.right, p.y);
  perf::Prepared ready{.bytes = p.bytes()};
  for (auto const& variant : variants)
    if (ready.error = error_of(variant, p); !ready.error.empty()) return ready;
  auto const best = perf::fastest(variants, [](Variant const& variant) { variant.run(); });
  ready.kernel    = best.run;
  ready.label     = best.name;
  return ready;
}

/// \param[in] shadow_every_time whether each run rebuilds the shadow.
template <class T>
std::vector<Variant> shadow_loops(Problem<T> const& p, bool shadow_every_time) {
  ShadowView const shadow(p.a);
  return loops(p, [=] {
    if (shadow_every_time) shadow.invalidate();
    return shadow.by_column(Exec());
  });
}

template <class T>
void add_tile(MatrixExtents const& n) {
  std::string const base = "tile/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  auto const add         = [=](std::string const& name, auto const& variants) {
    perf::add_prepared(base + name, [=] {
      Problem<T> const p(n);
      return prepare(p, variants(p));
    });
  };
  using P = Problem<T>;
  add("half_warp_tile", [](P const& p) { return half_warp_tiles(p); });
  add("by_column", [](P const& p) { return shadow_loops(p, false); });
  add("by_column_first", [](P const& p) { return shadow_loops(p, true); });
  add("plain", [](P const& p) { return loops(p, [=] { return p.a; }); });
#ifdef KOKKOS_ENABLE_CUDA
  add("tile_32x33", [](P const& p) { return cuda_tiles(p); });
#endif
  add("kokkos_scratch", [](P const& p) { return scratch_tiles(p); });
  perf::add_prepared(base + "read", [=] {
    Problem<T> const p(n);
    auto const best = perf::fastest(reads(p), [](Variant const& variant) { variant.run(); });
    return perf::Prepared{.kernel = best.run, .bytes = p.bytes(), .label = best.name};
  });
}

}  // namespace

/// Matrices with few rows keep few threads busy.
void add_tile_reads() {
  if (perf::on_host) {
    add_tile<double>({8192, 8192});
    add_tile<float>({8192, 8192});
    return;
  }
  for (MatrixExtents const n : {MatrixExtents{16384, 16384}, {1000003, 257}, {4099, 65537}}) {
    add_tile<double>(n);
    add_tile<float>(n);
  }
}
