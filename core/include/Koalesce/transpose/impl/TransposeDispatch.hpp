// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/transpose/impl/CanonicalDims.hpp>
#include <Koalesce/transpose/impl/TransposeBackend.hpp>
#include <Koalesce/transpose/impl/TransposeChecks.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

template <class T, class BackendTag, class Exec>
void run_canonical(BackendTag, Exec const& exec, std::string const& label, T const* from, T* to,
                   CanonicalDims const& d) {
  static_assert(TransposeBackend<BackendTag, Exec, T>,
                "Koalesce: the execution space's backend was not included, or lacks a function that TransposeBackend "
                "requires; include <Koalesce/Transpose.hpp>, or write that function");
  TransposeWork<T> const work{
      from, to, d.batch, d.row.extent, d.column.extent, {d.row.from, d.column.from}, {d.row.to, d.column.to}};
  if (d.transposes) run_transpose(BackendTag{}, exec, label, work);
  else if (!work.is_in_place()) run_transpose(BackendTag{}, exec, label, CopyWork<T>{work});
}

/// Elements of 1, 2, 4, 8 and 16 bytes are moved as words, so that few kernels are compiled.
template <class BackendTag, class Exec, class Dst, class Src, std::size_t Rank>
void dispatch_transpose(Exec const& exec, std::string const& label, Dst const& dst, Src const& src,
                        Permutation<Rank> const& p) {
  if (dst.size() == 0) return;
  std::vector<TransposeDim> dims(Rank);
  for (std::size_t d = 0; d < Rank; ++d)
    dims[d] = {std::int64_t(dst.extent(d)), std::int64_t(src.stride(p[d])), std::int64_t(dst.stride(d))};
  bool const in_place  = static_cast<void const*>(dst.data()) == static_cast<void const*>(src.data());
  auto const canonical = canonical_dims(std::move(dims), in_place);

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
