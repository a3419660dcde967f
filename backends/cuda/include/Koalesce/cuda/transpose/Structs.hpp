// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_STRUCTS_HPP
#define KOALESCE_CUDA_TRANSPOSE_STRUCTS_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/transpose/StructLines.hpp>
#include <Koalesce/portable/transpose/Structs.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

template <class Exec>
constexpr bool transposes_structs(Tag, std::type_identity<Exec>) {
  return true;
}

/// Equal forms on both sides, large structs and those of which little is listed are copied member by member.
/// A template, so that only files that copy structs compile the kernels.
template <class Exec>
void run_copy_structs(Tag, Exec const& exec, std::string const& label, StructWork const& work) {
  if (!launch_struct_lines(exec, label, work))
    PortableBackend::launch_struct_blocks(exec, kernel_label(Tag{}, label), work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
