// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_BOUNDARY_ORACLE_HPP
#define KOALESCE_TEST_BOUNDARY_ORACLE_HPP

#include "TestSupport.hpp"

#include <functional>

/// Halos as nested loops, one dimension after the other, and random conditions to fill them with.
namespace Koalesce::Test {

// ---- The oracle ----

/// The k-th point beyond a face, whose position is `p`, from the points of its line that lie inward of the face:
/// line(0) is the outermost interior one, line(n - 1) the last.
template <class T, int R>
using Rule = std::function<T(Index<R> const& p, std::int64_t k, std::function<T(std::int64_t)> const& line)>;

/// Fills the host's copy of the halo.
template <class T, int R, class TestField>
void fill_halo_of(TestField& field, std::vector<Rule<T, R>> const& low, std::vector<Rule<T, R>> const& high) {
  Index<R> begin{}, end = field.interior();
  for (int d = 0; d < R; ++d) {
    std::int64_t const n = field.interior()[d];
    begin[d] -= field.halo()[d];
    end[d] += field.halo()[d];
    for_each_index<R>(begin, end, [&](Index<R> const& p) {
      if (p[d] >= 0 && p[d] < n) return;
      bool const below = p[d] < 0;
      auto const line  = [&](std::int64_t i) {
        Index<R> q = p;
        q[d]       = below ? i : n - 1 - i;
        return T(field(q));
      };
      field(p) = (below ? low : high)[d](p, below ? -p[d] : p[d] - n + 1, line);
    });
  }
}

/// The values or gradients that a Dirichlet or Neumann condition at a face of dimension d gives.
template <class T, int R, class V>
std::function<T(Index<R>)> given_by(V const& v, Index<R> const& n, int d) {
  if constexpr (Kokkos::is_view_v<V>) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
    return [=](Index<R> const& p) {
      std::int64_t i[3]{};
      for (int e = 0, of_face = 0; e < R; ++e)
        if (e != d) i[of_face++] = std::clamp<std::int64_t>(p[e], 0, n[e] - 1);
      if constexpr (R == 1) return T(host());
      else if constexpr (R == 2) return T(host(i[0]));
      else return T(host(i[0], i[1]));
    };
  } else if constexpr (requires { T(v); }) {
    return [=](Index<R> const&) { return v; };
  } else {
    return [=](Index<R> const& p) {
      if constexpr (R == 1) return v(p[0]);
      else if constexpr (R == 2) return v(p[0], p[1]);
      else return v(p[0], p[1], p[2]);
    };
  }
}

template <class T, int R>
Rule<T, R> rule_of(Periodic, Index<R> const& n, int d) {
  return [period = n[d]](auto const&, std::int64_t k, auto const& line) {
    std::int64_t i = -k;
    while (i < 0) i += period;
    return line(i);
  };
}
template <class T, int R, class About>
Rule<T, R> rule_of(Mirror<About>, Index<R> const&, int) {
  return
      [](auto const&, std::int64_t k, auto const& line) { return line(std::is_same_v<About, AboutFace> ? k - 1 : k); };
}
/// Newton's form of the polynomial.
template <class T, int R>
Rule<T, R> rule_of(Extrapolation extrapolation, Index<R> const&, int) {
  return [extrapolation](auto const&, std::int64_t k, auto const& line) {
    T sum          = line(0);
    auto const add = [&](std::int64_t weight, std::int64_t i) { Element<T>::add(sum, int(weight), line(i)); };
    if (extrapolation.order > 0) add(k, 0), add(-k, 1);
    if (extrapolation.order > 1) add(k * (k + 1) / 2, 0), add(-k * (k + 1), 1), add(k * (k + 1) / 2, 2);
    return sum;
  };
}
template <class T, int R, class V>
Rule<T, R> rule_of(Neumann<V> const& neumann, Index<R> const& n, int d) {
  if constexpr (std::is_same_v<Neumann<V>, Neumann<>>) {
    return [](auto const&, std::int64_t, auto const& line) { return line(0); };
  } else {
    return [given = given_by<T, R>(neumann.gradient, n, d)](auto const& p, std::int64_t k, auto const& line) {
      T sum = line(0);
      Element<T>::add(sum, int(k), given(p));
      return sum;
    };
  }
}
template <class T, int R, class V>
Rule<T, R> rule_of(Dirichlet<V> const& dirichlet, Index<R> const& n, int d) {
  return [given = given_by<T, R>(dirichlet.value, n, d)](auto const& p, std::int64_t, auto const&) { return given(p); };
}

// ---- Random conditions ----

template <class T>
T random_element(Rng& rng) {
  return Element<T>::make(int(random_int(rng, -8, 8)));
}

/// Another value at every point nearby.
template <class T, int R>
struct OfPoint {
  int seed;

  template <class... I>
  KOKKOS_FUNCTION T operator()(I... i) const {
    static_assert(sizeof...(I) == R);
    std::int64_t sum = seed;
    ((sum = 3 * sum + i), ...);
    return Element<T>::make(int(sum % 9));
  }
};

/// A View of the face of dimension d, of interior extents n; its layout need not be the field's.
template <class Exec, class T, int R>
auto random_face(Rng& rng, Index<R> const& n, int d) {
  std::size_t extent[3]{};
  for (int e = 0, of_face = 0; e < R; ++e)
    if (e != d) extent[of_face++] = std::size_t(n[e]);
  auto const filled = [&](auto const& face) {
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), face);
    for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = random_element<T>(rng);
    Kokkos::deep_copy(face, host);
    return face;
  };
  using Space = typename Exec::memory_space;
  if constexpr (R == 1) return filled(Kokkos::View<T, Space>("face"));
  else if constexpr (R == 2) return filled(Kokkos::View<T*, Space>("face", extent[0]));
  else return filled(Kokkos::View<T**, Kokkos::LayoutLeft, Space>("face", extent[0], extent[1]));
}

enum class Kind {
  periodic,
  mirror,
  mirror_point,
  extrapolation,
  copied,
  value,
  view,
  functor,
  slope,
  slopes,
  slope_of_point
};

template <class Exec, class T, int R, Kind K>
auto random_condition(Rng& rng, Index<R> const& n, int d) {
  if constexpr (K == Kind::periodic) return Periodic();
  else if constexpr (K == Kind::mirror) return Mirror();
  else if constexpr (K == Kind::mirror_point) return Mirror(about_point);
  else if constexpr (K == Kind::extrapolation) return Extrapolation(Impl::has_sums<T> ? int(random_int(rng, 0, 2)) : 0);
  else if constexpr (K == Kind::copied) return Neumann();
  else if constexpr (K == Kind::value) return Dirichlet(random_element<T>(rng));
  else if constexpr (K == Kind::view) return Dirichlet(random_face<Exec, T, R>(rng, n, d));
  else if constexpr (K == Kind::functor) return Dirichlet(OfPoint<T, R>{int(random_int(rng, 0, 99))});
  else if constexpr (K == Kind::slope) return Neumann(random_element<T>(rng));
  else if constexpr (K == Kind::slopes) return Neumann(random_face<Exec, T, R>(rng, n, d));
  else return Neumann(OfPoint<T, R>{int(random_int(rng, 0, 99))});
}

/// The widest halo that a condition can fill.
inline std::int64_t max_points(Mirror<AboutFace>, std::int64_t n) { return n; }
inline std::int64_t max_points(Mirror<AboutPoint>, std::int64_t n) { return n - 1; }
inline std::int64_t max_points(Extrapolation e, std::int64_t n) { return e.order < n ? 99 : 0; }
template <class C>
std::int64_t max_points(C const&, std::int64_t) {
  return 99;
}

}  // namespace Koalesce::Test

#endif
