// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_HPP
#define KOALESCE_CUDA_TRANSPOSE_HPP

#include <Koalesce/portable/Transpose.hpp>

namespace Koalesce::Impl {

template <class T>
void run_transpose(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

template <class T>
void run_transpose(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label, CopyWork<T> const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

}  // namespace Koalesce::Impl

#endif
