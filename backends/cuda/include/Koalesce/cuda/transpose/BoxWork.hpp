// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_BOX_WORK_HPP
#define KOALESCE_CUDA_TRANSPOSE_BOX_WORK_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/transpose/BoxShape.hpp>
#include <Koalesce/transpose/impl/CanonicalDims.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

/// A transposition in boxes, of words of `WordBytes` bytes.
template <int WordBytes>
struct BoxWork {
  Word<WordBytes> const* from;
  Word<WordBytes>* to;
  BoxDims dims;
};

template <class T>
std::vector<TransposeDim> all_dims(TransposeWork<T> const& work) {
  std::vector<TransposeDim> dims{{work.rows, work.from_at.row, work.to_at.row},
                                 {work.columns, work.from_at.column, work.to_at.column}};
  for (int d = 0; d < work.batch.dims(); ++d) dims.push_back(work.batch.dim(d));
  return dims;
}

/// The same transposition in boxes, with elements as they are.
template <class T>
  requires is_word<T>
BoxWork<int(sizeof(T))> box_work(TransposeWork<T> const& work) {
  BoxWork<int(sizeof(T))> boxes{work.from, work.to, {}};
  for (auto const& d : all_dims(work)) boxes.dims.append(d);
  return boxes;
}

/// All dimensions, in bytes: an element is the fastest one, or part of it.
template <class T>
std::vector<TransposeDim> byte_dims(TransposeWork<T> const& work) {
  auto dims = all_dims(work);
  for (auto& d : dims) d = {d.extent, d.from * std::int64_t(sizeof(T)), d.to * std::int64_t(sizeof(T))};
  dims.push_back({std::int64_t(sizeof(T)), 1, 1});
  merge_dims(dims);
  return dims;
}

/// Calls run(BoxWork) with the largest words of which all consists that is contiguous on both sides: at least those of
/// which elements consist. Returns the result.
template <class T, class Run>
auto with_box_work(TransposeWork<T> const& work, Run const& run) {
  auto const dims      = byte_dims(work);
  auto const is_packed = [](TransposeDim const& d) { return d.from == 1 && d.to == 1; };
  // Of single bytes that have a stride on both sides, none is.
  bool const packed   = std::any_of(dims.begin(), dims.end(), is_packed);
  auto const consists = [&](int bytes) {
    return packed && is_aligned(work.from, bytes) && is_aligned(work.to, bytes) &&
           std::all_of(dims.begin(), dims.end(), [&](auto const& d) {
             return is_packed(d) ? d.extent % bytes == 0 : d.from % bytes == 0 && d.to % bytes == 0;
           });
  };
  auto const run_with = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    BoxWork<Bytes> boxes{reinterpret_cast<Word<Bytes> const*>(work.from), reinterpret_cast<Word<Bytes>*>(work.to), {}};
    for (auto const& d : dims)
      boxes.dims.append(is_packed(d) ? TransposeDim{d.extent / Bytes, 1, 1}
                                     : TransposeDim{d.extent, d.from / Bytes, d.to / Bytes});
    return run(boxes);
  };
  constexpr int least = alignof(T);
  if (consists(16)) return run_with(std::integral_constant<int, 16>());
  if constexpr (least <= 8)
    if (consists(8)) return run_with(std::integral_constant<int, 8>());
  if constexpr (least <= 4)
    if (consists(4)) return run_with(std::integral_constant<int, 4>());
  if constexpr (least <= 2)
    if (consists(2)) return run_with(std::integral_constant<int, 2>());
  return run_with(std::integral_constant<int, std::min(least, 16)>());
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
