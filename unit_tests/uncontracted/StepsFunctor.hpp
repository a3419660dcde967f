// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_STEPS_FUNCTOR_HPP
#define KOALESCE_TEST_STEPS_FUNCTOR_HPP

#include "StencilOracle.hpp"

#include <vector>

namespace Koalesce::Test {

/// Another weight for every offset, another term for every point and step. The weights' magnitudes sum to less than 1,
/// so that numbers stay small; of unsigned integers everything is exact.
template <class Shape>
struct Mix {
  template <class U, class... I>
  KOKKOS_FUNCTION auto around(U const& u, I... i) const {
    using T = std::decay_t<decltype(u())>;
    T sum   = T(Probe<Shape>::position(int(i % 13)...));
    for_each_offset<Shape>([&](auto... offset) {
      int const w = Probe<Shape>::weight(offset...);
      if constexpr (std::is_floating_point_v<T>) sum += T(w) / T(8 * Shape::size) * u(offset...);
      else sum += T(w + 6) * u(offset...);
    });
    return sum;
  }

  template <class U, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, I... i) const {
    return around(u, i...);
  }
};

/// The depths that are tried, at most so many: automatic, one, few, as many as any backend shares among sweeps, and, on
/// GPUs, as many as let fields stay on chip.
template <class Exec>
std::vector<int> depths() {
  if (Backend::on_host<Exec>) return {0, 1, 3, 9};
  return {0, 1, 3, 9, 24};
}

}  // namespace Koalesce::Test

#endif
