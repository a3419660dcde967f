// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_BACKEND_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_BACKEND_HPP

#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <string>

namespace Koalesce::Impl {

/// What a backend must have for transpose and copy_layout, found by argument-dependent lookup through its tag:
///
///     run_transpose(tag, exec, label, work)
///
/// for every TransposeWork<T> and CopyWork<T>; T is a Word or, where elements have another size or are misaligned, the
/// Views' own type. It starts kernels named kernel_label(tag, label) on `exec`, and does not wait.
template <class Tag, class Exec, class T>
concept TransposeBackend = requires(Tag tag, Exec const& exec, std::string const& label, TransposeWork<T> const& work,
                                    CopyWork<T> const& copy) {
  run_transpose(tag, exec, label, work);
  run_transpose(tag, exec, label, copy);
};

}  // namespace Koalesce::Impl

#endif
