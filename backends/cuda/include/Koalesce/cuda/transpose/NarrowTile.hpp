// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_NARROW_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_NARROW_TILE_HPP

#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeGrid.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// The tile for matrices with few rows or columns; its shape is chosen at run time. Rows and columns need no alignment.
template <int ElementBytes>
class NarrowTile {
 public:
  using Element = Word<ElementBytes>;

  static constexpr int threads  = 256;
  static constexpr int elements = ElementBytes > 4 ? 8 : 16;  // per thread
  static constexpr int blocks   = ElementBytes > 8 ? 4 : 6;

  /// How a thread gets from one of its elements to the next, in lines of `across` elements.
  struct Walk {
    int across, lines, items;

    Walk() = default;
    explicit Walk(int n) : across(n), lines(threads / n), items(threads % n) {}
  };

  struct Plan {
    TransposeGrid grid;
    Walk rows, columns;  // along the tile's rows, along its columns

    KOKKOS_FUNCTION std::int64_t size() const { return grid.size(); }
    KOKKOS_FUNCTION int shared_bytes() const { return pitch(rows.across) * columns.across * ElementBytes; }
  };

  static Plan plan(CudaDevice const&, TransposeWork<Element> const& work, bool) {
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
    return {TransposeGrid(work.batch.size(), work.rows, work.columns, rows, columns, 1), Walk(rows), Walk(columns)};
  }

  __device__ __forceinline__ NarrowTile(TransposeWork<Element> const& work, Plan const& plan,
                                        TransposeGrid::Tile const& at, void* shared, int thread)
      : m_work(work), m_plan(plan), m_shared(static_cast<Element*>(shared)), m_thread(thread) {
    std::int64_t const row    = std::int64_t(at.row) * plan.rows.across,
                       column = std::int64_t(at.column) * plan.columns.across;
    m_from                    = work.from_offset(at.batch, row, column);
    m_to                      = work.to_offset(at.batch, row, column);
    m_rows                    = int(min(work.rows - row, std::int64_t(plan.rows.across)));
    m_columns                 = int(min(work.columns - column, std::int64_t(plan.columns.across)));
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

  /// Calls body(k, line, item, offset) for the thread's k-th place, with a single division.
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

}  // namespace Koalesce::Impl::CudaBackend

#endif
