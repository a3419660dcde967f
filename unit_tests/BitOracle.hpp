// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_BIT_ORACLE_HPP
#define KOALESCE_TEST_BIT_ORACLE_HPP

#include "StencilOracle.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

/// Stencils of any numbers, compared by their bits.
namespace Koalesce::Test {

struct SameBits {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
};

/// Numbers whose products and sums round.
template <class T>
struct RandomNumber {
  static T make(Rng& rng) { return T(double(random_int(rng, -(1ll << 52), 1ll << 52)) / double(1ll << 50)); }
};
template <class R>
struct RandomNumber<Kokkos::complex<R>> {
  static Kokkos::complex<R> make(Rng& rng) {
    R const re = RandomNumber<R>::make(rng);
    return {re, RandomNumber<R>::make(rng)};
  }
};

/// Whether the processor that an execution space's kernels are compiled for rounds a product and a sum once.
template <class Exec>
constexpr bool fuses() {
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__aarch64__)
  return true;
#else
  return !Backend::on_host<Exec>;
#endif
}

/// sum + a * b, for real or complex numbers, from the definition.
template <class Exec, class R>
R add_product(R a, R b, R sum) {
  if (fuses<Exec>()) return std::fma(a, b, sum);
  R volatile const product = a * b;  // keeps the compiler from fusing after all
  return sum + product;
}
template <class Exec, class R>
Kokkos::complex<R> add_product(R a, Kokkos::complex<R> b, Kokkos::complex<R> sum) {
  return {add_product<Exec>(a, b.real(), sum.real()), add_product<Exec>(a, b.imag(), sum.imag())};
}
template <class Exec, class R>
Kokkos::complex<R> add_product(Kokkos::complex<R> a, Kokkos::complex<R> b, Kokkos::complex<R> sum) {
  auto const first = add_product<Exec>(a.real(), b, sum);
  return {add_product<Exec>(-a.imag(), b.imag(), first.real()), add_product<Exec>(a.imag(), b.real(), first.imag())};
}

/// A number in the type of a sum; a complex number's factor may stay real.
template <class Sum, class T>
struct Factor {
  using type = Sum;
};
template <class R, class T>
struct Factor<Kokkos::complex<R>, T> {
  using type = std::conditional_t<std::is_arithmetic_v<T>, R, Kokkos::complex<R>>;
};

/// Known weights as parallel_stencil is to compute them: terms in the order of the loops, the slowest offset first.
template <class Exec, class Weights>
struct OrderedSum {
  using Shape = typename Weights::shape_type;
  using W     = typename Weights::weight_type;

  Weights weights;
  bool reversed;  ///< the first index is the fastest in the first output

  template <class U, class... Ignored>
  auto operator()(U const& u, Ignored const&...) const {
    using T             = std::decay_t<decltype(u())>;
    using Sum           = decltype(W() * T());
    constexpr int ranks = Shape::rank;
    Index<ranks> low, high;
    for (int k = 0; k < ranks; ++k) {
      int const d = reversed ? ranks - 1 - k : k;
      low[k]      = -Shape::radius(d);
      high[k]     = Shape::radius(d) + 1;
    }
    Sum sum{};
    for_each_index<ranks>(low, high, [&](Index<ranks> o) {
      if (reversed) std::reverse(&o[0], &o[0] + ranks);
      auto const add = [&](auto... offset) {
        if (Shape::contains(offset...))
          sum = add_product<Exec>(typename Factor<Sum, W>::type(weights(offset...)), Sum(u(offset...)), sum);
      };
      if constexpr (ranks == 1) add(int(o[0]));
      else if constexpr (ranks == 2) add(int(o[0]), int(o[1]));
      else add(int(o[0]), int(o[1]), int(o[2]));
    });
    return sum;
  }
};

/// A SymmetricStencil of a shape with points off the axes: the sums of planes, the slowest offset first.
template <class Exec, class W, class Shape>
struct PairedSum {
  SymmetricStencil<W, Shape> weights;
  bool reversed;  ///< the first index is the fastest in the first output

  template <class U, class... Ignored>
  auto operator()(U const& u, Ignored const&...) const {
    using Sum              = decltype(W() * u());
    constexpr bool volumes = Shape::rank == 3;
    auto const call        = [&](auto const& f, int z, int y, int x) {
      if constexpr (volumes) return reversed ? f(x, y, z) : f(z, y, x);
      else return reversed ? f(x, z) : f(z, x);
    };
    auto const contains = [](auto... offset) { return Shape::contains(offset...); };
    int const rz = Shape::radius(reversed ? Shape::rank - 1 : 0), rx = Shape::radius(reversed ? 0 : Shape::rank - 1),
              ry = volumes ? Shape::radius(1) : 0;
    Sum sum{};
    for (int z = -rz; z <= rz; ++z) {
      Sum part{};
      int terms = 0;
      for (int y = 0; y <= ry; ++y)
        for (int x = 0; x <= rx; ++x) terms += call(contains, z, y, x);
      Sum& add_to = terms == 1 ? sum : part;
      for (int y = 0; y <= ry; ++y)
        for (int x = 0; x <= rx; ++x) {
          if (!call(contains, z, y, x)) continue;
          auto const row = [&](int at) {
            return x == 0 ? Sum(call(u, z, at, 0)) : Sum(call(u, z, at, -x)) + Sum(call(u, z, at, x));
          };
          Sum const value = y == 0 ? row(0) : Sum(row(-y) + row(y));
          add_to          = add_product<Exec>(typename Factor<Sum, W>::type(call(weights, z, y, x)), value, add_to);
        }
      if (terms > 1) sum += part;
    }
    return sum;
  }
};

/// The oracle of a class of weights.
template <class Exec, class Weights>
struct SumOf : std::type_identity<OrderedSum<Exec, Weights>> {};
template <class Exec, class W, class Shape>
  requires Impl::adds_pairs<SymmetricStencil<W, Shape>>
struct SumOf<Exec, SymmetricStencil<W, Shape>> : std::type_identity<PairedSum<Exec, W, Shape>> {};

/// A part of a field as a View: the points from `low` on, with a halo.
template <class TestField, class Point>
auto window(TestField const& field, Point const& low, Point const& extents, Point const& halo) {
  constexpr int rank = TestField::rank;
  auto const part    = [&](int d) {
    auto const first = field.halo()[d] + low[d] - halo[d];
    return Kokkos::make_pair(first, first + extents[d] + 2 * halo[d]);
  };
  if constexpr (rank == 1) return Kokkos::subview(field.view(), part(0));
  else if constexpr (rank == 2) return Kokkos::subview(field.view(), part(0), part(1));
  else return Kokkos::subview(field.view(), part(0), part(1), part(2));
}

/// The whole interior, and parts of it, by every way of a backend: each point is to have the bits of the oracle.
/// \param[in] oracle oracle(p, i) is the value at point p of the fields, which is point i of the part.
template <class P, class Shape, class In, class Out, class Oracle, class... Functors>
void compare_bits(Rng& rng, In const& in, Out& out, Oracle const& oracle, Functors const&... functors) {
  constexpr int rank = Shape::rank;
  auto const n       = in.interior();
  Index<rank> radius;
  for (int d = 0; d < rank; ++d) radius[d] = Shape::radius(d);
  typename P::exec const exec;
  for (int part = 0; part < 3; ++part) {
    Index<rank> low{}, size = n;
    for (int d = 0; part > 0 && d < rank; ++d) {
      low[d]  = random_int(rng, 0, n[d] - 1);
      size[d] = random_int(rng, 1, n[d] - low[d]);
    }
    SCOPED_TRACE("interior " + to_string<rank>(n) + ", part " + to_string<rank>(size) + " from " +
                 to_string<rank>(low));
    out.poison_all();
    Index<rank> high;
    for (int d = 0; d < rank; ++d) high[d] = low[d] + size[d];
    for_each_index<rank>(low, high, [&](Index<rank> const& p) {
      Index<rank> i;
      for (int d = 0; d < rank; ++d) i[d] = p[d] - low[d];
      out(p) = oracle(p, i);
    });
    for (StencilTaps const taps : taps_of<typename P::backend>()) {
      SCOPED_TRACE("taps " + std::to_string(int(taps)));
      out.poison_device();
      StencilPolicy<typename P::exec, Shape, typename P::backend> const policy(exec, size);
      // Time chooses in the first calls.
      for (int call = 0; call < (taps == StencilTaps::automatic ? 3 : 1); ++call)
        parallel_stencil("bits", policy.with_taps(taps), window(in, low, size, radius),
                         window(out, low, size, Index<rank>{}), functors...);
      exec.fence();
      EXPECT_TRUE(out.device_matches(SameBits()));
    }
  }
}

template <class W, class Shape>
LinearStencil<W, Shape> random_weights(Rng& rng) {
  return LinearStencil<W, Shape>([&](auto...) { return RandomNumber<W>::make(rng); });
}

/// A halo in every dimension, so that strides tell them apart.
template <int Rank>
Index<Rank> some_halo(Rng& rng) {
  Index<Rank> h{};
  for (int d = 0; d < Rank; ++d) h[d] = random_int(rng, 1, 2);
  return h;
}

/// Whether the loops march along the last index: they follow the first output.
template <class View>
bool marches_last(View const& view) {
  return View::rank() > 1 && view.stride(0) < view.stride(View::rank() - 1);
}

template <class P, class Weights, class T, class LayoutIn = Kokkos::LayoutRight, class LayoutOut = LayoutIn>
void try_bits(std::int64_t points) {
  using Shape        = typename Weights::shape_type;
  constexpr int rank = Shape::rank;
  for_each_seed([&](Rng& rng) {
    for (int round = 0; round < 4; ++round) {
      auto const n = random_extents<rank>(rng, points);
      Field<typename P::exec, T, rank, LayoutIn> in(n, halo_for<Shape>(rng, 1), rng);
      Field<typename P::exec, T, rank, LayoutOut> out(n, some_halo<rank>(rng), rng);
      in.fill(rng, [](Rng& r) { return RandomNumber<T>::make(r); });
      Weights const weights([&](auto...) { return RandomNumber<typename Weights::weight_type>::make(rng); });
      typename SumOf<typename P::exec, Weights>::type const sum{weights, marches_last(out.view())};
      auto const oracle = [&](Index<rank> const& p, Index<rank> const&) {
        return T(sum(ValuesAround<rank, decltype(in)>{in, p}));
      };
      compare_bits<P, Shape>(rng, in, out, oracle, weights);
    }
  });
}

template <class P, class Shape, class W, class T, class LayoutIn = Kokkos::LayoutRight, class LayoutOut = LayoutIn>
void try_weights(std::int64_t points) {
  try_bits<P, LinearStencil<W, Shape>, T, LayoutIn, LayoutOut>(points);
}

}  // namespace Koalesce::Test

#endif
