// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that make little of much: a sum, a histogram.

#include <cstdint>
#include <vector>

#include "Placement.hpp"

namespace perf::placement {
namespace {

/// Sums of blocks: several partial sums per thread, then a tree.
template <int Threads>
struct Reduction {
  static constexpr char const* name = "reduction";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-5;
  static constexpr int width = 256, depth = 4;  // of the tree, and partial sums that become one of its leaves
  static constexpr int stride = width * depth, own = stride / Threads, leaves = width / Threads;

  explicit Reduction(Size size)
      : turns(int(sized(size, 3, 16, 16))),
        in(filled<Line<float>>(sized(size, 7, 16384, 4096) * turns * stride)),
        result(room<Line<float>>(teams())) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::ThreadArray<float[own]>("partial"), Koalesce::TeamArray<float[width]>("tree"));
  }
  Index teams() const { return Index(in.extent(0)) / (turns * stride); }
  double bytes() const { return double(in.extent(0)) * sizeof(float); }
  double flops() const { return 0; }

  std::vector<float> expected() const {
    auto const x = on_the_host(in);
    std::vector<float> sums;
    for (Index team = 0; team < teams(); ++team) {
      double sum = 0;
      for (Index i = 0; i < turns * stride; ++i) sum += x(team * turns * stride + i);
      sums.push_back(float(sum));
    }
    return sums;
  }
  void add_trips(Koalesce::TripCounts& trips) const { trips.add(turns); }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& partial, auto& tree) const {
    int const r              = team.team_rank();
    float const* const block = in.data() + Index(team.league_rank()) * turns * stride;
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) partial(r, k) = 0;
    for (int turn = 0; turn < turns; ++turn) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) partial(r, k) += block[turn * stride + k * Threads + r];
    }
    KOALESCE_PERF_UNROLL
    for (int leaf = 0; leaf < leaves; ++leaf) {
      float sum = 0;
      KOALESCE_PERF_UNROLL
      for (int d = 0; d < depth; ++d) sum += partial(r, d * leaves + leaf);
      tree(leaf * Threads + r) = sum;
    }
    team.team_barrier();
    for (int half = width / 2; half > 0; half /= 2) {
      for (int i = r; i < half; i += Threads) tree(i) += tree(half + i);
      team.team_barrier();
    }
    if (r == 0) result(team.league_rank()) = tree(0);
  }

  int turns;
  Line<float> in, result;
};

/// By hand: neighbors four at a time, sums in registers, Kokkos' own sum of a team.
template <class Kernel>
struct ReductionExpert : ByHand {
  static constexpr int threads = team_of(256);

  explicit ReductionExpert(Kernel const& k) : length(k.turns * Kernel::stride), in(k.in), result(k.result) {}
  void run() const { run_teams(Index(result.extent(0)), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    float const* const block = in.data() + Index(team.league_rank()) * length;
    float sum                = 0;
    if constexpr (on_host) {
      constexpr int several = 64;  // enough sums for additions to overlap
      float sums[several]   = {};
      for (int i = 0; i < length; i += several) {
        KOALESCE_PERF_SIMD
        for (int k = 0; k < several; ++k) sums[k] += block[i + k];
      }
      for (float const one : sums) sum += one;
    } else {
      float sums[4] = {};
      for (int i = 4 * team.team_rank(); i < length; i += 4 * threads) {
        auto const four = four_at(block + i);
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < 4; ++k) sums[k] += four.v[k];
      }
      sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      team.team_reduce(Kokkos::Sum<float>(sum));
    }
    if (team.team_rank() == 0) result(team.league_rank()) = sum;
  }

  int length;  // of a block
  Line<float> in, result;
};

/// Histograms of blocks of bytes: one per thread, then their sum.
template <int Threads>
struct Histogram {
  static constexpr char const* name = "histogram";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 0;
  static constexpr int bins         = 32;

  explicit Histogram(Size size)
      : words(int(sized(size, 1000, 32768, 32768))),
        in(filled<Line<std::uint8_t>>(sized(size, 5, 4096, 512) * words * 4)),
        result(room<Image<int>>(teams(), bins)) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::ThreadArray<int[bins]>("mine"), Koalesce::TeamArray<int[bins]>("total"));
  }
  Index teams() const { return Index(in.extent(0)) / (words * 4); }
  double bytes() const { return double(in.extent(0)); }
  double flops() const { return 0; }

  std::vector<int> expected() const {
    auto const x = on_the_host(in);
    std::vector<int> counts(std::size_t(teams() * bins));
    for (Index i = 0; i < Index(x.extent(0)); ++i) ++counts[i / (words * 4) * bins + bin(x(i))];
    return counts;
  }
  void add_trips(Koalesce::TripCounts& trips) const { trips.add(double(words) / Threads); }

  KOKKOS_FUNCTION static int bin(unsigned byte) { return int(byte / (256 / bins)); }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& mine, auto& total) const {
    int const r       = team.team_rank();
    auto const* block = reinterpret_cast<std::uint32_t const*>(in.data()) + Index(team.league_rank()) * words;
    for (int b = 0; b < bins; ++b) mine(r, b) = 0;
    for (int b = r; b < bins; b += Threads) total(b) = 0;
    for (int i = r; i < words; i += Threads) {
      std::uint32_t const word = block[i];
      for (int byte = 0; byte < 4; ++byte) ++mine(r, bin(word >> 8 * byte & 0xff));
    }
    team.team_barrier();
    for (int b = 0; b < bins; ++b) Kokkos::atomic_add(&total(b), mine(r, b));
    team.team_barrier();
    for (int b = r; b < bins; b += Threads) result(team.league_rank(), b) = total(b);
  }

  int words;  // of four bytes, a block
  Line<std::uint8_t> in;
  Image<int> result;
};

/// By hand. On a GPU, a thread's counters are in scratch memory, where neighbors' lie in neighboring banks, and are 16
/// bits wide, two in a word: as many again fit. On a host, each byte of a word has counters of its own, because the
/// same one twice in a row would wait for itself.
template <class Kernel>
struct HistogramExpert : ByHand {
  static constexpr int bins = Kernel::bins, workers = 128, pairs = bins / 2;
  static constexpr int threads = team_of(workers / 32), lanes = on_host ? 1 : 32;
  static constexpr std::size_t scratch_bytes = on_host ? 0 : sizeof(std::uint32_t) * pairs * workers;

  explicit HistogramExpert(Kernel const& k) : words(k.words), in(k.in), result(k.result) {}
  void run() const { run_teams(Index(result.extent(0)), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const t       = team.league_rank();
    auto const* block = reinterpret_cast<std::uint32_t const*>(in.data()) + Index(t) * words;
    if constexpr (on_host) {
      int counts[4][bins] = {};
      for (int i = 0; i < words; ++i) {
        std::uint32_t const word = block[i];
        for (int byte = 0; byte < 4; ++byte) ++counts[byte][Kernel::bin(word >> 8 * byte & 0xff)];
      }
      for (int b = 0; b < bins; ++b) result(t, b) = counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
    } else {
      auto* const counts = scratch<std::uint32_t>(team, pairs * workers);
      auto const& self   = *this;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int(workers)),
                           [&](int w) { self.count(block, counts + w, w); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int(pairs)), [&](int p) {
        std::uint64_t both = 0;  // 32 bits each
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, int(workers)),
            [&](int w, std::uint64_t& sum) {
              std::uint32_t const two = counts[p * workers + w];
              sum += (two & 0xffff) | std::uint64_t(two >> 16) << 32;
            },
            both);
        Kokkos::single(Kokkos::PerThread(team), [&] {
          self.result(t, 2 * p)     = int(both & 0xffffffff);
          self.result(t, 2 * p + 1) = int(both >> 32);
        });
      });
    }
  }

  /// A worker's part of a block, in its own counters.
  KOKKOS_FUNCTION void count(std::uint32_t const* block, std::uint32_t* mine, int worker) const {
    for (int p = 0; p < pairs; ++p) mine[p * workers] = 0;
    for (int i = 4 * worker; i < words; i += 4 * workers) {
      auto const four = four_at(block + i);
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < 4; ++k) {
        KOALESCE_PERF_UNROLL
        for (int byte = 0; byte < 4; ++byte) {
          int const b = Kernel::bin(four.v[k] >> 8 * byte & 0xff);
          mine[b / 2 * workers] += 1u << 16 * (b % 2);
        }
      }
    }
  }

  int words;
  Line<std::uint8_t> in;
  Image<int> result;
};

template <class Kernel, template <class> class Expert>
void add() {
  add_kernel<Kernel, Expert<Kernel>>();
}

}  // namespace

void add_reduction() { add<Reduction<team_of(256)>, ReductionExpert>(); }
void add_histogram() { add<Histogram<team_of(128)>, HistogramExpert>(); }

}  // namespace perf::placement
