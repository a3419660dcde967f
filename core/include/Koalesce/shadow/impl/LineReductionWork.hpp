// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_REDUCTION_WORK_HPP
#define KOALESCE_SHADOW_IMPL_LINE_REDUCTION_WORK_HPP

#include <Koalesce/common/impl/Pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace Koalesce::Impl {

/// One reducer's results, an element per line, and how it joins. The reducer refers to the first of them; only its
/// init() and join() are used.
template <class ReducerT>
struct LineResult {
  using Reducer    = ReducerT;
  using value_type = typename Reducer::value_type;

  Reducer reducer;
  value_type* data;
  std::int64_t batch, line;  // strides
};

/// Where the elements of a batch's lines lie: `base[b * batch + line * line + position * along]`.
struct LineStrides {
  std::int64_t batch, line, along;
};

/// One result per line of a matrix and reducer: a line is a row or a column, a position an element's index along it.
///
/// A line's partial results, if it has several, lie in `parts`: part after part, line next to line.
///
/// \tparam Rank  of the matrix: 3 for a batch, whose index the functor takes first.
template <class T, int Rank, class FunctorT, class... Reducers>
struct LineReductionWork {
  using value_type = T;
  using Functor    = FunctorT;
  using Update     = Pack<typename Reducers::value_type...>;

  /// A `count` of updates, each reducer's next to each other, so that loops over them vectorize.
  template <int Count>
  using Updates = Pack<Kokkos::Array<typename Reducers::value_type, Count>...>;

  T const* base;
  std::int64_t batch, lines, length;
  LineStrides at;
  bool rows_are_lines;
  Functor functor;
  Pack<LineResult<Reducers>...> results;
  Update* parts               = nullptr;
  std::int64_t parts_per_line = 1;

  /// What was called, for errors.
  char const* function() const {
    return rows_are_lines ? "Koalesce::parallel_reduce_rows" : "Koalesce::parallel_reduce_columns";
  }

  KOKKOS_FORCEINLINE_FUNCTION T const* element(std::int64_t b, std::int64_t line, std::int64_t position) const {
    return base + (b * at.batch + line * at.line + position * at.along);
  }

  KOKKOS_FORCEINLINE_FUNCTION Update identity() const {
    Update update;
    for_each(results, [&](auto const& result, auto k) { result.reducer.init(get<decltype(k)::value>(update)); });
    return update;
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(Update& update, Update const& other) const {
    for_each(results, [&](auto const& result, auto k) {
      result.reducer.join(get<decltype(k)::value>(update), get<decltype(k)::value>(other));
    });
  }

  /// Joins an element to its line's update.
  KOKKOS_FORCEINLINE_FUNCTION void consume(std::int64_t b, std::int64_t line, std::int64_t position, T const& value,
                                           Update& update) const {
    consume_into(b, line, position, value, update, std::index_sequence_for<Reducers...>());
  }

  /// The same with one of several Updates.
  template <class Several>
  KOKKOS_FORCEINLINE_FUNCTION void consume(std::int64_t b, std::int64_t line, std::int64_t position, T const& value,
                                           Several& updates, int slot) const {
    consume_into(b, line, position, value, updates, slot, std::index_sequence_for<Reducers...>());
  }

  /// Makes this a part of the line's result, or the result if it is the only part.
  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t b, std::int64_t part, std::int64_t line,
                                         Update const& update) const {
    if (parts != nullptr) parts[part_number(b, part, line)] = update;
    else deliver(b, line, update);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t part_number(std::int64_t b, std::int64_t part, std::int64_t line) const {
    return (b * parts_per_line + part) * lines + line;
  }

  KOKKOS_FORCEINLINE_FUNCTION void deliver(std::int64_t b, std::int64_t line, Update const& update) const {
    for_each(results, [&](auto const& result, auto k) {
      result.data[b * result.batch + line * result.line] = get<decltype(k)::value>(update);
    });
  }

 private:
  template <std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION void consume_into(std::int64_t b, std::int64_t line, std::int64_t position,
                                                T const& value, Update& update, std::index_sequence<K...>) const {
    call(b, line, position, value, get<K>(update)...);
  }

  template <class Several, std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION void consume_into(std::int64_t b, std::int64_t line, std::int64_t position,
                                                T const& value, Several& updates, int slot,
                                                std::index_sequence<K...>) const {
    call(b, line, position, value, get<K>(updates).data()[slot]...);
  }

  KOKKOS_FORCEINLINE_FUNCTION void call(std::int64_t b, std::int64_t line, std::int64_t position, T const& value,
                                        typename Reducers::value_type&... update) const {
    std::int64_t const i = rows_are_lines ? line : position, j = rows_are_lines ? position : line;
    if constexpr (Rank == 2) functor(i, j, value, update...);
    else functor(b, i, j, value, update...);
  }
};

}  // namespace Koalesce::Impl

#endif
