// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_WORK_HPP
#define KOALESCE_SHADOW_IMPL_READ_WORK_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>
#include <Koalesce/shadow/IndexMap.hpp>
#include <Koalesce/shadow/impl/LineSet.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

/// Where the elements of a batch of matrices lie: `base[b * batch + r * row + c * column]`.
struct MatrixStrides {
  std::int64_t batch, row, column;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t b, std::int64_t r, std::int64_t c) const {
    return b * batch + r * row + c * column;
  }
};

/// How a map's half-warps traverse the strided dimension, as far as a sample shows: none of them along it, some, or
/// all.
enum class Traversal { irregular, mixed, by_column };

/// Reads of a matrix by an index map.
///
/// A shadow is dense, and contiguous along the strided dimension of the original: along columns, or along rows if the
/// original is column-major (`by_columns`). An element's place is its offset in the shadow. So a half-warp goes down a
/// column, wrapped or not, if its places are consecutive.
///
/// \tparam Indices how many the consumer takes before the element: 1 for the item's number, 2 for row and column, 3 for
///                 matrix, row and column.
/// \tparam Batched whether there may be several matrices.
template <class T, class MapT, class ConsumerT, int Indices, bool Batched>
struct ReadWork {
  using value_type = T;
  using Map        = MapT;
  using Consumer   = ConsumerT;

  static constexpr bool takes_item    = Indices == 1;
  static constexpr bool has_known_map = std::is_same_v<Map, ColumnOrder> || std::is_same_v<Map, RowOrder>;

  T const* base;
  MatrixStrides base_at;
  std::int64_t batch;
  Divisor rows, columns;
  bool by_columns;          // the original's columns are contiguous, or nearly
  bool dense;               // index and offset in the original are the same
  T const* shadow;          // the element of the place held.first
  IndexRange held;          // places that are in the shadow
  std::int64_t begin, end;  // items
  Map map;
  Consumer consumer;

  /// Offset in the original, place in the shadow, matrix, row and column.
  struct Element {
    std::int64_t offset, place, b, i, j;
  };

  /// The index that the map has for an item.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(std::int64_t item) const { return checked(map(item), size()); }

  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t checked(std::int64_t index, [[maybe_unused]] std::int64_t size) {
    KOKKOS_ASSERT((index >= 0 && index < size) && "Koalesce::parallel_read: an index map leads out of the matrix");
    return index;
  }

  /// \tparam Short  whether there are fewer than 2^31 elements, so that 32 bits, which a GPU computes in, are enough.
  template <bool Short = false>
  KOKKOS_FORCEINLINE_FUNCTION Element element(std::int64_t index) const {
    using I           = std::conditional_t<Short, std::uint32_t, std::int64_t>;
    auto const divide = [](I dividend, Divisor const& divisor) -> I {
      if constexpr (Short) return divisor.divide_short(dividend);
      else return dividend / divisor;
    };
    I const m = I(rows.divisor()), n = I(columns.divisor());
    I const row = divide(I(index), columns), j = I(index) - row * n;
    I const b = Batched ? divide(row, rows) : 0, i = row - b * m;
    return {dense ? index : base_at(b, i, j), by_columns ? index : std::int64_t((b * n + j) * m + i), b, i, j};
  }
  bool is_short() const { return size() < std::int64_t(1) << 31; }

  KOKKOS_FORCEINLINE_FUNCTION T original(std::int64_t index) const {
    return base[dense ? index : element(index).offset];
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t place(std::int64_t index) const { return element(index).place; }

  /// Which element an item has: its matrix, row and column.
  struct Position {
    std::int64_t b, i, j;
  };

  KOKKOS_FORCEINLINE_FUNCTION Position position(std::int64_t item) const {
    // One division less than by the index.
    if constexpr (std::is_same_v<Map, ColumnOrder>) {
      std::int64_t const column = item / rows, b = Batched ? column / columns : 0;
      return {b, item - column * rows.divisor(), column - b * columns.divisor()};
    } else {
      std::int64_t const at = index(item), row = at / columns, b = Batched ? row / rows : 0;
      return {b, row - b * rows.divisor(), at - row * columns.divisor()};
    }
  }

  /// For consumers that take an item's number.
  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION static void consume_item(Consumer const& consumer, std::int64_t item, T const& value,
                                                       Update& update) {
    if constexpr (std::is_same_v<Update, NoUpdate>) consumer(item, value);
    else consumer(item, value, update);
  }

  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION void consume(std::int64_t item, T const& value, Update& update) const {
    if constexpr (takes_item) consume_item(consumer, item, value, update);
    else consume(item, position(item), value, update);
  }

  template <class Update>
  KOKKOS_FORCEINLINE_FUNCTION void consume(std::int64_t item, [[maybe_unused]] Position const& p, T const& value,
                                           Update& update) const {
    if constexpr (takes_item) {
      consume_item(consumer, item, value, update);
    } else {
      if constexpr (Indices == 2 && std::is_same_v<Update, NoUpdate>) consumer(p.i, p.j, value);
      else if constexpr (Indices == 2) consumer(p.i, p.j, value, update);
      else if constexpr (std::is_same_v<Update, NoUpdate>) consumer(p.b, p.i, p.j, value);
      else consumer(p.b, p.i, p.j, value, update);
    }
  }

  /// Whether the shadow has a place.
  KOKKOS_FORCEINLINE_FUNCTION bool holds(std::int64_t place) const {
    return std::uint64_t(place - held.first) < std::uint64_t(held.end - held.first);
  }
  KOKKOS_FORCEINLINE_FUNCTION T from_shadow(std::int64_t place) const { return shadow[place - held.first]; }

  KOKKOS_FUNCTION std::int64_t size() const { return batch * rows.divisor() * columns.divisor(); }
  KOKKOS_FUNCTION std::int64_t items() const { return end - begin; }

  /// Whether each matrix has a single row or a single column, so that by row and by column are the same.
  bool is_vector() const { return rows.divisor() == 1 || columns.divisor() == 1; }

  /// Lines go along the strided dimension of the original: columns, or rows where the original is column-major. A
  /// line's places are consecutive. This is their length.
  std::int64_t line_length() const { return by_columns ? columns.divisor() : rows.divisor(); }
  /// How many lines a matrix has.
  std::int64_t lines_in_matrix() const { return by_columns ? rows.divisor() : columns.divisor(); }

  /// The lines that have items, if items are places.
  IndexRange lines() const {
    std::int64_t const length = line_length();
    return {begin / length, (end + length - 1) / length};
  }

  /// Whether the items are whole lines of one matrix, or whole matrices.
  bool is_transposable() const {
    std::int64_t const length = line_length(), matrix = length * lines_in_matrix();
    if (begin % length != 0 || end % length != 0) return false;
    return (begin % matrix == 0 && end % matrix == 0) || begin / matrix == (end - 1) / matrix;
  }

  /// A transposition of the items' lines into the memory of a shadow; an offset in the destination is that of an item
  /// from `begin`.
  template <class Word>
  TransposeWork<Word> transposition(T* to) const {
    std::int64_t const length = line_length(), in_matrix = lines_in_matrix();
    std::int64_t const first = begin / length, count = items() / length;
    std::int64_t const matrices = count > in_matrix ? count / in_matrix : 1, lines = count / matrices;
    RowColumnStrides from{base_at.row, base_at.column};
    if (by_columns) std::swap(from.row, from.column);
    T const* const origin = base + first / in_matrix * base_at.batch + first % in_matrix * from.column;
    MatrixBatch const all = matrices == 1 ? MatrixBatch() : MatrixBatch({matrices, base_at.batch, length * lines});
    return {reinterpret_cast<Word const*>(origin), reinterpret_cast<Word*>(to), from, {1, length}, length, lines, all};
  }

  /// Whether the map is known to follow the strided dimension of the original, so that an item's number is its place.
  KOKKOS_FUNCTION bool is_known_far() const { return has_known_map && std::is_same_v<Map, RowOrder> == by_columns; }
  bool is_known_near() const { return has_known_map && !is_known_far(); }
};

}  // namespace Koalesce::Impl

#endif
