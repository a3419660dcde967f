// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_STENCIL_ORACLE_HPP
#define KOALESCE_TEST_STENCIL_ORACLE_HPP

#include "TestSupport.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// The oracle, on the host, calls functors that device code calls, too; nvcc warns of what they call there.
#ifdef __NVCC__
#pragma nv_diag_suppress 20011, 20014
#endif

/// parallel_stencil as nested loops, and functors to try it with.
namespace Koalesce::Test {

// ---- The oracle ----

/// What the oracle's functors receive in place of a Neighborhood: value(p + offsets).
template <int Rank, class Value>
struct ValuesAround {
  Value const& value;
  Index<Rank> point;

  template <class... Offset>
  auto operator()(Offset... offset) const {
    static_assert(sizeof...(Offset) == Rank);
    Index<Rank> p = point;
    int d         = 0;
    ((p[d++] += offset), ...);
    return value(p);
  }

  auto operator()() const { return value(point); }
};

/// f(arguments..., i...) at p, the arguments from several tuples.
template <int Rank, class F, class... Tuples>
auto call(F const& f, Index<Rank> const& p, Tuples const&... arguments) {
  return Impl::to_pack(std::apply(
      [&](auto const&... u) {
        if constexpr (Rank == 1) return f(u..., p[0]);
        else if constexpr (Rank == 2) return f(u..., p[0], p[1]);
        else return f(u..., p[0], p[1], p[2]);
      },
      std::tuple_cat(arguments...)));
}

/// An input that is read at the point alone.
template <class TestField>
struct PointField {
  TestField& field;

  auto const& operator()(auto const& p) const { return field(p); }
  auto view() const { return at_point(field.view()); }
  auto device_matches(auto const& same) const { return field.device_matches(same); }
};

/// An input that is read in a shape of its own.
template <class Shape, class TestField>
struct ShapedField {
  TestField& field;

  auto const& operator()(auto const& p) const { return field(p); }
  auto view() const { return around(Shape{}, field.view()); }
  auto device_matches(auto const& same) const { return field.device_matches(same); }
};

template <class In>
inline constexpr bool is_point_field = false;
template <class TestField>
inline constexpr bool is_point_field<PointField<TestField>> = true;

/// What a functor receives of the inputs that are read around the point: neighborhoods, or their values there.
template <bool Values, int Rank, class... In>
auto around_point(Index<Rank> const& p, std::tuple<In&...> const& in) {
  auto const argument = [&]<class U>(U const& u) {
    if constexpr (is_point_field<U>) return std::tuple<>();
    else if constexpr (Values) return std::tuple(u(p));
    else return std::tuple(ValuesAround<Rank, U>{u, p});
  };
  return std::apply([&](In const&... u) { return std::tuple_cat(argument(u)...); }, in);
}

/// And of those that are read at the point.
template <int Rank, class... In>
auto at_points(Index<Rank> const& p, std::tuple<In&...> const& in) {
  auto const argument = [&]<class U>(U const& u) {
    if constexpr (is_point_field<U>) return std::tuple(u(p));
    else return std::tuple<>();
  };
  return std::apply([&](In const&... u) { return std::tuple_cat(argument(u)...); }, in);
}

template <int Rank, class F, class... In>
auto apply_at(F const& f, Index<Rank> const& p, std::tuple<In&...> const& in) {
  return call<Rank>(f, p, around_point<false, Rank>(p, in), at_points<Rank>(p, in));
}

/// What a stage returns, computed where it is read, once.
template <int Rank, class Compute>
class StageResults {
 public:
  using Results = decltype(std::declval<Compute const&>()(Index<Rank>{}));

  explicit StageResults(Compute const& compute) : m_compute(compute) {}

  Results const& operator()(Index<Rank> const& p) const {
    std::array<std::int64_t, Rank> key;
    for (int d = 0; d < Rank; ++d) key[d] = p[d];
    auto const found = m_known.find(key);
    return found != m_known.end() ? found->second : m_known.emplace(key, m_compute(p)).first->second;
  }

 private:
  Compute m_compute;
  mutable std::map<std::array<std::int64_t, Rank>, Results> m_known;
};

/// One of the fields between two stages.
template <int K, int Rank, class Results>
struct Mid {
  Results const& results;

  auto operator()(Index<Rank> const& p) const { return Impl::get<K>(results(p)); }
};

/// A stage after the first. \param[in] before  the StageResults of the one before it.
template <int Rank, class F, class Before, class... In, std::size_t... K>
auto apply_stage(F const& functor, Before const& before, Index<Rank> const& p, std::tuple<In&...> const& in,
                 std::index_sequence<K...>) {
  std::tuple<Mid<K, Rank, Before>...> const mid{Mid<K, Rank, Before>{before}...};
  return call<Rank>(functor, p,
                    std::tuple(ValuesAround<Rank, std::decay_t<decltype(std::get<K>(mid))>>{std::get<K>(mid), p}...),
                    around_point<true, Rank>(p, in), at_points<Rank>(p, in));
}

template <class Out, std::size_t... K, class P, class Results>
void write_at(Out const& out, std::index_sequence<K...>, P const& p, Results const& results) {
  ((std::get<K>(out)(p) = Impl::get<K>(results)), ...);
}

/// Calls f(offsets...) for every point of a shape.
template <class Shape, class F>
KOKKOS_FUNCTION void for_each_offset(F const& f) {
  constexpr int rank = Shape::rank;
  int const ra = Shape::radius(0), rb = rank > 1 ? Shape::radius(rank > 1) : 0;
  int const rc = rank > 2 ? Shape::radius(rank - 1) : 0;
  for (int a = -ra; a <= ra; ++a)
    for (int b = -rb; b <= rb; ++b)
      for (int c = -rc; c <= rc; ++c) {
        if constexpr (Shape::rank == 1) {
          if (Shape::contains(a)) f(a);
        } else if constexpr (Shape::rank == 2) {
          if (Shape::contains(a, b)) f(a, b);
        } else {
          if (Shape::contains(a, b, c)) f(a, b, c);
        }
      }
}

/// A functor as the oracle calls it: known weights receive Neighborhoods only.
template <class F>
F const& on_host(F const& f) {
  return f;
}

template <class Weights>
  requires Impl::is_weights<Weights>
auto on_host(Weights const& weights) {
  return [weights](auto const& u, auto const&...) {
    decltype(typename Weights::weight_type() * u()) sum{};
    for_each_offset<typename Weights::shape_type>([&](auto... offset) { sum += weights(offset...) * u(offset...); });
    return sum;
  };
}

/// Known weights and a functor of their sum, as one functor.
template <class Weights, class Then>
  requires Impl::is_weights<Weights>
auto on_host(Weights const& weights, Then const& then) {
  return [sum = on_host(weights), then](auto const& u, auto const&... v) { return then(sum(u), v...); };
}

// ---- The comparison ----

template <int Rank, class In, class Out, class F>
void run_oracle(Index<Rank> const& extents, In const& in, Out const& out, F const& functor) {
  for_each_index<Rank>(Index<Rank>{}, extents, [&](Index<Rank> const& p) {
    write_at(out, std::make_index_sequence<std::tuple_size_v<Out>>(), p, apply_at<Rank>(functor, p, in));
  });
}

/// The stages from one on that is not the first, on the results of the one before it.
template <int Rank, class In, class Out, class Before, class F, class... More>
void run_later_stages(Index<Rank> const& extents, In const& in, Out const& out, Before const& before, F const& functor,
                      More const&... more) {
  auto const compute = [&](Index<Rank> const& p) {
    return apply_stage<Rank>(functor, before, p, in, std::make_index_sequence<Before::Results::size>());
  };
  if constexpr (sizeof...(More) > 0) {
    run_later_stages<Rank>(extents, in, out, StageResults<Rank, decltype(compute)>(compute), more...);
  } else {
    for_each_index<Rank>(Index<Rank>{}, extents, [&](Index<Rank> const& p) {
      write_at(out, std::make_index_sequence<std::tuple_size_v<Out>>(), p, compute(p));
    });
  }
}

template <int Rank, class In, class Out, class F, class G, class... More>
void run_oracle(Index<Rank> const& extents, In const& in, Out const& out, F const& first, G const& second,
                More const&... more) {
  auto const compute = [&](Index<Rank> const& p) { return apply_at<Rank>(first, p, in); };
  run_later_stages<Rank>(extents, in, out, StageResults<Rank, decltype(compute)>(compute), second, more...);
}

/// Where a backend can read values around a point. The first of portable's calls go through the caches.
template <class BackendTag>
std::vector<StencilTaps> taps_of() {
  if (std::is_base_of_v<Backend::Portable, BackendTag>)
    return {StencilTaps::automatic, StencilTaps::queue, StencilTaps::tile};
  if (std::string_view(BackendTag::name) != "cuda") return {StencilTaps::automatic};
  return {StencilTaps::automatic, StencilTaps::queue, StencilTaps::cache, StencilTaps::tile};
}

/// Fills the outputs with poison, runs the stencil there and the oracle on the host, and compares every element.
template <class P, class Shape, class... In, class... Out, class Same, class... Functors>
void compare(Index<Shape::rank> const& extents, std::tuple<In&...> in, std::tuple<Out&...> out, Same const& same,
             Functors const&... functors) {
  constexpr int rank = Shape::rank;
  SCOPED_TRACE("interior " + to_string<rank>(extents));
  std::apply([](Out&... o) { (o.poison_all(), ...); }, out);
  if constexpr (Impl::is_staged<Shape>) run_oracle<rank>(extents, in, out, on_host(functors)...);
  else run_oracle<rank>(extents, in, out, on_host(functors...));

  typename P::exec const exec;
  auto const ins          = std::apply([](In&... u) { return fields(u.view()...); }, in);
  auto const outs         = std::apply([](Out&... o) { return fields(o.view()...); }, out);
  auto const expect_match = [](auto const& field, char const* role, auto const& equal) {
    EXPECT_TRUE(field.device_matches(equal)) << role;
  };
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    std::apply([](Out&... o) { (o.poison_device(), ...); }, out);
    StencilPolicy<typename P::exec, Shape, typename P::backend> const policy(exec, extents);
    parallel_stencil("compare", policy.with_taps(taps), ins, outs, functors...);
    exec.fence();
    std::apply([&](In&... u) { (expect_match(u, "input", Exactly()), ...); }, in);
    std::apply([&](Out&... o) { (expect_match(o, "output", same), ...); }, out);
  }
}

/// One input, one output of the same type, filled with small whole numbers: results are exact.
template <class P, class Shape, class T, class LayoutIn, class LayoutOut, class Functor>
void compare_once(Rng& rng, Index<Shape::rank> const& extents, Functor const& functor) {
  constexpr int rank = Shape::rank;
  Field<typename P::exec, T, rank, LayoutIn> in(extents, halo_for<Shape>(rng, 2), rng);
  Field<typename P::exec, T, rank, LayoutOut> out(extents, random_halo<rank>(rng, 3), rng);
  in.fill(rng);
  compare<P, Shape>(extents, std::tie(in), std::tie(out), Exactly(), functor);
}

// ---- Functors ----

/// Another weight for every offset, another term for every point, and not linear: what is mixed up shows.
template <class Shape>
struct Probe {
  template <class U, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, I... i) const {
    using T = std::decay_t<decltype(u())>;
    T sum   = Element<T>::make(position(int(i % 13)...));
    for_each_offset<Shape>([&](auto... offset) {
      T const v = u(offset...);
      Element<T>::add(sum, weight(offset...) + (Element<T>::positive(v) ? 1 : 0), v);
    });
    return sum;
  }

  /// -5 to 5.
  template <class... I>
  KOKKOS_FUNCTION static int weight(I... offset) {
    int w = 3;
    ((w = 7 * w + 3 * (offset + 4)), ...);
    return w % 11 - 5;
  }

  template <class... I>
  KOKKOS_FUNCTION static int position(I... i) {
    int w = 1;
    ((w = 3 * w + i), ...);
    return w % 17;
  }
};

}  // namespace Koalesce::Test

#endif
