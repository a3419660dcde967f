// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TILE_HPP

#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeGrid.hpp>
#include <Koalesce/cuda/transpose/TransposeShape.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// The sink that does nothing, for kernels that only move elements.
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
    RowColumnStrides from_tile, to_tile;  // from one tile to the next
    std::int64_t from_first, to_first;    // of the first tile
    int before_rows, before_columns;      // how far the first tiles reach beyond the matrix
    int last_rows, last_columns;          // of the last tiles

    KOKKOS_FUNCTION std::int64_t size() const { return grid.size(); }
    KOKKOS_FUNCTION int shared_bytes() const { return S::shared_bytes; }
  };

  /// \param[in] in_cache whether both sides fit into the L2 cache, where there are no lines to begin tiles with.
  static Plan plan(CudaDevice const& device, TransposeWork<Element> const& work, bool in_cache) {
    auto const& from = work.from_at;
    auto const& to   = work.to_at;
    int const from_line =
        in_cache ? 0 : line_bytes<S::columns>(from.column, from.row, work.batch, &MatrixBatch::from_multiple_of);
    int const to_line = in_cache ? 0 : line_bytes<S::rows>(to.row, to.column, work.batch, &MatrixBatch::to_multiple_of);
    int const columns = before_line(work.from, from_line), rows = before_line(work.to, to_line);
    return {TransposeGrid(work.batch.size(), work.rows + rows, work.columns + columns, S::rows, S::columns,
                          strip(device, work, from_line == 256)),
            {S::rows * from.row, S::columns * from.column},
            {S::rows * to.row, S::columns * to.column},
            -from(rows, columns),
            -to(rows, columns),
            rows,
            columns,
            int((work.rows + rows - 1) % S::rows) + 1,
            int((work.columns + columns - 1) % S::columns) + 1};
  }

  /// \param[in] at     one of the plan's tiles.
  /// \param[in] shared Plan::shared_bytes() of shared memory, aligned to 16.
  /// \param[in] thread number of the calling thread among the `threads` threads that share the tile.
  __device__ __forceinline__ TransposeTile(TransposeWork<Element> const& work, Plan const& plan,
                                           TransposeGrid::Tile const& at, void* shared, int thread)
      : m_work(work), m_shared(static_cast<Unit*>(shared)), m_thread(unsigned(thread)) {
    m_rows    = plan.grid.is_last_row(at) ? plan.last_rows : S::rows;
    m_columns = plan.grid.is_last_column(at) ? plan.last_columns : S::columns;

    auto const matrix = work.batch.offsets(at.batch);
    m_from            = plan.from_first + matrix.from + plan.from_tile(at.row, at.column);
    m_to              = plan.to_first + matrix.to + plan.to_tile(at.row, at.column);
    if ((at.row == 0 && plan.before_rows > 0) || (at.column == 0 && plan.before_columns > 0)) [[unlikely]] {
      // What lies before the matrix is missing from the first tiles.
      int const no_rows = at.row == 0 ? plan.before_rows : 0, no_columns = at.column == 0 ? plan.before_columns : 0;
      m_from += work.from_at(no_rows, no_columns);
      m_to += work.to_at(no_rows, no_columns);
      m_rows -= no_rows;
      m_columns -= no_columns;
    }
  }

  /// A thread's elements, loaded but not yet in shared memory.
  struct Loaded {
    Vector rows[S::loads][S::unit_rows];
  };

  /// Begins to read the tile.
  /// \tparam Once no kernel writes the source meanwhile.
  template <bool Once = true>
  __device__ __forceinline__ void load(Loaded& loaded) const {
    if (m_rows == S::rows && m_columns == S::columns) [[likely]]
      load_part<true, Once>(loaded);
    else load_part<false, Once>(loaded);
  }

  /// Writes to shared memory; a barrier must follow.
  __device__ __forceinline__ void put(Loaded const& loaded) const {
    unsigned const c    = m_thread % S::loads_across * S::vector_elements;
    unsigned const line = m_thread / S::loads_across;
#pragma unroll
    for (int k = 0; k < S::loads; ++k) {
      Unit units[S::vector_elements];
      to_units(loaded.rows[k], units);
#pragma unroll
      for (int i = 0; i < S::vector_elements; ++i) m_shared[place(c + i, line + k * S::load_step)] = units[i];
    }
  }

  /// Moves the tile from shared memory to the destination. Calls sink(offset, element) for every element, once, with
  /// its distance from `work.to`: threads of a warp with neighboring rows of one column.
  template <class Sink>
  __device__ __forceinline__ void write(Sink const& sink) const {
    if (m_rows == S::rows && m_columns == S::columns) [[likely]]
      write_part<true>(sink);
    else write_part<false>(sink);
  }

 private:
  /// Memory moves lines of up to 256 bytes; a tile that begins and ends with one is the fastest.
  /// \param[in] along, across strides within the lines of `Tile` elements, and from one to the next.
  /// \return bytes of the lines of memory that tiles can consist of, 0 if there are none.
  template <int Tile>
  static int line_bytes(std::int64_t along, std::int64_t across, MatrixBatch const& batch,
                        bool (MatrixBatch::*is_multiple_of)(std::int64_t) const) {
    constexpr int element = sizeof(Element), bytes = Tile * element % 256 == 0 ? 256 : 128;
    constexpr std::int64_t count = bytes / element;
    if constexpr (Tile * element % bytes != 0) return 0;
    return along == 1 && across % count == 0 && (batch.*is_multiple_of)(count) ? bytes : 0;
  }

  /// How many elements before `data` the line begins that the first tile is to begin with.
  static int before_line(Element const* data, int line) {
    return line == 0 ? 0 : int(reinterpret_cast<std::uintptr_t>(data) % unsigned(line)) / int(sizeof(Element));
  }

  /// How many tiles wide the strips are. Where rows of tiles are not whole lines, neighboring tiles read the same
  /// lines, and should do so at about the same time. Strips of one tile do if the tiles that run at a time cover more
  /// than one of them.
  static int strip(CudaDevice const& device, TransposeWork<Element> const& work, bool whole_lines) {
    constexpr int wide        = 16;
    std::int64_t const across = (work.columns + S::columns - 1) / S::columns, down = work.rows / S::rows;
    if (across <= wide) return wide;
    if (whole_lines || down * 8 < std::int64_t(device.processors) * blocks * 7) return 1;
    std::int64_t const strips = (across + wide / 2) / wide;
    return int((across + strips - 1) / strips);
  }

  /// A unit's place in shared memory. The threads of a warp hold neighboring columns; the exclusive or spreads their
  /// units over the banks.
  __device__ __forceinline__ static unsigned place(unsigned column, unsigned unit) {
    constexpr unsigned banks = 128 / S::unit, vector = S::vector_elements;
    return column * unsigned(S::pitch) + (unit ^ (column / banks % vector));
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
    int const c              = int(m_thread % S::loads_across) * S::vector_elements;
    int const line           = int(m_thread / S::loads_across);
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
    int const r             = int(m_thread % S::stores_across) * S::vector_elements;
    int const line          = int(m_thread / S::stores_across);
    std::int64_t const down = S::vector_elements == 1 ? at.row : 1;
    std::int64_t const step = S::store_step * at.column;
    std::int64_t to         = m_to + line * at.column + r * down;
    // Few at a time with a sink, so that its code is not repeated for every store.
    constexpr int at_once = std::is_same_v<Sink, NoSink> ? S::stores : 2;
#pragma unroll at_once
    for (int k = 0; k < S::stores; ++k, to += step) {
      int const c = line + k * S::store_step;
      if (!Whole && (c >= m_columns || r >= m_rows)) continue;
      Unit units[S::vector_units];
#pragma unroll
      for (int i = 0; i < S::vector_units; ++i) units[i] = m_shared[place(unsigned(c), unsigned(r) / S::unit_rows + i)];
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
  unsigned m_thread;
  std::int64_t m_from, m_to;  // offsets of the tile's first element
  int m_rows, m_columns;      // those that lie in the matrix
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
