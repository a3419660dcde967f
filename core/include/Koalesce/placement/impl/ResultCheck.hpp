// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_RESULT_CHECK_HPP
#define KOALESCE_PLACEMENT_IMPL_RESULT_CHECK_HPP

#include <Koalesce/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

namespace Koalesce::Impl {

/// Whether two results agree. NaNs agree with each other, infinities with themselves. Elements that are no
/// floating-point numbers must be equal.
template <class T>
bool is_same_result(T const& a, T const& b, double tolerance) {
  if (a == b) return true;
  if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) ||
           (std::isfinite(a) && std::isfinite(b) &&
            std::abs(double(a) - double(b)) <= tolerance * std::max(std::abs(double(a)), std::abs(double(b))));
  else return false;
}

/// Remembers the contents of a View, and later finds the first element that differs.
class ResultCheck {
 public:
  template <class View>
  ResultCheck(View const& view, double tolerance) {
    static_assert(Kokkos::is_view_v<View>, "Koalesce::PlacementTuning: with_check() takes a Kokkos::View");
    if (!view.span_is_contiguous())
      fail("Koalesce::PlacementTuning::with_check()", "View \"", view.label(),
           "\" is not contiguous; its memory is compared as a whole; give the View that it is a subview of");
    using T    = typename View::non_const_value_type;
    using Flat = Kokkos::View<T const*, typename View::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::View<T*, Kokkos::HostSpace> const first(Kokkos::view_alloc(Kokkos::WithoutInitializing, "first results"),
                                                    view.span());
    // The lambdas keep the View, so that its memory lives.
    m_remember = [view, first] { Kokkos::deep_copy(first, Flat(view.data(), view.span())); };
    m_find     = [view, first, tolerance]() -> std::string {
      auto const now = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Flat(view.data(), view.span()));
      for (std::size_t i = 0; i < first.extent(0); ++i)
        if (!is_same_result<T>(first(i), now(i), tolerance))
          return "View \"" + view.label() + "\" differs at element " + std::to_string(i) + " of its memory";
      return "";
    };
  }

  void remember() const { m_remember(); }
  std::string difference() const { return m_find(); }

 private:
  std::function<void()> m_remember;
  std::function<std::string()> m_find;
};

}  // namespace Koalesce::Impl

#endif
