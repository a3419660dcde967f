// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TILE_HPP

#include <Koalesce/cuda/StreamingAccess.hpp>
#include <Koalesce/impl/Divisor.hpp>
#include <Koalesce/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace Koalesce::Impl {

/// The tiles of a batch of matrices. Blocks go down strips that are `strip` tiles wide, so that those under way at a
/// time write, and read, pieces of memory that lie next to each other.
class TransposeGrid {
 public:
  TransposeGrid() = default;

  TransposeGrid(std::int64_t batch, std::int64_t rows, std::int64_t columns, int tile_rows, int tile_columns, int strip)
      : m_down((rows + tile_rows - 1) / tile_rows),
        m_across((columns + tile_columns - 1) / tile_columns),
        m_batch(batch) {
    std::int64_t const width = std::min<std::int64_t>(strip, m_across);
    m_matrix                 = Divisor(m_down * m_across);
    m_strip                  = Divisor(m_down * width);
    m_width                  = Divisor(width);
    m_last_width             = Divisor(m_across % width > 0 ? m_across % width : width);
  }

  KOKKOS_FUNCTION std::int64_t size() const { return m_batch * m_down * m_across; }

  struct Tile {
    std::int64_t batch, row, column;
  };

  /// \param[in] block below 2^31, as every number here then is.
  __device__ __forceinline__ Tile tile(std::uint32_t block) const {
    std::uint32_t const batch     = m_matrix.divide_short(block);
    std::uint32_t const in_matrix = block - batch * short_of(m_matrix);
    std::uint32_t const strip     = m_strip.divide_short(in_matrix);
    std::uint32_t const in_strip  = in_matrix - strip * short_of(m_strip);
    std::uint32_t const left      = strip * short_of(m_width);
    bool const whole              = left + short_of(m_width) <= std::uint32_t(m_across);
    std::uint32_t const row       = whole ? m_width.divide_short(in_strip) : m_last_width.divide_short(in_strip);
    return {batch, row, left + in_strip - row * (whole ? short_of(m_width) : short_of(m_last_width))};
  }

 private:
  __device__ __forceinline__ static std::uint32_t short_of(Divisor const& d) { return std::uint32_t(d.divisor()); }

  std::int64_t m_down = 0, m_across = 0, m_batch = 0;
  Divisor m_matrix, m_strip, m_width, m_last_width;
};

/// How a kernel moves tiles of `Rows` times `Columns` elements of `Element` bytes: `Vector` bytes of a row and of a
/// column at a time. Where that is one element rows and columns may lie anywhere, otherwise they are contiguous and
/// start at multiples of `Vector` bytes.
///
/// In shared memory a column is a line of units. A unit is one element, or four bytes of a column's neighboring
/// elements where vectors hold as many: those are transposed in registers before they go there.
template <int Element, int VectorBytes, int Rows, int Columns, int Blocks>
struct TransposeShape {
  static constexpr int element = Element;
  static constexpr int vector  = VectorBytes;
  static constexpr int rows    = Rows;
  static constexpr int columns = Columns;
  static constexpr int blocks  = Blocks;
  static constexpr int threads = 256;

  static constexpr int unit            = vector > element&& element < 4 ? 4 : element;
  static constexpr int unit_rows       = unit / element;
  static constexpr int vector_elements = vector / element;
  static constexpr int vector_units    = vector / unit;

  /// A thread loads from the same columns of `loads` lines that lie `load_step` apart, and stores likewise.
  static constexpr int lines         = rows / unit_rows;
  static constexpr int loads_across  = columns / vector_elements;
  static constexpr int load_step     = threads / loads_across;
  static constexpr int loads         = lines / load_step;
  static constexpr int stores_across = rows / vector_elements;
  static constexpr int store_step    = threads / stores_across;
  static constexpr int stores        = columns / store_step;

  /// Units from one column to the next, an odd number: columns then start in different banks.
  static constexpr int pitch        = lines + 1;
  static constexpr int shared_bytes = pitch * columns * unit;

  static_assert(load_step * loads_across == threads && loads * load_step == lines);
  static_assert(store_step * stores_across == threads && stores * store_step == columns);
  static_assert(lines % vector_elements == 0 && pitch % 2 == 1);

  using ElementWord = Word<element>;
  using VectorWord  = Word<vector>;
  using UnitWord    = Word<unit>;
};

/// What goes with every element where there is nothing to do but move it.
struct NoSink {
  template <class Element>
  __device__ __forceinline__ void operator()(std::int64_t, Element const&) const {}
};

/// Moves one tile between global and shared memory.
template <class S>
class TransposeTile {
 public:
  using Element = typename S::ElementWord;
  using Vector  = typename S::VectorWord;
  using Unit    = typename S::UnitWord;

  static constexpr int threads = S::threads;
  static constexpr int blocks  = S::blocks;

  struct Plan {
    TransposeGrid grid;

    KOKKOS_FUNCTION std::int64_t size() const { return grid.size(); }
    KOKKOS_FUNCTION int shared_bytes() const { return S::shared_bytes; }
  };

  static Plan plan(TransposeWork<Element> const& work) {
    // Where a few tiles reach from side to side, the blocks under way cover whole rows as well as long pieces of
    // columns.
    int const strip = work.columns <= 16 * S::columns ? 16 : 1;
    return {TransposeGrid(work.batch, work.rows, work.columns, S::rows, S::columns, strip)};
  }

  /// \param[in] at     one of the plan's tiles.
  /// \param[in] shared Plan::shared_bytes() of shared memory, aligned to 16.
  /// \param[in] thread the calling one of the `threads` threads that share the work.
  __device__ __forceinline__ TransposeTile(TransposeWork<Element> const& work, Plan const&,
                                           TransposeGrid::Tile const& at, void* shared, int thread)
      : m_work(work),
        m_shared(static_cast<Unit*>(shared)),
        m_thread(thread),
        m_from(work.from_at(at.batch, at.row * S::rows, at.column * S::columns)),
        m_to(work.to_at(at.batch, at.row * S::rows, at.column * S::columns)),
        m_rows(int(min(work.rows - at.row * S::rows, std::int64_t(S::rows)))),
        m_columns(int(min(work.columns - at.column * S::columns, std::int64_t(S::columns)))) {}

  /// A thread's elements on their way to shared memory.
  struct Loaded {
    Vector rows[S::loads][S::unit_rows];
  };

  /// Begins to read the tile.
  /// \tparam Once no kernel writes the source meanwhile.
  template <bool Once = true>
  __device__ __forceinline__ void load(Loaded& loaded) const {
    if (m_rows == S::rows && m_columns == S::columns) load_part<true, Once>(loaded);
    else load_part<false, Once>(loaded);
  }

  /// To shared memory; the threads have yet to meet at a barrier.
  __device__ __forceinline__ void put(Loaded const& loaded) const {
    int const c    = m_thread % S::loads_across * S::vector_elements;
    int const line = m_thread / S::loads_across;
#pragma unroll
    for (int k = 0; k < S::loads; ++k) {
      Unit units[S::vector_elements];
      to_units(loaded.rows[k], units);
#pragma unroll
      for (int i = 0; i < S::vector_elements; ++i) m_shared[place(c + i, line + k * S::load_step)] = units[i];
    }
  }

  /// From shared memory to the destination. Calls sink(offset, element) for every element, once, with its distance from
  /// `work.to`: threads of a warp with neighboring rows of one column.
  template <class Sink>
  __device__ __forceinline__ void write(Sink const& sink) const {
    if (m_rows == S::rows && m_columns == S::columns) write_part<true>(sink);
    else write_part<false>(sink);
  }

 private:
  /// A unit's place in shared memory. The threads of a warp hold neighboring columns, whose units would meet in few
  /// banks but for the exclusive or.
  __device__ __forceinline__ static int place(int column, int unit) {
    constexpr int banks = 128 / S::unit;
    return column * S::pitch + (unit ^ (column / banks % S::vector_elements));
  }

  /// Transposes units' rows and columns: `rows[k]` holds a vector of row k, `units[c]` is to hold column c.
  __device__ __forceinline__ static void to_units(Vector const (&rows)[S::unit_rows],
                                                  Unit (&units)[S::vector_elements]) {
    if constexpr (S::unit_rows == 1) {
      memcpy(units, rows, sizeof(rows));
    } else {
      unsigned in[S::unit_rows][S::vector / 4];
      memcpy(in, rows, sizeof(rows));
#pragma unroll
      for (int w = 0; w < S::vector / 4; ++w) {
        if constexpr (S::unit_rows == 2) {
          units[2 * w].bits     = __byte_perm(in[0][w], in[1][w], 0x5410);
          units[2 * w + 1].bits = __byte_perm(in[0][w], in[1][w], 0x7632);
        } else {
          unsigned const a = __byte_perm(in[0][w], in[1][w], 0x5140), b = __byte_perm(in[0][w], in[1][w], 0x7362);
          unsigned const c = __byte_perm(in[2][w], in[3][w], 0x5140), d = __byte_perm(in[2][w], in[3][w], 0x7362);
          units[4 * w].bits     = __byte_perm(a, c, 0x5410);
          units[4 * w + 1].bits = __byte_perm(a, c, 0x7632);
          units[4 * w + 2].bits = __byte_perm(b, d, 0x5410);
          units[4 * w + 3].bits = __byte_perm(b, d, 0x7632);
        }
      }
    }
  }

  template <bool Once>
  __device__ __forceinline__ static Vector load(Element const* from) {
    if constexpr (Once) return load_once<Vector>(from);
    else return *reinterpret_cast<Vector const*>(from);
  }

  template <bool Whole, bool Once>
  __device__ __forceinline__ void load_part(Loaded& loaded) const {
    auto const& at           = m_work.from_at;
    int const c              = m_thread % S::loads_across * S::vector_elements;
    int const line           = m_thread / S::loads_across;
    std::int64_t const right = S::vector_elements == 1 ? at.column : 1;
    std::int64_t const step  = S::load_step * S::unit_rows * at.row;
    Element const* from      = m_work.from + m_from + line * S::unit_rows * at.row + c * right;

#pragma unroll
    for (int k = 0; k < S::loads; ++k, from += step) {
#pragma unroll
      for (int j = 0; j < S::unit_rows; ++j) {
        Element const* const place = from + j * at.row;
        int const r                = (line + k * S::load_step) * S::unit_rows + j;
        if (Whole || (r < m_rows && c + S::vector_elements <= m_columns)) {
          loaded.rows[k][j] = load<Once>(place);
        } else if (r < m_rows) {
#pragma unroll
          for (int i = 0; i < S::vector_elements; ++i)
            if (c + i < m_columns) reinterpret_cast<Element*>(&loaded.rows[k][j])[i] = place[i * right];
        }
      }
    }
  }

  template <bool Whole, class Sink>
  __device__ __forceinline__ void write_part(Sink const& sink) const {
    auto const& at          = m_work.to_at;
    int const r             = m_thread % S::stores_across * S::vector_elements;
    int const line          = m_thread / S::stores_across;
    std::int64_t const down = S::vector_elements == 1 ? at.row : 1;
    std::int64_t const step = S::store_step * at.column;
    std::int64_t to         = m_to + line * at.column + r * down;
    // What a sink does is not to be repeated for every store.
    constexpr int at_once = std::is_same_v<Sink, NoSink> ? S::stores : 2;
#pragma unroll at_once
    for (int k = 0; k < S::stores; ++k, to += step) {
      int const c = line + k * S::store_step;
      if (!Whole && (c >= m_columns || r >= m_rows)) continue;
      Unit units[S::vector_units];
#pragma unroll
      for (int i = 0; i < S::vector_units; ++i) units[i] = m_shared[place(c, r / S::unit_rows + i)];
      if (Whole || r + S::vector_elements <= m_rows) {
        Vector vector;
        memcpy(&vector, units, sizeof(vector));
        store_once(m_work.to + to, vector);
      }
#pragma unroll
      for (int i = 0; i < S::vector_elements; ++i) {
        if (!Whole && r + i >= m_rows) continue;
        Element const element = reinterpret_cast<Element const*>(units)[i];
        if (!Whole && r + S::vector_elements > m_rows) m_work.to[to + i * down] = element;
        sink(to + i * down, element);
      }
    }
  }

  TransposeWork<Element> const& m_work;
  Unit* m_shared;
  int m_thread;
  std::int64_t m_from, m_to;  // offsets of the tile's first element
  int m_rows, m_columns;      // as far as they lie in the matrix
};

/// The tile for matrices with few rows or columns: its shape is chosen for them. Rows and columns may lie anywhere.
template <int ElementBytes>
class NarrowTile {
 public:
  using Element = Word<ElementBytes>;

  static constexpr int threads  = 256;
  static constexpr int elements = ElementBytes > 4 ? 8 : 16;  // a thread's
  static constexpr int blocks   = ElementBytes > 8 ? 4 : 6;

  /// How a thread goes from one of its elements to the next where lines have `across` elements.
  struct Walk {
    int across, lines, items;

    Walk() = default;
    explicit Walk(int n) : across(n), lines(threads / n), items(threads % n) {}
  };

  struct Plan {
    TransposeGrid grid;
    Walk rows, columns;  // with a line of the tile's rows, of its columns

    KOKKOS_FUNCTION std::int64_t size() const { return grid.size(); }
    KOKKOS_FUNCTION int shared_bytes() const { return pitch(rows.across) * columns.across * ElementBytes; }
  };

  static Plan plan(TransposeWork<Element> const& work) {
    constexpr int most = threads * elements;
    int rows = most, columns = 1;
    if (work.columns <= work.rows) {
      columns = int(std::min<std::int64_t>(work.columns, 64));
      rows    = int(std::min<std::int64_t>(work.rows, most / columns));
      if (rows > 32) rows = rows / 32 * 32;
    } else {
      rows    = int(std::min<std::int64_t>(work.rows, 64));
      columns = int(std::min<std::int64_t>(work.columns, most / rows));
      if (columns > 32) columns = columns / 32 * 32;
    }
    return {TransposeGrid(work.batch, work.rows, work.columns, rows, columns, 1), Walk(rows), Walk(columns)};
  }

  __device__ __forceinline__ NarrowTile(TransposeWork<Element> const& work, Plan const& plan,
                                        TransposeGrid::Tile const& at, void* shared, int thread)
      : m_work(work), m_plan(plan), m_shared(static_cast<Element*>(shared)), m_thread(thread) {
    std::int64_t const row = at.row * plan.rows.across, column = at.column * plan.columns.across;
    m_from    = work.from_at(at.batch, row, column);
    m_to      = work.to_at(at.batch, row, column);
    m_rows    = int(min(work.rows - row, std::int64_t(plan.rows.across)));
    m_columns = int(min(work.columns - column, std::int64_t(plan.columns.across)));
  }

  struct Loaded {
    Element of[elements];
  };

  __device__ __forceinline__ void load(Loaded& loaded) const {
    auto const& at            = m_work.from_at;
    Element const* const from = m_work.from + m_from;
    walk(m_plan.columns, at.row, at.column, [&](int k, int r, int c, std::int64_t offset) {
      if (r < m_rows && c < m_columns) loaded.of[k] = load_once<Element>(from + offset);
    });
  }

  __device__ __forceinline__ void put(Loaded const& loaded) const {
    walk(m_plan.columns, 1, pitch(m_plan.rows.across), [&](int k, int r, int, std::int64_t offset) {
      if (r < m_rows) m_shared[offset] = loaded.of[k];
    });
  }

  template <class Sink>
  __device__ __forceinline__ void write(Sink const& sink) const {
    auto const& at        = m_work.to_at;
    std::int64_t const to = m_to;
    int const step        = pitch(m_plan.rows.across);
    walk(m_plan.rows, at.column, at.row, [&](int, int c, int r, std::int64_t offset) {
      if (c >= m_columns || r >= m_rows) return;
      Element const element = m_shared[c * step + r];
      store_once(m_work.to + to + offset, element);
      sink(to + offset, element);
    });
  }

 private:
  KOKKOS_FUNCTION static constexpr int pitch(int rows) { return rows | 1; }

  /// Calls body(k, line, item, offset) for the thread's k-th place: one division, and none later.
  template <class Body>
  __device__ __forceinline__ void walk(Walk const& w, std::int64_t a_line, std::int64_t an_item,
                                       Body const& body) const {
    int line = m_thread / w.across, item = m_thread % w.across;
    std::int64_t offset     = line * a_line + item * an_item;
    std::int64_t const step = w.lines * a_line + w.items * an_item, wrap = a_line - w.across * an_item;
#pragma unroll
    for (int k = 0; k < elements; ++k) {
      body(k, line, item, offset);
      line += w.lines;
      item += w.items;
      offset += step;
      if (item >= w.across) {
        item -= w.across;
        ++line;
        offset += wrap;
      }
    }
  }

  TransposeWork<Element> const& m_work;
  Plan const& m_plan;
  Element* m_shared;
  int m_thread;
  std::int64_t m_from, m_to;
  int m_rows, m_columns;
};

/// A block's tiles, `count` of them from `first` on, from the source through shared memory to the destination and the
/// sink: while it writes one it loads the next. \param[in] barrier barrier() holds the threads until all have come.
template <class Tile, class Sink, class Barrier>
__device__ __forceinline__ void move_tiles(TransposeWork<typename Tile::Element> const& work,
                                           typename Tile::Plan const& plan, std::int64_t first, int count, void* shared,
                                           int thread, Sink const& sink, Barrier const& barrier) {
  std::int64_t const end = min(first + count, plan.size());
  typename Tile::Loaded loaded;
  {
    Tile const tile(work, plan, plan.grid.tile(std::uint32_t(first)), shared, thread);
    tile.load(loaded);
    tile.put(loaded);
  }
#pragma unroll 1
  for (std::int64_t t = first; t < end; ++t) {
    barrier();
    if (t + 1 < end) Tile(work, plan, plan.grid.tile(std::uint32_t(t + 1)), shared, thread).load(loaded);
    Tile(work, plan, plan.grid.tile(std::uint32_t(t)), shared, thread).write(sink);
    barrier();
    if (t + 1 < end) Tile(work, plan, plan.grid.tile(std::uint32_t(t + 1)), shared, thread).put(loaded);
  }
}

}  // namespace Koalesce::Impl

#endif
