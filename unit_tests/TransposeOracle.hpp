// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TRANSPOSE_ORACLE_HPP
#define KOALESCE_TEST_TRANSPOSE_ORACLE_HPP

#include "TestSupport.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

namespace Koalesce::Test {

template <int Rank>
using Permutation = Kokkos::Array<int, Rank>;

inline std::array<Permutation<2>, 2> const& permutations(std::integral_constant<int, 2>) {
  static std::array<Permutation<2>, 2> const all{{{0, 1}, {1, 0}}};
  return all;
}
inline std::array<Permutation<3>, 6> const& permutations(std::integral_constant<int, 3>) {
  static std::array<Permutation<3>, 6> const all{{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  return all;
}

template <int Rank>
Permutation<Rank> random_permutation(Rng& rng) {
  Permutation<Rank> p{};
  std::iota(p.data(), p.data() + Rank, 0);
  std::shuffle(p.data(), p.data() + Rank, rng);
  return p;
}

/// Dimension d of the destination is dimension p[d] of the source.
template <int Rank>
Index<Rank> permuted(Index<Rank> const& n, Permutation<Rank> const& p) {
  Index<Rank> m{};
  for (int d = 0; d < Rank; ++d) m[d] = n[p[d]];
  return m;
}

/// The field without its halo: a sub-view, mostly not aligned to cache lines.
template <class F>
auto window(F const& field) {
  auto const range = [&](int d) { return std::make_pair(field.halo()[d], field.halo()[d] + field.interior()[d]); };
  return [&]<int... D>(std::integer_sequence<int, D...>) {
    return Kokkos::subview(field.view(), range(D)...);
  }(std::make_integer_sequence<int, F::rank>());
}

/// dst(q) = src(j) with j[p[d]] = q[d], on the host's copies.
template <class Src, class Dst>
void transpose_oracle(Src const& src, Dst& dst, Permutation<Src::rank> const& p) {
  for_each_index<Src::rank>({}, dst.interior(), [&](auto const& q) {
    auto j = q;
    for (int d = 0; d < Src::rank; ++d) j[p[d]] = q[d];
    dst(q) = src(j);
  });
}

template <class F>
void fill_for_transpose(F& field, Rng& rng) {
  field.fill(rng, [](Rng& r) { return Element<typename F::value_type>::make(int(r() % 100)); });
}

/// Transposes a random field of n points and compares all memory around source and destination.
template <class P, class T, int Rank, class SrcLayout, class DstLayout>
void check_transpose(Rng& rng, Index<Rank> const& n, Permutation<Rank> const& p, int halo = 2,
                     Strides strides = Strides::random) {
  using Exec = typename P::exec;
  Field<Exec, T, Rank, SrcLayout> src(n, random_halo<Rank>(rng, halo), rng, strides);
  Field<Exec, T, Rank, DstLayout> dst(permuted<Rank>(n, p), random_halo<Rank>(rng, halo), rng, strides);
  fill_for_transpose(src, rng);
  transpose<typename P::backend>(Exec(), window(dst), window(src), p);
  Exec().fence();
  transpose_oracle(src, dst, p);
  std::string order;
  for (int d = 0; d < Rank; ++d) order += std::to_string(p[d]);
  SCOPED_TRACE(to_string<Rank>(n) + ", " + order);
  EXPECT_TRUE(dst.device_matches());
  EXPECT_TRUE(src.device_matches());
}

}  // namespace Koalesce::Test

#endif
