// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_RUN_CANONICAL_HPP
#define KOALESCE_TRANSPOSE_IMPL_RUN_CANONICAL_HPP

#include <Koalesce/transpose/impl/CanonicalDims.hpp>
#include <Koalesce/transpose/impl/TransposeBackend.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <string>

namespace Koalesce::Impl {

/// Gives a transposition to its backend.
template <class T, class BackendTag, class Exec>
void run_canonical(BackendTag, Exec const& exec, std::string const& label, T const* from, T* to,
                   CanonicalDims const& d) {
  static_assert(TransposeBackend<BackendTag, Exec, T>,
                "Koalesce: the execution space's backend was not included, or lacks a function that TransposeBackend "
                "requires; include <Koalesce/Transpose.hpp>, or write that function");
  TransposeWork<T> const work{
      from, to, {d.row.from, d.column.from}, {d.row.to, d.column.to}, d.row.extent, d.column.extent, d.batch};
  if (d.transposes) run_transpose(BackendTag{}, exec, label, work);
  else if (!work.is_in_place()) run_transpose(BackendTag{}, exec, label, CopyWork<T>{work});
}

}  // namespace Koalesce::Impl

#endif
