// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TUNING_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_TUNING_HPP

#include <Koalesce/cuda/transpose/TransposeShape.hpp>

#include <type_traits>

/// Tiles for elements of each size: for rows and columns of whole vectors, for any others, in place, and for reads that
/// also transpose.
///
/// H200, `koalesce_perf_transpose --benchmark_filter=^transpose/`, fraction of a copy:
///   stores: ordinary / streaming, fp64 16384^2, 16-byte vectors                0.87 / 0.94
///   tiles of 8 / 16 / 32 KiB, fp64 16384^2                                     0.88 / 0.94 / 0.94
///   vectors of 16 bytes against single elements, fp64 / fp32 16384^2           0.943 and 0.945 / 0.962 and 0.962
///   strips of 1 / 2 / 5 / 16 / all tiles, fp32 16384^2                         0.962 / 0.958 / 0.946 / 0.930 / 0.915
///   the same, fp64 1000003 x 257                                               0.73 / - / - / 0.785 / 0.785
///   strips of 1 / 4 / 16 / all tiles, against the fastest of them:
///     fp64 524289 x 513, 65537 x 4097, 32769 x 8193   0.81 0.93 0.98 1, 0.93 0.99 1 1, 1 0.94 0.94 0.91
///     u8 1048576 x 1024, 65536 x 16384                0.69 0.94 1 1, 0.96 0.97 0.96 0.96
///     u16 1048576 x 1024, 65536 x 16384               0.82 0.91 1 1, 1 0.94 0.99 0.99
///   8 resident blocks against 5 or 6: fp32 4099 x 65537 (elements)             0.826 / 0.75
///     fp64 16384^2, c128 8192^2 (vectors)                                      0.921 / 0.943, 0.907 / 0.931
///   u8 32768^2, vectors of 4 / 8 / 16 bytes                                    0.82 / 0.72 / 0.75
/// Tiles that begin with a multiple of 256 bytes where all rows and columns can, against tiles from the first element
/// on, fp64 / fp32 16384^2, u16 32768^2 that begin 128 bytes after a multiple of 256, as those of Kokkos' Views do:
///   0.944 and 0.918, 0.954 and 0.953 (vectors), 0.949 and 0.944; 64 bytes after one: 0.943 and 0.869, 0.954 and 0.853,
///   0.949 and 0.817
/// Squares of 256, 512, 1024 and 2048 rows, us of a kernel in a graph, by tiles of vectors / of elements / by the plain
/// tile / by the kernel of perf_tests/TransposeCuda.hpp with as many elements / by cuBLAS:
///   fp64 2.0, 2.4, 3.9, 18.8 / 1.9, 2.2, 3.8, 20.2 / 1.35, 1.8, 3.5, 16.5 / 1.4, 1.8, 3.4, 16.9 / 1.6, 1.9, 3.6, 17.6
///   fp32 2.0, 2.1, 2.9, 6.2 / 1.8, 1.9, 2.7, 6.0 / 1.2, 1.5, 2.4, 5.8 / 1.3, 1.5, 2.8, 7.5 / 2.5, 2.5, 3.0, 6.4
/// and of 4096 rows in fp64 67.8 / 69.4 / 71.4 / 71.3 / 69.2, in fp32 34.3 / 34.8 / 37.5 / 38.1 / 38.5. It counts how
/// many instructions a block fetches before its first load, as each kernel fetches them anew: 41 are executed in the
/// plain tile and 130 in the others. With 200, among which lay unrolled loops for batches, the others took up to 0.3 us
/// longer. The size of the arguments does not count, nor whether shared memory is static.
/// All of L1 as shared memory, or as the driver divides it, vectors: fp32 16384^2 527 and 519 us, fp64 1041 and 1036,
/// fp64 2048^2 19.3 and 18.8; elements: 526 and 529, 1036 and 1040, 20.0 and 20.2. Narrow tiles and those in place are
/// launched likewise; for them it was not measured.
/// Rows and columns that start anywhere, fp32 4099 x 65537: one element at a time 0.83. Tried and left out: rows read
/// from the multiple of 16 bytes before the tile on (0.80), columns written from the multiple of 32 (0.75) or 128 bytes
/// (0.69) before it on, both of which read a margin twice; fewer, larger tiles (0.79); what is left over of rows and
/// columns moved by the last tile's block (0.75: registers).
namespace Koalesce::Impl::CudaBackend {

/// Numbers of a tile: bytes of a row and of a column that are moved at a time, extents in elements, and blocks that
/// must fit on an SM.
struct TileNumbers {
  int vector, rows, columns, blocks;
};

struct TransposeNumbers {
  TileNumbers vectors;  ///< rows and columns made of whole vectors
  TileNumbers scalars;  ///< other rows and columns
  TileNumbers squares;  ///< in place
  TileNumbers reads;    ///< reads that also transpose
};

/// \param[in] element  bytes of an element: 1, 2, 4, 8 or 16.
constexpr TransposeNumbers transpose_numbers(int element) {
  switch (element) {
    case 1:
      return {.vectors = {.vector = 4, .rows = 128, .columns = 64, .blocks = 8},
              .scalars = {.vector = 1, .rows = 64, .columns = 64, .blocks = 6},
              .squares = {.vector = 1, .rows = 64, .columns = 64, .blocks = 4},
              .reads   = {.vector = 4, .rows = 64, .columns = 64, .blocks = 5}};
    case 2:
      return {.vectors = {.vector = 16, .rows = 128, .columns = 64, .blocks = 6},
              .scalars = {.vector = 2, .rows = 64, .columns = 64, .blocks = 6},
              .squares = {.vector = 2, .rows = 64, .columns = 64, .blocks = 4},
              .reads   = {.vector = 4, .rows = 64, .columns = 64, .blocks = 5}};
    case 4:
      return {.vectors = {.vector = 16, .rows = 64, .columns = 64, .blocks = 5},
              .scalars = {.vector = 4, .rows = 64, .columns = 64, .blocks = 8},
              .squares = {.vector = 4, .rows = 64, .columns = 64, .blocks = 4},
              .reads   = {.vector = 4, .rows = 64, .columns = 32, .blocks = 5}};
    case 8:
      return {.vectors = {.vector = 16, .rows = 64, .columns = 32, .blocks = 6},
              .scalars = {.vector = 8, .rows = 64, .columns = 32, .blocks = 8},
              .squares = {.vector = 8, .rows = 32, .columns = 32, .blocks = 4},
              .reads   = {.vector = 8, .rows = 64, .columns = 32, .blocks = 5}};
    default:
      return {.vectors = {.vector = 16, .rows = 32, .columns = 32, .blocks = 5},
              .scalars = {.vector = 16, .rows = 32, .columns = 32, .blocks = 5},
              .squares = {.vector = 16, .rows = 32, .columns = 32, .blocks = 4},
              .reads   = {.vector = 16, .rows = 32, .columns = 32, .blocks = 4}};
  }
}

/// Numbers of a queue: threads of a block, columns that it goes down, steps of its queue, and blocks that must fit on
/// an SM.
struct QueueNumbers {
  int threads, columns, steps, blocks;
};

/// Chosen on an H200 with these kernels alone, fraction of cudaMemcpy's speed for 1000003 x 257, 4099 x 65537, and
/// 16383 x 16385 (fp64) or 20001 x 20003 (fp32), by columns and steps:
///   fp64, 32 and 4    0.81, 0.83, 0.82
///   fp64, 64 and 4    0.83, 0.85, 0.85
///   fp64, 128 and 4   0.88, 0.89, 0.88
///   fp32, 32 and 4    0.85, 0.77, 0.77
///   fp32, 64 and 4    0.87, 0.80, 0.80
///   fp32, 128 and 4   0.93, 0.85, 0.84
///   fp32, 128 and 5   0.95, 0.86, 0.84
/// Memory moves each byte once (ncu, fp32: 1.61 GB read and 1.60 GB written of 1.60), and the order of blocks hardly
/// matters (1 %). Lines of 128 bytes lose a third. With all of L1 as shared memory, fp64 4099 x 65537 has 0.84, not
/// 0.89. Tried and left out: bulk copies of rows with the bytes around them (fp64 0.86, fp32 0.57 to 0.84), loads by
/// registers (0.80, 0.65), addresses computed anew in each step (fp32 0.93, 0.85, 0.83), threads that read a row each
/// (fp32 3121343 x 129 0.77, now 0.83).
constexpr QueueNumbers queue_numbers(int element) {
  return {.threads = 512, .columns = 128, .steps = element == 4 ? 5 : 4, .blocks = 1};
}

/// Numbers of a queue of small elements: threads of a block, words of a row that it goes down, steps, and blocks.
struct SmallQueueNumbers {
  int threads, words, steps, blocks;
};

/// Chosen as queue_numbers(), fraction of the fastest copy, by threads, words, steps and blocks; in parentheses tiles
/// of elements:
///   u8 4000012 x 257, 16387 x 65537, 32768 x 32770            (0.42, 0.46, 0.48)
///     512, 32, 4 and 1 / 512, 32, 3 and 2 / 512, 32, 6 and 1  0.71, 0.69, 0.69 / 0.64, 0.61, 0.61 / 0.60, 0.59, 0.59
///     512, 64, 3 and 1 / 1024, 64, 3 and 1                    0.56, 0.62, 0.64 / 0.62, 0.67, 0.70
///   u16 2000006 x 257, 8195 x 65537, 23166 x 23170            (0.57, 0.64, 0.62)
///     512, 32, 4 and 2 / 512, 32, 3 and 2 / 1024, 32, 6 and 1 0.76, 0.75, 0.80 / 0.73, 0.71, 0.76 / 0.77, 0.73, 0.78
///     512, 64, 4 and 1 / 512, 64, 3 and 2                     0.72, 0.79, 0.78 / 0.70, 0.72, 0.71
/// With addresses of 64 bits computed anew for each word u8 has 0.43 to 0.54, for want of issue slots.
constexpr SmallQueueNumbers small_queue_numbers(int element) {
  return {.threads = 512, .words = 32, .steps = 4, .blocks = element == 1 ? 1 : 2};
}

/// Reads that also transpose. Kokkos gives a team up to 48 KiB. A first sum by column, ms, by this queue / by tiles
/// (H200):
///   fp64 1000003 x 257, 4099 x 65537, 16383 x 16385, 1001 x 1003   1.26, 1.28, 1.32, 0.024 / 1.79, 1.86, 1.93, 0.044
///   fp32 1000003 x 257, 4099 x 65537, 1001 x 1003                  0.67, 0.68, 0.025 / 0.86, 0.89, 0.033
constexpr QueueNumbers read_queue_numbers(int) { return {.threads = 256, .columns = 32, .steps = 4, .blocks = 5}; }

/// The numbers as types, for which kernels are compiled.
template <int Element>
struct TransposeTuning {
  static constexpr TransposeNumbers n = transpose_numbers(Element);
  static constexpr TileNumbers v = n.vectors, e = n.scalars, s = n.squares, r = n.reads;

  using Vectors = TransposeShape<Element, v.vector, v.rows, v.columns, v.blocks>;
  using Scalars = TransposeShape<Element, e.vector, e.rows, e.columns, e.blocks>;
  using Squares = TransposeShape<Element, s.vector, s.rows, s.columns, s.blocks>;
  using Reads   = TransposeShape<Element, r.vector, r.rows, r.columns, r.blocks>;

  static constexpr QueueNumbers q = queue_numbers(Element), rq = read_queue_numbers(Element);

  static constexpr SmallQueueNumbers sq = small_queue_numbers(Element);

  using Queue = std::conditional_t<(Element < 4), SmallQueueShape<Element, sq.threads, sq.words, sq.steps, sq.blocks>,
                                   QueueShape<Element, q.threads, q.columns, q.steps, q.blocks>>;
  using ReadQueue = QueueShape<Element, rq.threads, rq.columns, rq.steps, rq.blocks>;
};

/// Numbers of packed lines: threads of a block, and at most how many bytes it moves.
struct PackedNumbers {
  int threads, bytes;
};

/// Shared by elements of all sizes. Chosen on an H200 with these kernels alone: fraction of cudaMemcpy's speed for fp64
/// 50000000 x 3 / fp32 100000007 x 7, and KiB and threads of a block:
///   packed rows, 8 and 256 / 16 and 256 / 32 and 512 / 64 and 1024   0.99, 0.98, 0.97, 0.96 / 0.90, 0.90, 0.92, 0.90
///     33 columns                                                     0.73, 0.86, 0.98, 1.01 / 0.70, 0.80, 0.96, 0.96
///   packed columns, 16 and 128 / 32 and 256 / 32 and 512             1.00, 0.99, 0.94 / 0.91, 0.84, 0.75
/// Long columns are written with ordinary stores (streaming ones: 0.96 / 0.90), packed ones with streaming stores.
struct PackedTuning {
  static constexpr int max_line       = 512;  ///< bytes of a line: longer ones make the pieces on the other side short
  static constexpr int min_lines      = 512;  ///< of a matrix: with fewer, a block's share is small
  static constexpr PackedNumbers rows = {.threads = 512, .bytes = 32768};
  static constexpr PackedNumbers columns = {.threads = 128, .bytes = 16384};
  /// Blocks that must fit on an SM, 0 for no bound. 2 to 16 rows of doubles: 0.95 with 9, 0.79 where registers allow
  /// only 8; floats spill registers with 9 and lose 2 %.
  static constexpr int column_blocks(int element) { return element == 8 ? 9 : 0; }
};

/// Packed lines whose long lines move in packets of 16 bytes: elements of 1 and 2 bytes, and some of 4. Chosen with
/// these kernels alone: fraction of the fastest copy, and KiB and threads of a block:
///   H200, packed rows, 16 and 128 / 32 and 256, u8 100000000 x 3, u16 50000000 x 7         0.97, 0.95 / 0.96, 0.95
///   H200, packed columns, 8 and 128 / 16 and 128 / 32 and 256, u8 4 x 100000000            0.96 / 0.86 / 0.83
///   H100, packed rows, 8 and 128 / 16 and 128, u8 100000000 x 3, u16 50000000 x 7          0.99, 0.98 / 0.97, 0.96
/// Floats move in packets where their number in a packed line is odd: 50000000 x 4 has 0.95 with packets and 0.99
/// without, 16 x 50000000 0.92 and 0.97 (H100); 7 x 50000000 has 0.96 and 0.89 (H200).
struct SmallTuning {
  static constexpr PackedNumbers rows    = {.threads = 128, .bytes = 8192};
  static constexpr PackedNumbers columns = {.threads = 128, .bytes = 8192};
};

/// Arrays of structs with members of different sizes, and the members' arrays: as PackedTuning.
struct StructTuning {
  static constexpr int max_struct           = 1024;  ///< bytes: a block has at least 32 structs
  static constexpr int max_unlisted         = 4;     ///< members are picked if less than one in so many bytes is listed
  static constexpr int blocks               = 6;     ///< that must fit on an SM
  static constexpr PackedNumbers to_arrays  = {.threads = 256, .bytes = 16384};
  static constexpr PackedNumbers to_structs = {.threads = 256, .bytes = 16384};
};

/// Numbers of boxes: threads of a block, elements that each of them moves, and blocks that must fit on an SM.
struct BoxNumbers {
  int threads, elements, blocks;
};

/// Chosen on an H200 with these kernels alone: geometric mean of the fraction of cudaMemcpy's speed, over 17
/// permutations of rank 2 to 6, with 256 threads of 4 elements / 256 of 8 / 512 of 8:
///   fp64 0.88 / 0.89 / 0.89, fp32 0.72 / 0.78 / 0.78
/// The data of Kokkos' Views begin 128 bytes after a multiple of 256, which costs up to a tenth where runs are short:
/// with 256 threads of 8 elements 0.82, with 512 0.85 (fp64, ten permutations). Boxes that begin with a multiple of 256
/// where all runs can, as tiles of matrices do, were left out: fp64 gained up to 4 %, but fp32 lost 2 to 6 %.
/// The shape of a box matters more than its size: fp64 (5, 4, 3, 2, 1, 0) of 32 x 15 x 15 x 15 x 15 x 32 has 0.90 with
/// boxes of 32 x 2 x 32 and 0.81 with 16 x 4 x 32; fp32 (4, 3, 2, 1, 0) of 48 x 28 x 28 x 28 x 48 has 0.72 if it reads
/// runs of 48 and writes runs of 16, and 0.55 the other way round.
/// Elements pass registers by: spilled registers cost a fifth, as shared memory takes the space of L1.
/// Tried and left out: boxes in the order of the source or of both sides in turn (within 1 %), ordinary stores (0.90 to
/// 0.98 of streaming ones), blocks with a few boxes each (0.6 to 0.95 of those that run to the end), two boxes on their
/// way instead of one (0.94 to 0.98).
constexpr BoxNumbers box_numbers(int element) {
  switch (element) {
    case 16: return {.threads = 256, .elements = 4, .blocks = 6};
    default: return {.threads = 512, .elements = 8, .blocks = 2};
  }
}

/// The numbers as constants, which device code can use.
template <int Element>
struct BoxTuning {
  static constexpr int threads = box_numbers(Element).threads, elements = box_numbers(Element).elements,
                       blocks = box_numbers(Element).blocks;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
