// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_TRANSPOSE_HPP
#define KOALESCE_OPENMP_TRANSPOSE_HPP

#include <Koalesce/portable/Transpose.hpp>

namespace Koalesce::Impl {

template <class Exec, class T>
void run_transpose(Backend::OpenMP, Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

template <class Exec, class T>
void run_transpose(Backend::OpenMP, Exec const& exec, std::string const& label, CopyWork<T> const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

}  // namespace Koalesce::Impl

#endif
