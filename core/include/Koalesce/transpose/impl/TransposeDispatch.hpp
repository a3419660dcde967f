// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/transpose/impl/CanonicalDims.hpp>
#include <Koalesce/transpose/impl/HostTransfer.hpp>
#include <Koalesce/transpose/impl/RunCanonical.hpp>
#include <Koalesce/transpose/impl/TransposeChecks.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Elements of 1, 2, 4, 8 and 16 bytes are moved as words, so that few kernels are compiled.
template <class BackendTag, class Exec, class Dst, class Src, std::size_t Rank>
void dispatch_transpose(Exec const& exec, std::string const& label, Dst const& dst, Src const& src,
                        Permutation<Rank> const& p) {
  if (dst.size() == 0) return;
  std::vector<TransposeDim> dims(Rank);
  for (std::size_t d = 0; d < Rank; ++d)
    dims[d] = {std::int64_t(dst.extent(d)), std::int64_t(src.stride(p[d])), std::int64_t(dst.stride(d))};
  using Tag      = Resolve<BackendTag, Exec>;
  auto const run = [&](auto const* from, auto* to) {
    if constexpr (is_transfer<Exec, Dst, Src>) {
      using T                  = std::remove_pointer_t<decltype(to)>;
      constexpr bool from_host = reaches<Exec, Dst>;
      HostTransfer<Tag, T, Exec> transfer(exec, label + (from_host ? " [from host]" : " [to host]"), from, to, dims,
                                          from_host ? HostSide::source : HostSide::destination,
                                          TransferBuffers<Exec>::of(exec));
      from_host ? transfer.from_host() : transfer.to_host();
    } else if constexpr (reaches<Exec, Dst> && reaches<Exec, Src>) {
      bool const in_place = static_cast<void const*>(to) == static_cast<void const*>(from);
      run_canonical(Tag{}, exec, label, from, to, canonical_dims(std::move(dims), in_place));
    }
  };
  using T = typename Dst::value_type;
  if constexpr (is_word_size(sizeof(T))) {
    using W = Word<int(sizeof(T))>;
    if (is_aligned(src.data(), sizeof(T)) && is_aligned(dst.data(), sizeof(T)))
      return run(reinterpret_cast<W const*>(src.data()), reinterpret_cast<W*>(dst.data()));
  }
  run(static_cast<T const*>(src.data()), dst.data());
}

}  // namespace Koalesce::Impl

#endif
