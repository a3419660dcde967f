// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_LINEAR_ROWS_HPP
#define KOALESCE_OPENMP_STENCIL_LINEAR_ROWS_HPP

#include <Koalesce/openmp/runtime/Tuning.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>
#include <Koalesce/stencil/impl/Row.hpp>

namespace Koalesce::Impl::OpenMPBackend {

/// Rows of a linear stencil, several at once: each value read serves every row whose shape reaches it. The terms of
/// each point are added in the order of linear_sum, or of symmetric_sum.
/// \tparam ByPlanes adds one plane of taps at a time and keeps the sums in L1, so that fewer weights are live.
template <class Order, class Shape, int Rows, bool ByPlanes>
struct LinearRows {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  static constexpr int rows = Rows;

  /// Whether some row's shape has the point at these offsets from the first row.
  KOKKOS_FUNCTION static constexpr bool reads(int a, int b, int c) {
    for (int r = 0; r < Rows; ++r)
      if (Order::template contains<Shape>(a, b - r, c)) return true;
    return false;
  }

  /// Number of values read per x.
  static constexpr int read_count() {
    int n = 0;
    for (int a = -rz; a <= rz; ++a)
      for (int b = -ry; b < ry + Rows; ++b)
        for (int c = -rx; c <= rx; ++c) n += reads(a, b, c);
    return n;
  }

  /// Adds the terms of planes From to From + Planes - 1 to each row's sum.
  template <int From, int Planes, class Weights, class In, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION static void add_planes(Weights const& weights, In const& in, std::int64_t x, Sum* sum) {
    if constexpr (adds_pairs<Weights>) add_planes_of_pairs<From, Planes>(weights, in, x, sum);
    else add_planes_of_terms<From, Planes>(weights, in, x, sum);
  }

  template <int From, int Planes, class Weights, class In, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION static void add_planes_of_pairs(Weights const& weights, In const& in, std::int64_t x,
                                                              Sum* sum) {
    static_for<Planes * Rows>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int a = i.value / Rows + From, r = i.value % Rows;
      auto const at = [&](int dy, int dx) KOALESCE_INLINE_LAMBDA {
        return in.origin[a * in.stride[0] + (r + dy) * in.stride[1] + x + dx];
      };
      add_symmetric_plane<Order, distance_of(a)>(weights, at, sum[r]);
    });
  }

  template <int From, int Planes, class Weights, class In, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION static void add_planes_of_terms(Weights const& weights, In const& in, std::int64_t x,
                                                              Sum* sum) {
    static_for<Planes * (2 * ry + Rows) * (2 * rx + 1)>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int a = i.value / (2 * rx + 1) / (2 * ry + Rows) + From;
      constexpr int b = i.value / (2 * rx + 1) % (2 * ry + Rows) - ry;
      constexpr int c = i.value % (2 * rx + 1) - rx;
      if constexpr (reads(a, b, c)) {
        auto const value = in.origin[a * in.stride[0] + b * in.stride[1] + x + c];
        static_for<Rows>([&](auto row) KOALESCE_INLINE_LAMBDA {
          constexpr int r = row.value;
          if constexpr (Order::template contains<Shape>(a, b - r, c))
            sum[r] = multiply_add(Order::in_user_order(weights, a, b - r, c), value, sum[r]);
        });
      }
    });
  }

  /// \param[in] in, points, out  seen from the first row's first point (z, y, x0); all with stride 1 along x.
  template <class F, class In, class Points, class Outs, class Reduction>
  KOKKOS_FORCEINLINE_FUNCTION static void compute(F const& functor, In const& in, Points const& points, Outs const& out,
                                                  std::int64_t z, std::int64_t y, std::int64_t x0, std::int64_t n,
                                                  Reduction const& reduction, typename Reduction::Update& update) {
    using Sum           = decltype(typename F::weight_type() * typename In::value_type());
    auto const& weights = weights_of(functor);
    auto const store    = [&](auto r, std::int64_t x, Sum const& sum, auto& at_x) KOALESCE_INLINE_LAMBDA {
      auto const place = [&](auto const& f) KOALESCE_INLINE_LAMBDA { return f.origin + r.value * f.stride[1] + x; };
      auto const at    = transform(points, [&](auto const& f, auto) KOALESCE_INLINE_LAMBDA {
        return typename std::decay_t<decltype(f)>::value_type(*place(f));
      });
      store_to(out, finish_sum<Order>(functor, sum, at, z, y + r.value, x0 + x, at_x), place);
    };
    if constexpr (!ByPlanes) {
      for_each_in_row(n, reduction, update, [&](std::int64_t x, auto& at_x) KOALESCE_INLINE_LAMBDA {
        Sum sum[Rows]{};
        add_planes<-rz, 2 * rz + 1>(weights, in, x, sum);
        static_for<Rows>([&](auto r) KOALESCE_INLINE_LAMBDA { store(r, x, sum[r.value], at_x); });
      });
    } else {
      constexpr std::int64_t width = HostTuning::partial_sums;
      Sum partial[Rows * width];
      for (std::int64_t first = 0; first < n; first += width)
        static_for<2 * rz + 1>([&](auto plane) KOALESCE_INLINE_LAMBDA {
          auto const add = [&](std::int64_t x, auto& at_x) KOALESCE_INLINE_LAMBDA {
            Sum sum[Rows]{};
            if constexpr (plane.value > 0)
              static_for<Rows>([&](auto r) KOALESCE_INLINE_LAMBDA { sum[r.value] = partial[r.value * width + x]; });
            add_planes<plane.value - rz, 1>(weights, in, first + x, sum);
            static_for<Rows>([&](auto r) KOALESCE_INLINE_LAMBDA {
              if constexpr (plane.value < 2 * rz) partial[r.value * width + x] = sum[r.value];
              else store(r, first + x, sum[r.value], at_x);
            });
          };
          std::int64_t const count = n - first < width ? n - first : width;
          Pack<> none;
          if constexpr (plane.value < 2 * rz) for_each_in_row(count, NoReduction(), none, add);
          else for_each_in_row(count, reduction, update, add);
        });
    }
  }
};

/// How a linear stencil is computed: boxes, whose neighboring rows read many of the same values, several rows at once,
/// as long as the weights fit into registers.
template <class Order, class Functor>
struct LinearPlan {
  using Shape = typename Functor::shape_type;

  template <int Rows>
  using AllPlanes = LinearRows<Order, Shape, Rows, false>;

  static constexpr int max_rows = HostTuning::linear_rows;
  static constexpr int weights_in_a_plane =
      adds_pairs<Functor> ? symmetric_terms<Order, Shape>(0) : Shape::size / (2 * AllPlanes<1>::rz + 1);  // of a box

  static constexpr bool rows_share = 3 * AllPlanes<max_rows>::read_count() <= 2 * max_rows * AllPlanes<1>::read_count();
  static constexpr int rows        = rows_share && weights_in_a_plane <= HostTuning::vector_registers ? max_rows : 1;

  using type = LinearRows<Order, Shape, rows, rows_share && (Shape::size > HostTuning::vector_registers)>;
};

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
