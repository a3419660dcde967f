// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_PLAN_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_PLAN_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/TransposeShape.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// How blocks share matrices whose rows pass through queues of a shape.
template <class S>
struct QueuePlan {
  std::int64_t blocks;
  ShortDivisor slabs, chunks;  ///< neighboring columns; runs of rows
  int columns;                 ///< of a block
  int rows;                    ///< of a block, a multiple of a step's

  std::int64_t size() const { return blocks; }
  KOKKOS_FUNCTION int shared_bytes() const { return S::shared_bytes; }

  /// What a block moves: rows and columns of a matrix, from these on.
  struct Part {
    std::int64_t batch, row, column;
    int rows, columns;
  };
  template <class T>
  __device__ __forceinline__ Part part(TransposeWork<T> const& work, std::uint32_t block) const {
    std::uint32_t const chunk = block / slabs, batch = chunk / chunks;
    auto const column = std::int64_t(block - chunk * slabs.divisor()) * columns;
    auto const row    = std::int64_t(chunk - batch * chunks.divisor()) * rows;
    return {batch, row, column, int(min(work.rows - row, std::int64_t(rows))),
            int(min(work.columns - column, std::int64_t(columns)))};
  }

  /// Whether a queue can move the matrices, and they are large enough for it.
  template <class T>
  static bool takes(CudaDevice const& device, TransposeWork<T> const& work) {
    return work.from_at.column == 1 && work.to_at.row == 1 && work.rows >= min_steps * S::line &&
           work.columns >= S::columns / 2 && S::shared_bytes <= device.shared_bytes_per_block;
  }

  template <class T>
  static QueuePlan make(CudaDevice const& device, TransposeWork<T> const& work) {
    auto const parts = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
    auto const steps = parts(work.rows, S::line), matrices = work.batch.size();
    auto const min_slabs = parts(work.columns, S::columns), resident = std::int64_t(S::blocks) * device.processors;
    QueuePlan best{};
    double best_cost = 0;
    for (int waves = 1; waves <= max_waves; ++waves) {
      // As many blocks as run on all SMs in so many turns: first by shorter columns, then by fewer of them.
      std::int64_t const wanted = waves * resident / matrices;
      auto const max_chunks     = std::clamp<std::int64_t>(wanted / min_slabs, 1, steps / min_steps);
      auto const rows = parts(steps, max_chunks), chunks = parts(steps, rows);
      auto const columns =
          std::max<std::int64_t>(parts(work.columns, std::max(wanted / chunks, min_slabs)), S::columns / 2);
      auto const slabs = parts(work.columns, columns);
      auto const turns = parts(matrices * slabs * chunks, resident);
      // A block's first steps wait for memory, and the ends of a row's piece are read by two blocks.
      double const cost = double(turns) * double(rows + S::steps) * double(columns + edge);
      if (best.blocks > 0 && cost >= best_cost) continue;
      best_cost = cost;
      best = {matrices * slabs * chunks, ShortDivisor(slabs), ShortDivisor(chunks), int(columns), int(rows * S::line)};
    }
    return best;
  }

 private:
  static constexpr int min_steps = 8;                // of a block
  static constexpr int max_waves = 6;                // blocks that run one after another on an SM
  static constexpr int edge      = 64 / S::element;  // columns that take as long as the ends of a row
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
