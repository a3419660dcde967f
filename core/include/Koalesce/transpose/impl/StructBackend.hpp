// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_STRUCT_BACKEND_HPP
#define KOALESCE_TRANSPOSE_IMPL_STRUCT_BACKEND_HPP

#include <Koalesce/transpose/impl/StructWork.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl {

/// What a backend must have for copy_structs besides TransposeBackend, found by argument-dependent lookup through its
/// tag:
///
///     run_copy_structs(tag, exec, label, work)
///
/// It starts one kernel named kernel_label(tag, label) on `exec`, and does not wait. Bytes of structs that belong to no
/// listed member stay as they are, unless work.are_all. And, known when compiling,
///
///     transposes_structs(tag, std::type_identity<Exec>{})
///
/// says whether members of one size go by run_transpose instead, as the columns of a matrix.
template <class Tag, class Exec>
concept StructBackend = requires(Tag tag, Exec const& exec, std::string const& label, StructWork const& work) {
  run_copy_structs(tag, exec, label, work);
  typename std::bool_constant<transposes_structs(Tag{}, std::type_identity<Exec>{})>;
};

}  // namespace Koalesce::Impl

#endif
