// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_TRY_ALLOCATE_HPP
#define KOALESCE_COMMON_IMPL_TRY_ALLOCATE_HPP

#include <Kokkos_Core.hpp>

#include <exception>
#include <string>

namespace Koalesce::Impl {

/// A View with uninitialized elements, or one without memory where there is not enough.
/// \param[in] shape  its extent, or its layout.
template <class View, class Shape>
View try_allocate(std::string const& label, Shape const& shape) {
  try {
    return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), shape);
  } catch (std::exception const&) {  // Kokkos throws std::bad_alloc or std::runtime_error where memory is short
    return View();
  }
}

/// The same, on the instance's own device, of which there may be several.
template <class View, class Exec, class Shape>
View try_allocate_on(Exec const& exec, std::string const& label, Shape const& shape) {
  try {
    return View(Kokkos::view_alloc(exec, label, Kokkos::WithoutInitializing), shape);
  } catch (std::exception const&) {
    return View();
  }
}

}  // namespace Koalesce::Impl

#endif
