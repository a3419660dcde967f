// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_STEPS_FUNCTOR_HPP
#define KOALESCE_TEST_STEPS_FUNCTOR_HPP

#include "StencilOracle.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
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

/// Two fields, each read in a shape of its own.
template <class First, class Second>
struct MixTwo {
  template <class U, class V, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, V const& v, I... i) const {
    return values(Mix<First>().around(u, i...) + v(), Mix<Second>().around(v, i...) - u());
  }
};

/// Two time levels and a coefficient.
template <class Shape>
struct Wave {
  template <class U, class T, class K, class... I>
  KOKKOS_FUNCTION T operator()(U const& u, T before, K k, I... i) const {
    return Mix<Shape>().around(u, i...) - before / 2 + k;
  }
};

/// The depths that are tried, at most so many: automatic, one, few, as many as any backend shares among sweeps, and, on
/// GPUs, as many as let fields stay on chip.
template <class Exec>
std::vector<int> depths() {
  if (Backend::on_host<Exec>) return {0, 1, 3, 9};
  return {0, 1, 3, 9, 24};
}

/// With values whose bits would show another order of sums.
template <class T>
void fill_state(Rng& rng, auto& field) {
  field.fill(rng, [](Rng& r) {
    if constexpr (std::is_floating_point_v<T>) return T(random_int(r, -1000, 1000)) / T(7);
    else return T(random_int(r, 0, 1000));
  });
}

/// Steps on the host: next(p) for all points, from the state's values alone.
template <int Rank, class Field, class Next>
void run_on_host(Field& state, Next const& next) {
  std::vector<typename Field::value_type> values;
  for_each_index<Rank>({}, state.interior(), [&](Index<Rank> const& p) { values.push_back(next(p)); });
  std::size_t i = 0;
  for_each_index<Rank>({}, state.interior(), [&](Index<Rank> const& p) { state(p) = values[i++]; });
}

}  // namespace Koalesce::Test

#endif
