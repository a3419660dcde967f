// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_READ_HPP
#define KOALESCE_CUDA_SHADOW_READ_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/shadow/ReadShare.hpp>
#include <Koalesce/cuda/transpose/Transpose.hpp>
#include <Koalesce/portable/shadow/Read.hpp>
#include <Koalesce/shadow/impl/ColumnWalk.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

/// Reads by warps: a half-warp is 16 neighboring lanes. Kokkos launches the kernels and reduces.
namespace Koalesce::Impl::CudaBackend {

using PortableBackend::run_original_read;

/// A thread reads items that are 32 apart, and loads `at_once` of them before it consumes them. A half-warp whose first
/// 16 items do not go down a column reads the original; the others read the shadow as long as they continue down the
/// column.
template <class Work>
struct CudaRead {
  static constexpr int threads = 256;
  static constexpr int at_once = 4;
  static constexpr int items   = 4 * at_once;
  static constexpr int block   = threads * items;

  using T = typename Work::value_type;

  Work work;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((read(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void read(Member const& team, Update& update) const {
    int const warp = team.team_rank() / 32, lane = team.team_rank() % 32, leader = lane & HalfWarp::size;
    unsigned const half        = 0xffffu << leader;
    std::int64_t const in_warp = work.begin + std::int64_t(team.league_rank()) * block + warp * (32 * items);
    if (in_warp >= work.end) return;
    std::int64_t const begin = in_warp + lane;

    ColumnWalk<Work, 32> walk(work, work.index(min(begin, work.end - 1)));
    std::int64_t const first = __shfl_sync(half, static_cast<long long>(walk.place()), leader);
    if (__all_sync(half, walk.place() == first + (lane - leader) || begin >= work.end))
      consume(begin, update, [&](std::int64_t item) {
        bool const active        = item < work.end;
        std::int64_t const index = active ? work.index(item) : walk.index();
        bool const goes_on       = __all_sync(half, index == walk.index());
        T value{};
        if (active) value = goes_on ? read_place<false>(work, walk.place(), index) : work.original(index);
        walk.advance();
        return value;
      });
    else
      consume(begin, update,
              [&](std::int64_t item) { return item < work.end ? work.original(work.index(item)) : T{}; });
  }

  template <class Update, class Read>
  __device__ __forceinline__ void consume(std::int64_t begin, Update& update, Read const& read) const {
#pragma unroll 1
    for (std::int64_t item = begin; item < begin + items * 32; item += at_once * 32) {
      T value[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) value[k] = read(item + k * 32);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (item + k * 32 < work.end) work.consume(item + k * 32, value[k], update);
    }
  }
};

/// Reads a shadow of all elements, fewer than 2^31, for a map that goes down columns as far as a sample showed. A
/// thread foresees the indices of `at_once` items: if the map says the same, their places are known without a division.
template <class Work>
struct CudaShadowRead {
  static constexpr int threads = 256;
  static constexpr int at_once = 4;
  static constexpr int items   = 8 * at_once;
  static constexpr int block   = threads * items;
  static constexpr int steps   = 32 * at_once;  // rows from one batch of items to the next

  using T = typename Work::value_type;

  Work work;

  static bool can_read(Work const& work) {
    return !work.by_columns && work.is_short() && work.rows.divisor() >= steps && work.held.contains({0, work.size()});
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    std::int64_t const in_warp =
        work.begin + std::int64_t(team.league_rank()) * block + team.team_rank() / 32 * (32 * items);
    if (in_warp + 32 * items <= work.end) read<true>(in_warp + team.team_rank() % 32, update);
    else read<false>(in_warp + team.team_rank() % 32, update);
  }

  /// The first element of a batch, as foreseen.
  struct Ahead {
    std::uint32_t index;
    int row;
    T const* from;
    std::int64_t matrix, column;
  };

  /// \param[in] k  which one of its batch the element is.
  KOKKOS_FORCEINLINE_FUNCTION Ahead ahead_of(std::uint32_t index, typename Work::Element const& element, int k,
                                             std::uint32_t stride) const {
    return {index - k * stride, int(element.i) - 32 * k, work.shadow + element.place - 32 * k, element.b, element.j};
  }

  /// \tparam All  whether all of the thread's items are there.
  template <bool All, class Update>
  KOKKOS_FORCEINLINE_FUNCTION void read(std::int64_t begin, Update& update) const {
    if (!All && begin >= work.end) return;
    auto const stride = std::uint32_t(32 * work.columns.divisor());
    auto const start  = std::uint32_t(work.index(begin));
    Ahead ahead       = ahead_of(start, work.template element<true>(start), 0, stride);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (std::int64_t first = begin; first < begin + 32 * items; first += steps) {
      std::uint32_t index[at_once];
      bool foreseen = ahead.row >= 0 && ahead.row + steps - 32 < int(work.rows.divisor());
      static_for<at_once>([&](auto k) {
        if (!All && first + 32 * k.value >= work.end) return;
        index[k.value] = std::uint32_t(work.index(first + 32 * k.value));
        foreseen &= index[k.value] == ahead.index + k.value * stride;
      });
      T value[at_once];
      typename Work::Position at[at_once];
      static_for<at_once>([&](auto k) {
        if (!All && first + 32 * k.value >= work.end) return;
        if (foreseen) {
          value[k.value] = ahead.from[32 * k.value];
          at[k.value]    = {ahead.matrix, ahead.row + 32 * k.value, ahead.column};
        } else {
          auto const element = work.template element<true>(index[k.value]);
          value[k.value]     = work.shadow[element.place];
          at[k.value]        = {element.b, element.i, element.j};
          if (k.value == at_once - 1) ahead = ahead_of(index[k.value], element, k.value, stride);
        }
      });
      ahead.index += at_once * stride;
      ahead.row += steps;
      ahead.from += steps;
      static_for<at_once>([&](auto k) {
        std::int64_t const item = first + 32 * k.value;
        if (All || item < work.end) work.consume(item, at[k.value], value[k.value], update);
      });
    }
  }
};

/// Transposes the matrix into the shadow through shared memory, by tiles or queues. An item whose place is its own
/// number takes its element on the way; other items read the original.
template <class Work, class Mover>
struct CudaTransposingRead {
  using T    = typename Work::value_type;
  using Word = typename Mover::Element;

  Work work;
  TransposeWork<Word> transpose;
  typename Mover::Plan plan;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((read(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void read(Member const& team, Update& update) const {
    void* const shared = team.team_scratch(0).get_shmem_aligned(plan.shared_bytes(), 16);
    auto const sink    = [&](std::int64_t offset, Word const& word) {
      T const element          = Kokkos::bit_cast<T>(word);
      std::int64_t const place = work.begin + offset;
      if constexpr (Work::has_known_map) {
        work.consume(place, element, update);
      } else {
        std::int64_t const index = work.index(place);
        work.consume(place, work.place(index) == place ? element : work.original(index), update);
      }
    };
    ReadShare<Mover>::move(transpose, plan, team.league_rank(), shared, team.team_rank(), sink,
                           [&] { team.team_barrier(); });
    team.team_barrier();  // before the next team's elements use the shared memory
  }
};

/// Teams of 256 threads, `Resident` of them per SM.
template <unsigned Resident>
auto cuda_team_policy(Kokkos::Cuda const& exec, std::int64_t teams, int shared_bytes) {
  Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<256, Resident>, FunctorAsArgument> policy(exec, int(teams),
                                                                                                  256);
  policy.set_scratch_size(0, Kokkos::PerTeam(shared_bytes));
  return policy;
}

template <class Work, class Result>
void run_shadow_read(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work, Result& result) {
  if constexpr (!Work::has_known_map) {
    using Body               = CudaShadowRead<Work>;
    std::int64_t const teams = (work.items() + Body::block - 1) / Body::block;
    if (Body::can_read(work) && teams < std::int64_t(1) << 31)
      return for_or_reduce(label, cuda_team_policy<5>(exec, teams, 0), Body{work}, result);
  }
  PortableBackend::run_shadow_read(Tag{}, exec, label, work, result);
}

template <class Work, class Result>
void run_mixed_read(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work, Result& result) {
  using Body               = CudaRead<Work>;
  std::int64_t const teams = (work.items() + Body::block - 1) / Body::block;
  if (!ColumnWalk<Work, 32>::can_walk(work) || teams >= std::int64_t(1) << 31)
    return run_shadow_read(Tag{}, exec, label, work, result);
  for_or_reduce(label, cuda_team_policy<4>(exec, teams, 0), Body{work}, result);
}

/// Whether an SM has the shared memory for as many teams as `Mover` is compiled for; Kokkos would refuse to run fewer,
/// and teams of more than what a kernel has without asking.
template <class Mover, class Result>
bool teams_fit(CudaDevice const& device, typename Mover::Plan const& plan) {
  // Kokkos adds two values more than a team has threads for its own reductions, and as many to reduce results.
  int const values = Mover::threads + 2, reserved = 1024;
  int result_bytes = 0;
  if constexpr (!std::is_same_v<Result, NoResult>) result_bytes = sizeof(typename ResultValue<Result>::type);
  int const team = plan.shared_bytes() + 16 + values * (int(sizeof(double)) + result_bytes);
  return team <= device.team_shared_bytes && Mover::blocks * (team + reserved) <= device.shared_bytes_per_processor;
}

/// One after the other, where tiles that read on the way would move single bytes or pairs of them: 0.45 instead of 3.2
/// ms for 1000003 x 257 bytes on an H200.
template <class Word, class Work, class Result>
void transpose_and_read(Kokkos::Cuda const& exec, std::string const& label, Work work,
                        TransposeWork<Word> const& transpose, typename Work::value_type const* shadow, Result& result) {
  // A transposition puts the backend's name before its label itself.
  run_untimed_transpose(exec, label.substr(kernel_label(Tag{}, "").size()), transpose);
  work.shadow = shadow;
  work.held   = {work.begin, work.end};
  run_shadow_read(Tag{}, exec, label, work, result);
}

template <class Work, class Result>
void run_transposing_read(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T = typename Work::value_type;
  if constexpr (is_word_size(sizeof(T))) {
    using Element        = Word<int(sizeof(T))>;
    using Tuning         = TransposeTuning<int(sizeof(T))>;
    using Queue          = TransposeQueue<typename Tuning::ReadQueue>;
    auto const transpose = work.template transposition<Element>(shadow);
    auto const device    = CudaDevice::of(exec);
    auto const run       = [&]<class Mover>() {
      auto const plan = Mover::plan(device, transpose, fits_in_cache(exec, transpose));
      if (plan.size() >= std::int64_t(1) << 31 || !teams_fit<Mover, std::remove_const_t<Result>>(device, plan))
        return false;
      auto const teams = ReadShare<Mover>::teams(plan);
      for_or_reduce(label, cuda_team_policy<Mover::blocks>(exec, teams, plan.shared_bytes() + 16),
                          CudaTransposingRead<Work, Mover>{work, transpose, plan}, result);
      return true;
    };
    if (is_aligned(work.base, sizeof(T))) {
      if constexpr (is_async_size(int(sizeof(T)))) {
        if (has_queue<Queue>(exec, transpose) && run.template operator()<Queue>()) return;
      } else if constexpr (Work::has_known_map) {
        if (!has_vectors<Tuning::Reads::vector>(transpose))
          return transpose_and_read(exec, label, work, transpose, shadow, result);
      }
      if (with_tile<typename Tuning::Reads>(transpose, run)) return;
    }
  }
  run_transposing_read(Backend::Portable{}, exec, label, work, shadow, result);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
