// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_VIEW_CHECKS_HPP
#define KOALESCE_COMMON_IMPL_VIEW_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>

#include <Kokkos_Core.hpp>

#include <string>

/// Checks of Views that all patterns share. \param[in] role names it in messages, as in "the source".
namespace Koalesce::Impl {

template <class View>
std::string quoted_label(View const& view) {
  return "(\"" + view.label() + "\")";
}

/// Throws if the View has no memory. The caller knows whether it needs any.
template <class View>
void check_memory(std::string const& where, View const& view, std::string const& role) {
  if (view.data() == nullptr)
    fail(where, role, " ", quoted_label(view),
         " has no memory; it was never allocated or was moved from, so allocate it first");
}

/// Throws unless kernels on Exec can access the View's memory space.
template <class Exec, class View>
void check_reach(std::string const& where, View const& view, std::string const& role) {
  if (!Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible)
    fail(where, role, " ", quoted_label(view), " lies in ", View::memory_space::name(), ", which ", Exec::name(),
         " cannot reach; copy it to a View in ", Exec::memory_space::name(), " first");
}

/// check_memory() unless the View has no elements.
template <class View>
void check_memory_of_elements(std::string const& where, View const& view, std::string const& role) {
  // Not size(), which may be 0 for a View without memory.
  bool empty = false;
  for (int d = 0; d < int(View::rank()); ++d) empty |= view.extent(d) == 0;
  if (!empty) check_memory(where, view, role);
}

/// Throws if elements of a View that is written share memory. \param[in] name  name() names it in messages.
template <class Name>
void check_apart(std::string const& where, StridedMemory const& memory, Name const& name) {
  if (overlaps_itself(memory))
    fail(where, name(),
         " overlaps itself: elements of several indices lie in the same memory, where each would overwrite the others; "
         "give it strides with which every element has memory of its own");
}

/// check_memory_of_elements() and check_reach().
template <class Exec, class View>
void check_access(std::string const& where, View const& view, std::string const& role) {
  check_memory_of_elements(where, view, role);
  check_reach<Exec>(where, view, role);
}

}  // namespace Koalesce::Impl

#endif
