// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/transpose/impl/TransposeBackend.hpp>
#include <Koalesce/transpose/impl/TransposeChecks.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

/// A dimension: its extent, and its stride in the source and in the destination.
struct SharedDim {
  std::int64_t extent = 1, from = 0, to = 0;
};

/// The dimensions in canonical order, and whether rows and columns swap in memory.
struct CanonicalDims {
  SharedDim batch, row, column;
  bool transposes = true;
};

/// Merges dimensions that are contiguous on both sides. Then the dimension with the smallest stride in the source
/// becomes columns, the one with the smallest stride in the destination rows.
inline CanonicalDims canonical_dims(SharedDim (&dims)[3], int count, bool in_place) {
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (dims[i].extent != 1) dims[kept++] = dims[i];
  for (bool merged = true; merged;) {
    merged = false;
    for (int i = 0; i < kept && !merged; ++i)
      for (int j = 0; j < kept && !merged; ++j)
        if (i != j && dims[i].from == dims[j].from * dims[j].extent && dims[i].to == dims[j].to * dims[j].extent) {
          dims[j].extent *= dims[i].extent;
          dims[i] = dims[--kept];
          merged  = true;
        }
  }
  for (int i = kept; i < 3; ++i) dims[i] = {};

  // In place, rows and columns are the two dimensions that swap, whatever their strides.
  int column = -1, row = -1;
  for (int i = 0; i < kept; ++i) {
    if (in_place && dims[i].from == dims[i].to) continue;
    if (column < 0 || dims[i].from < dims[column].from) column = i;
    if (row < 0 || dims[i].to < dims[row].to) row = i;
  }
  if (column < 0) column = row = 0;
  bool const transposes = row != column;
  // Nothing to transpose: the longer of the other dimensions is the batch, which backends iterate over last.
  if (!transposes) {
    row = (column + 1) % 3;
    if (int const other = (column + 2) % 3; dims[other].extent < dims[row].extent) row = other;
  }
  return {dims[3 - row - column], dims[row], dims[column], transposes};
}

template <class T, class BackendTag, class Exec>
void run_canonical(BackendTag, Exec const& exec, std::string const& label, T const* from, T* to,
                   CanonicalDims const& d) {
  static_assert(TransposeBackend<BackendTag, Exec, T>,
                "Koalesce: the execution space's backend was not included, or lacks a function that TransposeBackend "
                "requires; include <Koalesce/Transpose.hpp>, or write that function");
  TransposeWork<T> const work{from,
                              to,
                              d.batch.extent,
                              d.row.extent,
                              d.column.extent,
                              {d.batch.from, d.row.from, d.column.from},
                              {d.batch.to, d.row.to, d.column.to}};
  if (d.transposes) run_transpose(BackendTag{}, exec, label, work);
  else if (!work.is_in_place()) run_transpose(BackendTag{}, exec, label, CopyWork<T>{work});
}

/// Elements of 1, 2, 4, 8 and 16 bytes are moved as words, so that few kernels are compiled.
template <class BackendTag, class Exec, class Dst, class Src, std::size_t Rank>
void dispatch_transpose(Exec const& exec, std::string const& label, Dst const& dst, Src const& src,
                        Permutation<Rank> const& p) {
  if (dst.size() == 0) return;
  SharedDim dims[3];
  for (std::size_t d = 0; d < Rank; ++d)
    dims[d] = {std::int64_t(dst.extent(d)), std::int64_t(src.stride(p[d])), std::int64_t(dst.stride(d))};
  bool const in_place  = static_cast<void const*>(dst.data()) == static_cast<void const*>(src.data());
  auto const canonical = canonical_dims(dims, int(Rank), in_place);

  using T                  = typename Dst::value_type;
  using Tag                = Resolve<BackendTag, Exec>;
  constexpr bool can_words = is_word_size(sizeof(T));
  if constexpr (can_words) {
    using W = Word<int(sizeof(T))>;
    if (is_aligned(src.data(), sizeof(T)) && is_aligned(dst.data(), sizeof(T)))
      return run_canonical(Tag{}, exec, label, reinterpret_cast<W const*>(src.data()), reinterpret_cast<W*>(dst.data()),
                           canonical);
  }
  run_canonical(Tag{}, exec, label, static_cast<T const*>(src.data()), dst.data(), canonical);
}

}  // namespace Koalesce::Impl

#endif
