// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_RANK_SUPPORT_HPP
#define KOALESCE_TEST_RANK_SUPPORT_HPP

#include "TestSupport.hpp"

#include <Koalesce/Distributed.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

/// What tests of several processes share: random domains, and fields as one process has them and as all have them.
namespace Koalesce::Test {

/// A file in a folder of its own; rank 0 removes it.
struct TestFile {
  std::filesystem::path folder, path;

  explicit TestFile(std::string const& name) {
    int process = int(::getpid());  // two runs may go on at once
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    folder = std::filesystem::temp_directory_path() / ("koalesce_" + name + "_" + std::to_string(process));
    path   = folder / "file";
    on_rank_0([&] {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directories(folder);
    });
  }
  ~TestFile() {
    on_rank_0([&] { std::filesystem::remove_all(folder); });
  }

  template <class Do>
  static void on_rank_0(Do const& run) {
    int rank = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) run();
    MPI_Barrier(MPI_COMM_WORLD);
  }
};

/// Prints nothing but failures.
class FailuresOnly : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : m_rank(rank) {}

  void OnTestPartResult(::testing::TestPartResult const& result) override {
    if (result.failed()) std::cerr << "rank " << m_rank << ": " << result.message() << std::endl;
  }

 private:
  int m_rank;
};

/// What a call throws, or "none".
template <class Run>
std::string error_of(Run const& run) {
  try {
    run();
  } catch (Error const& error) {
    return error.what();
  }
  return "none";
}

inline int size_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// A random number of processes in each dimension, each with at least `thickness` points; all 0 if there is none.
template <int R>
Kokkos::Array<int, R> random_grid(Rng& rng, Index<R> const& n, Index<R> const& thickness) {
  std::vector<Kokkos::Array<int, R>> found;
  Kokkos::Array<int, R> grid{};
  auto const choose = [&](auto const& self, int d, int left) -> void {
    if (d == R) {
      if (left == 1) found.push_back(grid);
      return;
    }
    for (int p = 1; p <= left; ++p)
      if (left % p == 0 && (p == 1 || n[d] / p >= std::max<std::int64_t>(1, thickness[d]))) {
        grid[d] = p;
        self(self, d + 1, left / p);
      }
  };
  choose(choose, 0, size_of_world());
  return found.empty() ? Kokkos::Array<int, R>{} : found[rng() % found.size()];
}

/// A random domain. \param[in] thickness  points that each process has at least, per dimension.
template <int R>
Domain<R> random_domain(Rng& rng, Index<R> const& thickness, Kokkos::Array<bool, R> const& periodic,
                        std::int64_t most = 4000) {
  for (;;) {
    Index<R> n{};
    std::int64_t points = 1;
    for (int d = 0; d < R; ++d) points *= n[d] = std::max(thickness[d], random_int(rng, 1, R == 1 ? 300 : 40));
    if (points > most) continue;
    auto const grid = random_grid<R>(rng, n, thickness);
    if (grid[0] > 0) return Domain<R>(MPI_COMM_WORLD, n, {.periodic = periodic, .ranks = grid, .time_limit = 40});
  }
}

/// A field of the whole grid on every process, and this process' part.
template <class Exec, class T, int R, class Layout = Kokkos::LayoutRight>
struct WholeAndPart {
  Field<Exec, T, R, Layout> whole, part;
  Index<R> offset;

  WholeAndPart(Domain<R> const& domain, Index<R> const& halo, Index<R> const& part_halo, Rng& rng)
      : whole(domain.global_extents(), halo, rng), part(domain.extents(), part_halo, rng), offset(domain.offset()) {}

  /// Random values of the whole; the part has its own, and those beyond its own part of the whole grid's faces.
  template <class Make>
  void fill(Domain<R> const& domain, Rng& rng, Make const& make) {
    whole.fill(rng, make);
    part.poison_all();
    for_each_index<R>(part.low(), part.high(), [&](Index<R> const& p) {
      Index<R> q  = p;
      bool inside = true, beyond = false, others = false, known = true;
      for (int d = 0; d < R; ++d) {
        q[d] += offset[d];
        inside             = inside && p[d] >= 0 && p[d] < part.interior()[d];
        bool const outside = q[d] < 0 || q[d] >= domain.global_extents()[d];
        beyond             = beyond || outside;
        others             = others || (!outside && (p[d] < 0 || p[d] >= part.interior()[d]));
        known              = known && q[d] >= -whole.halo()[d] && q[d] < domain.global_extents()[d] + whole.halo()[d];
      }
      if (known && !others && (inside || beyond)) part(p) = whole(q);
    });
    part.upload();
  }

  void fill(Domain<R> const& domain, Rng& rng) {
    fill(domain, rng, [](Rng& r) { return Element<T>::make(int(random_int(r, -8, 8))); });
  }

  /// Whether the part's interior holds what the whole holds there, to the bit.
  ::testing::AssertionResult agrees() const { return agrees(Index<R>{}); }

  /// The same, with so many points around it.
  ::testing::AssertionResult agrees(Index<R> const& around) const {
    auto const all = on_host(whole.view()), own = on_host(part.view());
    Index<R> low{}, high                        = part.interior();
    for (int d = 0; d < R; ++d) low[d] -= around[d], high[d] += around[d];
    std::int64_t wrong = 0;
    std::string where;
    for_each_index<R>(low, high, [&](Index<R> const& p) {
      Index<R> q = p, here = p;
      for (int d = 0; d < R; ++d) q[d] += offset[d] + whole.halo()[d], here[d] += part.halo()[d];
      if (!(at(own, here) == at(all, q)) && wrong++ == 0) where = to_string<R>(p);
    });
    if (wrong > 0) return ::testing::AssertionFailure() << wrong << " wrong values, the first at " << where;
    return ::testing::AssertionSuccess();
  }

 private:
  /// Strided Views do not go to the host as they are.
  template <class View>
  static auto on_host(View const& view) {
    Kokkos::LayoutRight dense_layout;
    for (int d = 0; d < R; ++d) dense_layout.dimension[d] = view.extent(d);
    Kokkos::View<DataType<T, R>, Kokkos::LayoutRight, typename Exec::memory_space> const dense("dense", dense_layout);
    Kokkos::deep_copy(dense, view);
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dense);
  }

  template <class View>
  static auto at(View const& view, Index<R> const& p) {
    if constexpr (R == 1) return view(p[0]);
    else if constexpr (R == 2) return view(p[0], p[1]);
    else return view(p[0], p[1], p[2]);
  }
};

}  // namespace Koalesce::Test

#endif
