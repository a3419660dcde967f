// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_READ_HPP
#define KOALESCE_CUDA_READ_HPP

#include <Koalesce/cuda/Transpose.hpp>
#include <Koalesce/portable/Read.hpp>

#include <string>

/// Reads by warps: a half-warp is 16 neighboring lanes. Kokkos launches the kernels and reduces.
namespace Koalesce::Impl {

/// A thread reads `items` items that lie a warp apart; half-warps are classified as their indices become known.
template <class Work>
struct CudaRead {
  static constexpr int threads = 256;
  static constexpr int items   = 4;
  static constexpr int block   = threads * items;

  using T = typename Work::value_type;

  Work work;

  /// Whether the places of the calling lane's half-warp follow one another. All lanes of the warp call it.
  __device__ __forceinline__ static bool goes_by_column(std::int64_t place, bool active) {
    int const lane           = threadIdx.y % 32;
    std::int64_t const first = __shfl_sync(~0u, static_cast<long long>(place), lane & HalfWarp::size);
    unsigned const follows   = __ballot_sync(~0u, !active || place == first + lane % HalfWarp::size);
    return (follows >> (lane & HalfWarp::size) & 0xffff) == 0xffff;
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((read(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void read(Member const& team, Update& update) const {
    int const warp = team.team_rank() / 32, lane = team.team_rank() % 32;
    std::int64_t const begin = work.begin + std::int64_t(team.league_rank()) * block + warp * (32 * items) + lane;
    T value[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      std::int64_t const item = begin + i * 32;
      bool const active       = item < work.end;
      auto const element      = work.element(work.map(active ? item : work.end - 1));
      bool const by_column    = goes_by_column(element.place, active);
      value[i]                = *(by_column ? work.shadow + element.place : work.base + element.offset);
    }
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (begin + i * 32 < work.end) work.consume(begin + i * 32, value[i], update);
  }
};

/// Tiles pass through shared memory to the shadow, and their items with them, if those are where a traversal by column
/// would have them.
template <class Work, class Tile>
struct CudaTransposingRead {
  using T    = typename Work::value_type;
  using Word = typename Tile::Element;

  Work work;
  TransposeWork<Word> transpose;
  typename Tile::Plan plan;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((read(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void read(Member const& team, Update& update) const {
    void* const shared = team.team_scratch(0).get_shmem_aligned(plan.shared_bytes(), 16);
    Tile const tile(transpose, plan, team.league_rank(), shared, team.team_rank());
    tile.read();
    team.team_barrier();
    tile.write([&](std::int64_t place, Word const& word) {
      std::int64_t const index = work.map(place);
      if (work.is_known_far() || work.place(index) == place) work.consume(place, Kokkos::bit_cast<T>(word), update);
      else work.consume(place, work.original(index), update);
    });
  }
};

template <class Work, class Result>
void run_read(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, Work const& work, Result& result) {
  using Body       = CudaRead<Work>;
  auto const named = kernel_label(Backend::Cuda{}, label);
  auto const teams = (work.items() + Body::block - 1) / Body::block;
  if (work.shadow == nullptr || work.is_known_far() || teams >= std::int64_t(1) << 31)
    return run_read_item_by_item(exec, named, work, result);
  run_body(named, team_policy(exec, teams, 0, 0, Body::threads), Body{work}, result);
}

/// One tile for any alignment: wider vectors gain little where elements have four bytes or more.
template <class Work, class Result>
void run_transposing_read(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T = typename Work::value_type;
  if constexpr (is_word_size(sizeof(T))) {
    using Element        = Word<int(sizeof(T))>;
    auto const transpose = work.template transposition<Element>(shadow);
    auto const run       = [&]<class Tile>() {
      auto const plan = Tile::plan(transpose);
      if (plan.size() >= std::int64_t(1) << 31) return false;
      run_body(kernel_label(Backend::Cuda{}, label),
                     team_policy(exec, plan.size(), 0, std::size_t(plan.shared_bytes()) + 16, Tile::threads),
                     CudaTransposingRead<Work, Tile>{work, transpose, plan}, result);
      return true;
    };
    if (is_aligned(work.base, sizeof(T)) && with_transpose_tile(transpose, run)) return;
  }
  run_transposing_read(Backend::Portable{}, exec, label, work, shadow, result);
}

}  // namespace Koalesce::Impl

#endif
