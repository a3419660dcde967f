// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TUNING_HPP
#define KOALESCE_CUDA_TRANSPOSE_TUNING_HPP

#include <Koalesce/cuda/TransposeTile.hpp>

/// Tiles for elements of each size: where rows and columns are made of whole vectors, where they lie anywhere, and in
/// place.
///
/// H200, fraction of a copy:
///   tile of 8 / 16 / 32 KiB, fp64 16384^2, with ordinary stores    0.875 / 0.866 / 0.880
///   the same with streaming stores                                  - / 0.943 / 0.939
///   16-byte against 8-byte vectors, streaming stores                0.943 / 0.942 (fp32 16 / 4 bytes: 0.970 / 0.962)
///   strips of 1 / 4 / 16 / all tiles, fp32 16384^2                  0.97 / 0.95 / 0.95 / 0.94
/// Rows and columns that start anywhere, fp32 4099 x 65537: one element at a time 0.83. Tried and left out: rows read
/// from the multiple of 16 bytes before the tile on (0.80), columns written from the multiple of 32 bytes (0.75) or 128
/// (0.69) before it on, which read a margin twice; fewer, larger tiles (0.79).
namespace Koalesce::Impl {

template <int Element>
struct TransposeTuning;

template <>
struct TransposeTuning<1> {
  using Vectors = TransposeShape<1, 16, 128, 128>;
  using Scalars = TransposeShape<1, 1, 64, 64>;
  using Squares = TransposeShape<1, 1, 64, 64>;
};
template <>
struct TransposeTuning<2> {
  using Vectors = TransposeShape<2, 16, 128, 64>;
  using Scalars = TransposeShape<2, 2, 64, 64>;
  using Squares = TransposeShape<2, 2, 64, 64>;
};
template <>
struct TransposeTuning<4> {
  using Vectors = TransposeShape<4, 16, 64, 64>;
  using Scalars = TransposeShape<4, 4, 64, 64>;
  using Squares = TransposeShape<4, 4, 64, 64>;
};
template <>
struct TransposeTuning<8> {
  using Vectors = TransposeShape<8, 16, 64, 32>;
  using Scalars = TransposeShape<8, 8, 64, 32>;
  using Squares = TransposeShape<8, 8, 32, 32>;
};
template <>
struct TransposeTuning<16> {
  using Vectors = TransposeShape<16, 16, 32, 32>;
  using Scalars = Vectors;
  using Squares = Vectors;
};

}  // namespace Koalesce::Impl

#endif
