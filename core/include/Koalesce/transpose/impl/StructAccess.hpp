// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_STRUCT_ACCESS_HPP
#define KOALESCE_TRANSPOSE_IMPL_STRUCT_ACCESS_HPP

#include <Koalesce/transpose/StructView.hpp>

#include <type_traits>

namespace Koalesce::Impl {

template <class>
inline constexpr bool is_struct_view = false;
template <class List, class MemorySpace>
inline constexpr bool is_struct_view<StructView<List, MemorySpace>> = true;

/// Where a StructView's members lie.
struct StructAccess {
  /// Member k of the first struct; null without memory.
  template <class View>
  static unsigned char* data(View const& view, int k) {
    return view.m_data[k];
  }
};

}  // namespace Koalesce::Impl

#endif
