// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_LINEAR_ORACLE_HPP
#define KOALESCE_TEST_LINEAR_ORACLE_HPP

#include "StencilOracle.hpp"

namespace Koalesce::Test {

/// Whole numbers as weights and values: exact in every order of summation.
template <class P, class Weights, class T, class Layout>
void try_exact_weights(std::int64_t points) {
  using Shape = typename Weights::shape_type;
  using W     = typename Weights::weight_type;
  for_each_seed([&](Rng& rng) {
    for (int n = 0; n < 4; ++n) {
      Weights const weights([&](auto...) { return W(random_int(rng, -9, 9)); });
      compare_once<P, Shape, T, Layout, Layout>(rng, random_extents<Shape::rank>(rng, points), weights);
    }
    Weights const weights([&](auto...) { return W(random_int(rng, -9, 9)); });
    for (std::int64_t n : {0, 1, 2}) compare_once<P, Shape, T, Layout, Layout>(rng, index_of<Shape::rank>(n), weights);
  });
}

template <class P, class Shape, class W, class T, class Layout = Kokkos::LayoutRight>
void try_exact(std::int64_t points) {
  try_exact_weights<P, LinearStencil<W, Shape>, T, Layout>(points);
}

}  // namespace Koalesce::Test

#endif
