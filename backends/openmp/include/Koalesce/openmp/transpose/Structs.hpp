// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_TRANSPOSE_STRUCTS_HPP
#define KOALESCE_OPENMP_TRANSPOSE_STRUCTS_HPP

#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/portable/transpose/Structs.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl::OpenMPBackend {

template <class Exec>
constexpr bool transposes_structs(Tag, std::type_identity<Exec>) {
  return true;
}

template <class Exec>
void run_copy_structs(Tag, Exec const& exec, std::string const& label, StructWork const& work) {
  PortableBackend::launch_struct_blocks(exec, kernel_label(Tag{}, label), work);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
