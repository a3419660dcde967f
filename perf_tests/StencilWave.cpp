// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One time step of the acoustic wave equation, eighth order in space: next = 2 u - previous + speed * laplacian(u).
// Around each point one field is read, at the point two more: stencil/wave/<type>/<nz>x<ny>x<nx>/<impl>. Users capture
// the two as Views (koalesce), mark them with at_point() (koalesce_fields), or give known weights for the first and a
// functor for the rest (koalesce_linear).

#include <Koalesce/Koalesce.hpp>

#include <cstdlib>
#include <string>

#include "StencilCases.hpp"
#include "StencilFunctors.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = WaveShape;

/// The rest of a step, given the weighted sum.
template <class T>
struct LinearWave {
  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(T laplacian, T u, T previous, T speed, Index...) const {
    return 2 * u - previous + speed * laplacian;
  }

  static LinearStencil<T, Around> weights() {
    return LinearStencil<T, Around>([](int dz, int dy, int dx) {
      int const d = std::abs(dz + dy + dx);
      return d == 0 ? Wave<T>().center : Wave<T>().weight[d - 1];
    });
  }
};

/// The same with Views of the fields that are read at the point.
template <class T, class View>
struct CapturedWave {
  Wave<T> wave;
  View previous, speed;
  std::int64_t halo;

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t x) const {
    return wave.next(u, previous(z + halo, y + halo, x + halo), speed(z + halo, y + halo, x + halo));
  }
};

template <class T>
void add_wave_of(Extents const& n) {
  using F                = Fields<T, 3, 3, 1>;
  auto const grid        = grid_of(n, 4);
  std::string const base = "stencil/wave/" + type_name<T>() + "/" + grid.name() + "/";
  constexpr Cost point{4 * sizeof(T), Wave<T>::flops};

  auto const captured = [=](auto backend, StencilTaps taps, F const& f) {
    parallel_stencil("wave", policy_of<Around>(grid, backend).with_taps(taps), f.ins[0], f.outs[0],
                     CapturedWave<T, typename F::View>{{}, f.ins[1], f.ins[2], grid.halo[0]});
  };
  add_sweeps<F, Around>(base, grid, point, captured, Wave<T>{});
  auto const add = [=](char const* impl, auto const& run) {
    add_prepared(base + impl, [=] {
      return checked(
          grid, point, F(grid), [=](F const& f) { captured(Backend::Default<Exec>{}, StencilTaps::automatic, f); },
          run);
    });
  };
  add("koalesce_fields", [=](F const& f) {
    parallel_stencil("wave", policy_of<Around>(grid), fields(f.ins[0], at_point(f.ins[1]), at_point(f.ins[2])),
                     f.outs[0], FieldsWave<T>{});
  });
  add("koalesce_linear", [=](F const& f) {
    parallel_stencil("wave", policy_of<Around>(grid),
                     fields(f.ins[0], at_point(f.ins[0]), at_point(f.ins[1]), at_point(f.ins[2])), f.outs[0],
                     LinearWave<T>::weights(), LinearWave<T>{});
  });
}

}  // namespace

void perf::add_wave() {
  Extents const n = on_host ? Extents{256, 256, 256} : Extents{512, 512, 512};
  add_wave_of<double>(n);
  add_wave_of<float>(n);
}
