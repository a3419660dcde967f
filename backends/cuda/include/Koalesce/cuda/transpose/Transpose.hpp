// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/runtime/Machine.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/cuda/transpose/BoxKernel.hpp>
#include <Koalesce/cuda/transpose/BoxWork.hpp>
#include <Koalesce/cuda/transpose/NarrowTile.hpp>
#include <Koalesce/cuda/transpose/PlainTile.hpp>
#include <Koalesce/cuda/transpose/TransposeKernels.hpp>
#include <Koalesce/cuda/transpose/TransposeQueue.hpp>
#include <Koalesce/cuda/transpose/TransposeSmallQueue.hpp>
#include <Koalesce/cuda/transpose/TransposeTile.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/cuda/transpose/packed/PackedLaunch.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

/// Whether rows of one side and columns of the other consist of whole, aligned vectors.
template <int Bytes, class T>
bool has_vectors(TransposeWork<T> const& work) {
  if (Bytes == sizeof(T)) return true;
  constexpr std::int64_t elements = Bytes / int(sizeof(T));
  return work.from_at.column == 1 && work.to_at.row == 1 && is_aligned(work.from, Bytes) &&
         is_aligned(work.to, Bytes) && work.from_at.row % elements == 0 && work.to_at.column % elements == 0 &&
         work.batch.from_multiple_of(elements) && work.batch.to_multiple_of(elements);
}

/// Whether the matrix has fewer rows or columns than a tile.
template <class Shape, class T>
bool is_narrow(TransposeWork<T> const& work) {
  return work.rows < Shape::rows || work.columns < Shape::columns;
}

/// Calls run with the tile of a shape, or with the narrow tile if the work does not allow it, and returns the result.
template <class Shape, class T, class Run>
auto with_tile(TransposeWork<T> const& work, Run const& run) {
  if (is_narrow<Shape>(work) || !has_vectors<Shape::vector>(work))
    return run.template operator()<NarrowTile<int(sizeof(T))>>();
  return run.template operator()<TransposeTile<Shape>>();
}

/// The kernels for transpositions of words that are not in place.
enum class Tiling { vectors, elements, narrow, boxes, queue, plain };

inline std::string to_string(Tiling tiling) {
  switch (tiling) {
    case Tiling::vectors: return "vectors";
    case Tiling::elements: return "elements";
    case Tiling::narrow: return "narrow";
    case Tiling::queue: return "queue";
    case Tiling::boxes: return "boxes";
    case Tiling::plain: return "plain";
  }
  return "";
}

/// The candidates of a transposition, without an allocation: every call makes a list.
class Tilings {
 public:
  explicit Tilings(Tiling first) { append(first); }

  void append(Tiling tiling) { m_tiling[m_count++] = tiling; }
  void prepend(Tiling tiling) {
    append(tiling);
    std::rotate(m_tiling.begin(), m_tiling.begin() + m_count - 1, m_tiling.begin() + m_count);
  }
  void insert(Tiling tiling, bool as_first) { as_first ? prepend(tiling) : append(tiling); }

  auto begin() const { return m_tiling.begin(); }
  auto end() const { return m_tiling.begin() + m_count; }
  Tiling operator[](std::size_t i) const { return m_tiling[i]; }

  /// The one that is chosen where nothing is measured.
  Tiling first() const { return m_tiling[0]; }

 private:
  std::array<Tiling, 6> m_tiling{};
  int m_count = 0;
};

/// Whether all rows and columns have a pitch of whole lines of memory, so that tiles can begin with lines.
template <class T>
bool has_lines(TransposeWork<T> const& work) {
  constexpr std::int64_t line = 256 / int(sizeof(T));
  return work.from_at.row % line == 0 && work.to_at.column % line == 0 && work.batch.from_multiple_of(line) &&
         work.batch.to_multiple_of(line);
}

/// The queue for elements of a size.
template <int Element, class Shape = typename TransposeTuning<Element>::Queue>
using QueueOf = std::conditional_t<(Element < 4), TransposeSmallQueue<Shape>, TransposeQueue<Shape>>;

/// Whether a queue is a candidate.
template <class Queue, class T>
bool has_queue(Kokkos::Cuda const& exec, TransposeWork<T> const& work) {
  return !has_lines(work) && Queue::takes(CudaDevice::of(exec), work);
}

/// Whether the plain tile is a candidate: the L2 cache has room for one side.
template <class T>
bool has_plain(Kokkos::Cuda const& exec, TransposeWork<T> const& work) {
  return PlainTile<int(sizeof(T))>::takes(work) &&
         work.size() * std::int64_t(sizeof(T)) <= exec.cuda_device_prop().l2CacheSize;
}

template <class Tuning, class T>
Tilings tilings(Kokkos::Cuda const& exec, TransposeWork<T> const& work, bool has_boxes) {
  using Vectors      = typename Tuning::Vectors;
  using Scalars      = typename Tuning::Scalars;
  bool const several = has_boxes && work.batch.dims() > 0;
  if (is_narrow<Scalars>(work)) {
    Tilings result(Tiling::narrow);
    if (has_boxes) result.insert(Tiling::boxes, several);
    return result;
  }
  bool const vectors = !std::is_same_v<Vectors, Scalars> && has_vectors<Vectors::vector>(work),
             cached  = fits_in_cache(exec, work);
  Tilings result(vectors ? Tiling::vectors : Tiling::elements);
  result.append(vectors ? Tiling::elements : Tiling::narrow);
  if (several) result.append(Tiling::boxes);
  if (has_queue<QueueOf<int(sizeof(T))>>(exec, work)) result.insert(Tiling::queue, !vectors && !cached);
  if (has_plain(exec, work)) result.append(Tiling::plain);
  return result;
}

template <class T>
void run_tiling(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work, Tiling tiling) {
  using Tuning = TransposeTuning<int(sizeof(T))>;
  switch (tiling) {
    case Tiling::vectors: return launch_transpose<TransposeTile<typename Tuning::Vectors>>(exec, label, work);
    case Tiling::elements: return launch_transpose<TransposeTile<typename Tuning::Scalars>>(exec, label, work);
    case Tiling::narrow: return launch_transpose<NarrowTile<int(sizeof(T))>>(exec, label, work);
    case Tiling::queue: return launch_queue<QueueOf<int(sizeof(T))>>(exec, label, work);
    case Tiling::plain: return launch_plain(exec, label, work);
    case Tiling::boxes:
      if (!launch_boxes(exec, label, box_work(work))) run_tiling(exec, label, work, Tiling::narrow);
  }
}

/// What tells transpositions of equal extents apart, as texts do in their keys: the order in which a batch of matrices
/// lies, and the tilings.
using TilingKind = std::array<std::uint64_t, 2>;

template <class T>
TilingKind tiling_kind(TransposeWork<T> const& work, Tilings const& tilings) {
  static_assert(decltype(work.batch)::max_dims < 8, "a dimension takes 8 bits");
  TilingKind kind{1, 1};  // before the first ones, so that their number counts
  for (int d = 0; d < work.batch.dims() && work.batch.dims() > 1; ++d) {
    auto const dim        = work.batch.dim(d);
    unsigned const before = (dim.from < work.from_at.row ? 2 : 0) + (dim.to < work.to_at.column ? 1 : 0);
    kind[0]               = kind[0] << 8 | unsigned(size_class(dim.extent)) << 2 | before;
  }
  for (auto const tiling : tilings) kind[1] = kind[1] << 3 | unsigned(tiling);
  return kind;
}

/// The same order of a batch as a text.
template <class T>
std::string order_text(TransposeWork<T> const& work) {
  std::string order;
  for (int d = 0; d < work.batch.dims() && work.batch.dims() > 1; ++d) {
    auto const dim = work.batch.dim(d);
    order += (d == 0 ? ", of " : " x ") + std::string("2^") + std::to_string(size_class(dim.extent));
    if (dim.from < work.from_at.row) order += " before rows";
    if (dim.to < work.to_at.column) order += " before columns";
  }
  return order;
}

/// Chooses among the tilings by time.
template <class T>
void run_fastest_tiling(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                        Tilings const& tilings) {
  std::int64_t const n[3] = {work.batch.size(), work.rows, work.columns};
  double const size       = double(n[0]) * double(n[1]) * double(n[2]);
  thread_local RecentTuners<Kokkos::Cuda, TilingKind> recent;
  auto const choices = [&] {
    std::vector<std::string> names;
    std::string shape = size_classes_text(n) + order_text(work);
    for (auto const tiling : tilings) {
      names.push_back(to_string(tiling));
      shape += ", " + names.back();
    }
    std::size_t const count = names.size();
    return TuningChoices{{"transpose", label, std::to_string(sizeof(T)) + " bytes", shape, machine_of(Tag{}, exec)},
                         {{"matrices", n[0]}, {"rows", n[1]}, {"columns", n[2]}},
                         "tile",
                         names,
                         count,
                         size};
  };
  auto const tuner = [&] { return recent.get(exec, label, n, tiling_kind(work, tilings), choices); };
  run_fastest(exec, size, 0, tuner, choices, [&](std::size_t i) { run_tiling(exec, label, work, tilings[i]); });
}

/// Launches the kernel that needs no comparison, if there is one: packed lines, or the plain tile where both sides lie
/// in the L2 cache, whose calls take too short a time to compare.
template <class Tuning, class T>
bool launch_fastest(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  if (is_narrow<typename Tuning::Scalars>(work)) return launch_packed<int(sizeof(T))>(exec, label, work);
  using Plain = PlainTile<int(sizeof(T))>;
  if (sizeof(T) < 4 || !fits_in_cache(exec, work) || !Plain::takes(work) || !Plain::is_filled_by(work)) return false;
  launch_plain(exec, label, work);
  return true;
}

template <class T>
  requires is_word<T>
void run_transpose(Tag, Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Tuning = TransposeTuning<int(sizeof(T))>;
  if (work.is_in_place()) {
    using Square = TransposeTile<typename Tuning::Squares>;
    return launch_transpose<Square>(exec, label, work, transpose_in_place_kernel<Square>, 2);
  }
  if (launch_fastest<Tuning>(exec, label, work)) return;
  bool const boxes_help = is_narrow<typename Tuning::Scalars>(work) || work.batch.dims() > 0;
  bool const has_boxes  = boxes_help && plan_boxes<int(sizeof(T))>(exec, box_work(work).dims).plan.has_value();
  run_fastest_tiling(exec, label, work, tilings<Tuning>(exec, work, has_boxes));
}

/// The same, not in place, by the kernel that is chosen where nothing is measured.
template <class T>
void run_untimed_transpose(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Tuning = TransposeTuning<int(sizeof(T))>;
  if (launch_fastest<Tuning>(exec, label, work)) return;
  run_tiling(exec, label, work, tilings<Tuning>(exec, work, false).first());
}

/// Elements that are not words, and copies whose rows stay rows. What is contiguous on both sides is copied as it is.
template <class T>
void run_in_boxes(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work,
                  auto const& for_portable) {
  bool const runs = with_box_work(work, [&](auto const& boxes) {
    bool const is_one_piece =
        boxes.dims.count == 0 || (boxes.dims.count == 1 && boxes.dims[0].from == 1 && boxes.dims[0].to == 1);
    return !is_one_piece && launch_boxes(exec, label, boxes);
  });
  if (!runs) run_transpose(Backend::Portable{}, exec, label, for_portable);
}

template <class T>
void run_transpose(Tag, Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  if (work.is_in_place()) run_transpose(Backend::Portable{}, exec, label, work);
  else run_in_boxes(exec, label, work, work);
}

template <class T>
void run_transpose(Tag, Kokkos::Cuda const& exec, std::string const& label, CopyWork<T> const& work) {
  run_in_boxes<T>(exec, label, work, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
