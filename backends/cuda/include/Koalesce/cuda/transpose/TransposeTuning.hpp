// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TUNING_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TUNING_HPP

#include <Koalesce/cuda/transpose/TransposeShape.hpp>

/// Tiles for elements of each size: where rows and columns are made of whole vectors, where they lie anywhere, in
/// place, and for reads that transpose on the way.
///
/// H200, fraction of a copy:
///   stores: ordinary / streaming, fp64 16384^2, 16-byte vectors                0.87 / 0.94
///   tiles of 8 / 16 / 32 KiB, fp64 16384^2                                     0.88 / 0.94 / 0.94
///   vectors of 16 bytes against single elements, fp64 / fp32 16384^2           0.943 and 0.945 / 0.962 and 0.962
///   strips of 1 / 2 / 5 / 16 / all tiles, fp32 16384^2                         0.962 / 0.958 / 0.946 / 0.930 / 0.915
///   the same, fp64 1000003 x 257                                               0.73 / - / - / 0.785 / 0.785
///   8 resident blocks against 5 or 6: fp32 4099 x 65537 (elements)             0.826 / 0.75
///     fp64 16384^2, c128 8192^2 (vectors)                                      0.921 / 0.943, 0.907 / 0.931
///   u8 32768^2, vectors of 4 / 8 / 16 bytes                                    0.82 / 0.72 / 0.75
/// Rows and columns that start anywhere, fp32 4099 x 65537: one element at a time 0.83. Tried and left out: rows read
/// from the multiple of 16 bytes before the tile on (0.80), columns written from the multiple of 32 (0.75) or 128 bytes
/// (0.69) before it on, both of which read a margin twice; fewer, larger tiles (0.79); what is left over of rows and
/// columns moved by the last tile's block (0.75: registers).
namespace Koalesce::Impl::CudaBackend {

template <int Element>
struct TransposeTuning;

template <>
struct TransposeTuning<1> {
  using Vectors = TransposeShape<1, 4, 128, 64, 8>;
  using Scalars = TransposeShape<1, 1, 64, 64, 6>;
  using Squares = TransposeShape<1, 1, 64, 64, 4>;
  using Reads   = TransposeShape<1, 4, 64, 64, 5>;
};
template <>
struct TransposeTuning<2> {
  using Vectors = TransposeShape<2, 16, 128, 64, 6>;
  using Scalars = TransposeShape<2, 2, 64, 64, 6>;
  using Squares = TransposeShape<2, 2, 64, 64, 4>;
  using Reads   = TransposeShape<2, 4, 64, 64, 5>;
};
template <>
struct TransposeTuning<4> {
  using Vectors = TransposeShape<4, 16, 64, 64, 5>;
  using Scalars = TransposeShape<4, 4, 64, 64, 8>;
  using Squares = TransposeShape<4, 4, 64, 64, 4>;
  using Reads   = TransposeShape<4, 4, 64, 32, 5>;
};
template <>
struct TransposeTuning<8> {
  using Vectors = TransposeShape<8, 16, 64, 32, 6>;
  using Scalars = TransposeShape<8, 8, 64, 32, 8>;
  using Squares = TransposeShape<8, 8, 32, 32, 4>;
  using Reads   = TransposeShape<8, 8, 64, 32, 5>;
};
template <>
struct TransposeTuning<16> {
  using Scalars = TransposeShape<16, 16, 32, 32, 5>;
  using Vectors = Scalars;
  using Squares = TransposeShape<16, 16, 32, 32, 4>;
  using Reads   = TransposeShape<16, 16, 32, 32, 4>;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
