// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_DISPATCH_HPP
#define KOALESCE_SHADOW_IMPL_READ_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/shadow/ShadowView.hpp>
#include <Koalesce/shadow/impl/ReadBackend.hpp>
#include <Koalesce/shadow/impl/ReadChecks.hpp>
#include <Koalesce/shadow/impl/ReadSignature.hpp>
#include <Koalesce/shadow/impl/ReadWork.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

/// Gives parallel_read access to a ShadowView's state.
template <class View>
struct ShadowAccess {
  static auto& state(ShadowView<View> const& a) { return *a.m_state; }
};

template <class Result, class View, class Map, class Consumer>
auto make_read_work(View const& base, std::int64_t begin, std::int64_t end, Map const& map, Consumer const& consumer) {
  using T            = typename View::non_const_value_type;
  constexpr int rank = int(View::rank()), row = rank - 2;
  constexpr int indices = consumer_indices<T, rank, Consumer, std::remove_const_t<Result>>();
  std::int64_t const m = base.extent(row), n = base.extent(row + 1), batch = row == 0 ? 1 : base.extent(0);
  MatrixStrides const at{row == 0 ? 0 : std::int64_t(base.stride(0)), std::int64_t(base.stride(row)),
                         std::int64_t(base.stride(row + 1))};
  bool const dense = at.column == 1 && at.row == n && (batch == 1 || at.batch == m * n);
  return ReadWork<T, Map, Consumer, indices, rank == 3>{
      base.data(), at,    batch, Divisor(m), Divisor(n), at.row < at.column, dense, nullptr,
      {0, 0},      begin, end,   map,        consumer};
}

/// Classifies a sample of the half-warps, by the rules of HalfWarp.
template <class Work>
struct CountByColumn {
  Work work;
  std::int64_t half_warps, samples;

  /// Adds one if a half-warp goes along the strided dimension and continues where the half-warp before it ended.
  KOKKOS_FUNCTION void operator()(std::int64_t sample, std::int64_t& by_column) const {
    // Samples are spread over all half-warps, not evenly: the period of a map could be a multiple of an even step.
    std::int64_t const step   = half_warps / samples;
    std::int64_t const at     = sample * half_warps / samples + sample * 7919 % step;
    std::int64_t const item   = work.begin + at * HalfWarp::size;
    std::int64_t const matrix = work.rows.divisor() * work.columns.divisor();
    std::int64_t const b      = work.index(item) / matrix;
    // In a batch, only the items in the half-warp's first matrix count.
    int count = int(Kokkos::min<std::int64_t>(HalfWarp::size, work.end - item));
    while (count > 1 && work.index(item + count - 1) / matrix != b) --count;
    // A column-major matrix is the transpose of a row-major one, so rows and columns swap.
    std::int64_t const m = work.rows.divisor(), n = work.columns.divisor();
    MatrixShape const shape = work.by_columns ? MatrixShape{n, m} : MatrixShape{m, n};
    auto const index        = [&](std::int64_t k) {
      std::int64_t const in_matrix = work.index(k) - b * matrix;
      return work.by_columns ? in_matrix % n * m + in_matrix / n : in_matrix;
    };
    HalfWarp const now([&](int lane) { return index(item + lane); }, count);
    bool const begins  = item == work.begin || work.index(item - 1) / matrix != b;
    bool const follows = begins || now.follows(index(item - 1), shape);
    if (follows && now.access(shape) != Access::irregular) ++by_column;
  }
};

/// Waits for the sample, as every Kokkos reduction into a variable does.
template <class BackendTag, class Exec, class Work>
Traversal classify(BackendTag, Exec const& exec, std::string const& label, Work const& work) {
  constexpr std::int64_t most   = 1024;
  std::int64_t const half_warps = (work.items() + HalfWarp::size - 1) / HalfWarp::size;
  std::int64_t const samples    = std::min(half_warps, most);
  std::int64_t by_column        = 0;
  Kokkos::parallel_reduce(kernel_label(BackendTag{}, label + " [classification]"),
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, samples),
                          CountByColumn<Work>{work, half_warps, samples}, by_column);
  std::int64_t const few = samples / 16;
  return by_column >= samples - few ? Traversal::by_column : by_column <= few ? Traversal::irregular : Traversal::mixed;
}

/// How the map traverses the matrix. A map whose type this view has not seen is classified, if there are enough items
/// and the call may wait.
template <class Tag, class Exec, class Work, class State>
Traversal traversal_of(Tag, Exec const& exec, std::string const& label, Work const& work, State& state) {
  constexpr std::int64_t fewest = 64 * HalfWarp::size;
  if (work.is_known_far()) return Traversal::by_column;
  std::type_index const type = typeid(typename Work::Map);
  if (auto const known = state.traversals.find(type); known != state.traversals.end()) return known->second;
  if (work.items() < fewest || !Stopwatch<Exec>::can_measure(exec)) return Traversal::irregular;
  return state.traversals[type] = classify(Tag{}, exec, label, work);
}

/// Whether a read by column of these lines builds them now, or goes to the original and is remembered.
template <class Exec, class View>
bool builds_now(ShadowBuild build, Shadow<View>& shadow, IndexRange const& lines) {
  bool const first = build == ShadowBuild::first_read || (build == ShadowBuild::automatic && !Backend::on_host<Exec>);
  if (first || shadow.read.contains(lines)) return true;
  if (shadow.read.runs() >= LineSet::max_runs) shadow.read.clear();
  shadow.read.add(lines);
  return false;
}

/// Gives a work the shadow's run with most of the lines that it reads. Returns whether there is any.
template <class Work, class View>
bool give_shadow(Work& work, Shadow<View> const& shadow, IndexRange const& lines) {
  IndexRange const run = shadow.built.most_of(lines);
  if (run.empty()) return false;
  std::int64_t const length = work.line_length();
  work.shadow               = shadow.view.data() + (run.first - shadow.room.first) * length;
  work.held                 = {run.first * length, run.end * length};
  return true;
}

/// Chooses among the original, transposing while reading, and the shadow. What is built while a graph is captured would
/// be there only when the graph has run, so a captured read builds nothing. Nor does it take a shadow that has room for
/// some lines only: when the graph runs, others may be there.
template <class BackendTag, class Exec, class View, class Map, class Consumer, class Result>
void dispatch_read(std::string const& label, Exec const& exec, ShadowView<View> const& a, std::int64_t begin,
                   std::int64_t end, Map const& map, Consumer const& consumer, Result& result) {
  constexpr std::int64_t smallest_part = 1024;  // items
  using Tag                            = Resolve<BackendTag, Exec>;
  auto const named                     = [&](char const* step) { return kernel_label(Tag{}, label + step); };
  auto work                            = make_read_work<Result>(a.base(), begin, end, map, consumer);
  static_assert(ReadBackend<Tag, Exec, decltype(work), Result>,
                "Koalesce: the execution space's backend was not included, or lacks a function that ReadBackend "
                "requires; include <Koalesce/ShadowView.hpp>, or write that function");
  auto& state = ShadowAccess<View>::state(a);
  std::unique_lock lock(state.mutex);
  ShadowLines<View> const lines{a.base(), work.by_columns ? Along::rows : Along::columns};
  auto& shadow        = state[lines.along];
  bool const is_whole = work.items() == work.size(), knows_lines = is_whole || work.is_known_far();
  bool const captured  = !Stopwatch<Exec>::can_measure(exec);
  bool const can_build = !captured && !shadow.no_memory && knows_lines && (is_whole || work.items() >= smallest_part) &&
                         shadow.built.runs() < LineSet::max_runs;
  bool const has_room = shadow.room.size() == lines.all().size();
  bool const can_read = !shadow.built.empty() && (!captured || (has_room && shadow.stale.empty()));
  bool const useful   = work.items() > 0 && !work.is_vector() && !work.is_known_near() && (can_build || can_read);
  // The items of an unknown map are places in the matrix only if they begin with the first.
  bool const are_places  = work.is_known_far() || (is_whole && begin == 0);
  auto const goes        = useful ? traversal_of(Tag{}, exec, label, work, state) : Traversal::irregular;
  IndexRange const items = goes == Traversal::by_column && are_places ? work.lines() : lines.all();

  if (goes == Traversal::by_column && can_build && !shadow.built.contains(items) &&
      builds_now<Exec>(state.build, shadow, items) && allocate_shadow(state, lines, items.first, false)) {
    begin_after(exec, shadow.ready.get());
    bool const is_new = shadow.built.missing(items).front().contains(items);
    if (are_places && is_new && shadow.room.contains(items) && work.is_transposable()) {
      auto* const to = shadow.view.data() + (items.first - shadow.room.first) * work.line_length();
      run_transposing_read(Tag{}, exec, named(" [transposing]"), work, to, result);
      shadow.ready = std::make_unique<CompletionOf<Exec>>(exec);
      shadow.built.add(items);
      return;
    }
    build_lines<BackendTag>(exec, shadow, lines, items);
  }
  if (goes == Traversal::irregular || !give_shadow(work, shadow, items)) {
    lock.unlock();
    return run_original_read(Tag{}, exec, named(" [original]"), work, result);
  }
  begin_after(exec, shadow.ready.get());
  update_shadow<BackendTag>(exec, shadow, a.base());
  lock.unlock();
  if (goes == Traversal::mixed) run_mixed_read(Tag{}, exec, named(" [mixed]"), work, result);
  else run_shadow_read(Tag{}, exec, named(" [shadow]"), work, result);
}

/// Runs parallel_read or, with a result, parallel_read_reduce. \param[in] function its name.
template <class BackendTag, class Policy, class View, class Map, class Consumer, class Result>
void start_read(char const* function, std::string const& label, Policy const& policy, ShadowView<View> const& a,
                Map const& map, Consumer const& consumer, Result& result) {
  if constexpr (check_read_types<Policy, typename View::non_const_value_type, int(View::rank()), Map, Consumer,
                                 std::remove_const_t<Result>>()) {
    std::string const where = call_text(function, label);
    check_read<typename Policy::execution_space>(where, a, map, policy.begin(), policy.end());
    check_chunk_size(where, policy);
    Kokkos::Profiling::ScopedRegion const region(function);
    dispatch_read<BackendTag>(label, policy.space(), a, policy.begin(), policy.end(), map, consumer, result);
  }
}

}  // namespace Koalesce::Impl

#endif
