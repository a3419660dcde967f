// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../uncontracted/StepsFunctor.hpp"
#include "BoundaryOracle.hpp"
#include "RankSupport.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

/// Sweeps over several processes: the bits that one process has.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

template <class P>
class RankStencil : public ::testing::Test {};
TYPED_TEST_SUITE(RankStencil, DefaultPaths::types, PathNames);

template <class Shape>
Index<Shape::rank> radii() {
  Index<Shape::rank> r{};
  for (int d = 0; d < Shape::rank; ++d) r[d] = Shape::radius(d);
  return r;
}

inline double any_number(Rng& rng) { return double(random_int(rng, -1000, 1000)) / 7; }

/// What devices compute while halos travel, and after it.
TEST(SweepParts, have_every_point_once) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 50; ++i) {
      Index<3> n{}, low{}, high{};
      for (int c = 0; c < 3; ++c) {
        n[c]    = random_int(rng, 1, 7);
        low[c]  = random_int(rng, 0, 3);
        high[c] = random_int(rng, 0, 3);
      }
      std::vector<int> times(std::size_t(n[0] * n[1] * n[2]));
      bool inside    = false;
      auto const run = [&](Index<3> const& first, Index<3> const& extents) {
        Index<3> end = first;
        for (int c = 0; c < 3; ++c) end[c] += extents[c];
        for_each_index<3>(first, end, [&](Index<3> const& p) {
          ++times[std::size_t((p[0] * n[1] + p[1]) * n[2] + p[2])];
          for (int c = 0; c < 3; ++c) EXPECT_TRUE(!inside || (p[c] >= low[c] && p[c] < n[c] - high[c]));
        });
      };
      Impl::SweepParts const parts(n, low, high);
      if (!parts.has_inner()) continue;
      inside = true;
      parts.inner(run);
      inside = false;
      parts.outer([&](int, auto const&... box) { run(box...); });
      EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ptrdiff_t(times.size()));
    }
  });
}

/// `bound` makes a policy with a boundary, or returns it as it is; twice, because the second call has a plan.
template <class P, class Shape, class T, class Layout, class Bound>
void try_sweep_over(Rng& rng, Domain<Shape::rank> const& domain, Bound const& bound) {
  using Exec          = typename P::exec;
  constexpr int R     = Shape::rank;
  Index<R> const halo = radii<Shape>(), more = halo_for<Shape>(rng, 1);
  WholeAndPart<Exec, T, R, Layout> in(domain, halo, more, rng), out(domain, Index<R>{}, random_halo<R>(rng, 2), rng);
  std::size_t const tag   = rng() % 1000;
  std::string const label = "sweep " + std::to_string(tag);
  for (int again = 0; again < 2; ++again) {
    in.fill(domain, rng, [](Rng& r) { return T(any_number(r)); });
    auto const whole =
        bound(StencilPolicy(Exec(), Shape(), domain.global_extents()).with_backend(typename P::backend()));
    auto const part = bound(StencilPolicy(Exec(), Shape(), domain).with_backend(typename P::backend()));
    parallel_stencil(label, whole, in.whole.view(), out.whole.view(), Mix<Shape>());
    parallel_stencil(label, part, in.part.view(), out.part.view(), Mix<Shape>());
    EXPECT_TRUE(out.agrees()) << domain;
  }
}

template <class P, class Shape, class T, class Layout, class Bound>
void try_sweep(Rng& rng, Kokkos::Array<bool, Shape::rank> const& periodic, Bound const& bound) {
  auto thickness = radii<Shape>();
  for (int d = 0; d < Shape::rank; ++d) ++thickness[d];  // for mirrors about a point
  try_sweep_over<P, Shape, T, Layout>(rng, random_domain<Shape::rank>(rng, thickness, periodic), bound);
}

constexpr auto as_it_is = [](auto const& policy) { return policy; };

TYPED_TEST(RankStencil, fixed_halos) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 2; ++i) {
      try_sweep<TypeParam, Star<1, 1, 1>, double, LayoutRight>(rng, {}, as_it_is);
      try_sweep<TypeParam, Star<3, 1, 2>, float, LayoutLeft>(rng, {}, as_it_is);
      try_sweep<TypeParam, Box<1, 2, 1>, double, LayoutStride>(rng, {}, as_it_is);
      try_sweep<TypeParam, Box<1, 1>, double, LayoutLeft>(rng, {}, as_it_is);
      try_sweep<TypeParam, Star<2, 2>, float, LayoutRight>(rng, {}, as_it_is);
      try_sweep<TypeParam, Star<2>, double, LayoutRight>(rng, {}, as_it_is);
    }
  });
}

TYPED_TEST(RankStencil, first_dimension_contiguous) {
  for_each_seed([](Rng& rng) {
    Domain<3> const domain(MPI_COMM_WORLD, {20, 25, 26}, {.contiguous = 0, .time_limit = 40});
    EXPECT_EQ(domain.ranks()[0], 1) << "it is divided last";
    try_sweep_over<TypeParam, Star<3, 1, 2>, float, LayoutLeft>(rng, domain, as_it_is);
  });
}

/// Other values at every point; of a plane and of a volume.
struct Wall {
  template <class... I>
  KOKKOS_FUNCTION double operator()(I... i) const {
    double sum = 0.5;
    ((sum = 3 * sum + double((i + 70) % 7)), ...);
    return sum / 9;
  }
};

TYPED_TEST(RankStencil, boundaries_at_the_whole_grids_faces) {
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const walls    = [](auto const& policy) { return policy.with_boundary(Dirichlet(Wall())); };
  auto const mirrors  = [](auto const& policy) {
    return policy.with_boundary(sides(Mirror(), Mirror(about_point)), Neumann(), sides(Dirichlet(0.5), Neumann(0.25)));
  };
  auto const first_periodic = [](auto const& policy) {
    return policy.with_boundary(Periodic(), Dirichlet(Wall()), Neumann(Wall()));
  };
  auto const last_periodic = [](auto const& policy) {
    return policy.with_boundary(Neumann(Wall()), sides(Mirror(), Dirichlet(Wall())), Periodic());
  };
  auto const plane = [](auto const& policy) { return policy.with_boundary(Dirichlet(Wall()), Periodic()); };
  auto const line = [](auto const& policy) { return policy.with_boundary(sides(Extrapolation(1), Dirichlet(Wall()))); };
  for_each_seed([&](Rng& rng) {
    try_sweep<TypeParam, Star<1, 1, 1>, double, LayoutRight>(rng, {true, true, true}, periodic);
    try_sweep<TypeParam, Box<1, 1, 1>, double, LayoutLeft>(rng, {true, true, true}, periodic);
    try_sweep<TypeParam, Box<1, 1, 1>, double, LayoutRight>(rng, {}, walls);
    try_sweep<TypeParam, Star<2, 1, 1>, double, LayoutRight>(rng, {}, mirrors);
    try_sweep<TypeParam, Box<1, 2, 1>, double, LayoutLeft>(rng, {}, mirrors);
    try_sweep<TypeParam, Box<1, 1, 1>, double, LayoutRight>(rng, {true, false, false}, first_periodic);
    try_sweep<TypeParam, Box<1, 1, 1>, double, LayoutRight>(rng, {false, false, true}, last_periodic);
    try_sweep<TypeParam, Box<2, 1>, double, LayoutLeft>(rng, {false, true}, plane);
    try_sweep<TypeParam, Star<2>, double, LayoutRight>(rng, {}, line);
  });
}

/// Of two fields in different shapes, one at the point, and the point's place.
struct OfFields {
  template <class U, class V>
  KOKKOS_FUNCTION double operator()(U const& u, V const& v, double p, std::int64_t i, std::int64_t j,
                                    std::int64_t k) const {
    return u(1, 0, 0) + 3 * u(0, 0, -1) + v(1, 0, 2) - v(-1, 0, 1) + p * double(i + 2 * j + 3 * k);
  }
};

struct FirstStage {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, double p, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return u(1, 0, 0) - u(0, 1, 0) + p * double(i - j + k);
  }
};

struct SecondStage {
  template <class M>
  KOKKOS_FUNCTION double operator()(M const& m, double u, double p, std::int64_t, std::int64_t j, std::int64_t) const {
    return m(1, 1, 1) + m(-1, 0, -1) + u * p + double(j);
  }
};

/// Sums what lies on either side.
struct AddSides {
  template <class U>
  KOKKOS_FUNCTION float operator()(U const& u, std::int64_t, std::int64_t, std::int64_t, double& sum) const {
    float const value = u(1, 0, 0) + 2 * u(-1, 0, 0) + 3 * u(0, 2, 0) + 4 * u(0, 0, -1);
    sum += double(value);
    return value;
  }
};

/// A sum, a maximum and a count.
struct Reduced {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t, double& sum, double& most,
                                    double& count) const {
    double const value = u(0, 0, 1) - u(1, 0, 0) + double(z);
    sum += value;
    most = Kokkos::max(most, value + double(y));
    count += 1;
    return value;
  }
};

/// Two fields of different reach and one at the point; stages; known weights; points that are active.
TYPED_TEST(RankStencil, fields_stages_weights_and_active_points) {
  using Exec = typename TypeParam::exec;
  typename TypeParam::backend const backend;
  for_each_seed([&](Rng& rng) {
    auto const domain = random_domain<3>(rng, {3, 3, 3}, {});
    auto const number = [](Rng& r) { return any_number(r); };
    WholeAndPart<Exec, double, 3> a(domain, {2, 2, 2}, {2, 2, 2}, rng), b(domain, {2, 2, 2}, {3, 2, 2}, rng),
        c(domain, {2, 2, 2}, {2, 2, 2}, rng), out(domain, {0, 0, 0}, {1, 0, 1}, rng);
    for (auto* field : {&a, &b, &c}) field->fill(domain, rng, number);
    auto const try_both = [&](auto const& run) {
      run(StencilPolicy(Exec(), Star<1, 1, 1>(), domain.global_extents()).with_backend(backend), a.whole, b.whole,
          c.whole, out.whole);
      run(StencilPolicy(Exec(), Star<1, 1, 1>(), domain).with_backend(backend), a.part, b.part, c.part, out.part);
      EXPECT_TRUE(out.agrees()) << domain;
    };
    try_both([](auto const& policy, auto& u, auto& v, auto& w, auto& o) {
      parallel_stencil("fields", policy, fields(u.view(), around(Box<1, 0, 2>(), v.view()), at_point(w.view())),
                       o.view(), OfFields());
    });
    try_both([](auto const& policy, auto& u, auto&, auto&, auto& o) {
      LinearStencil<double, Star<1, 1, 1>> const laplace(
          [](int dz, int dy, int dx) { return 0.25 * dz + 0.3 * dy - dx - 0.7; });
      parallel_stencil("weights", policy, u.view(), o.view(), laplace);
    });
    StencilPolicy const staged(Exec(), Staged<Star<1, 1, 1>, Box<1, 1, 1>>(), domain.global_extents());
    StencilPolicy const staged_part(Exec(), Staged<Star<1, 1, 1>, Box<1, 1, 1>>(), domain);
    auto const stages = [&](auto const& policy, auto& u, auto& w, auto& o) {
      parallel_stencil("stages", policy, fields(u.view(), at_point(w.view())), o.view(), FirstStage(), SecondStage());
    };
    stages(staged.with_backend(backend), a.whole, c.whole, out.whole);
    stages(staged_part.with_backend(backend), a.part, c.part, out.part);
    EXPECT_TRUE(out.agrees()) << domain;

    WholeAndPart<Exec, int, 3> mask(domain, {0, 0, 0}, {0, 0, 0}, rng);
    mask.fill(domain, rng, [](Rng& r) { return int(random_int(r, 0, 2) == 0); });
    for (auto* field : {&out}) field->fill(domain, rng, number);
    StencilPolicy const all(Exec(), Star<1, 1, 1>(), domain.global_extents());
    StencilPolicy const own(Exec(), Star<1, 1, 1>(), domain);
    ActivePoints const active(all, mask.whole.view());
    ActivePoints const active_here(own, mask.part.view());
    parallel_stencil("active", all.with_active(active), a.whole.view(), out.whole.view(), Mix<Star<1, 1, 1>>());
    parallel_stencil("active", own.with_active(active_here), a.part.view(), out.part.view(), Mix<Star<1, 1, 1>>());
    EXPECT_TRUE(out.agrees()) << domain;
  });
}

struct SumOfNeighbors {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t) const {
    return u(-1) + u(1);
  }
};

/// A process without a face may have fewer points than the condition there reads.
TYPED_TEST(RankStencil, conditions_are_checked_where_their_faces_are) {
  using Exec     = typename TypeParam::exec;
  int const size = size_of_world(), points = 2 * size + 1;
  Domain const domain(MPI_COMM_WORLD, {points}, {.ranks = {size}, .time_limit = 40});
  auto const n = domain.extents()[0], first = domain.offset()[0];
  Kokkos::View<double*, typename Exec::memory_space> const u("u", n + 2), out("out", n);
  auto const host = Kokkos::create_mirror(u);
  for (int i = 0; i < n; ++i) host(i + 1) = double((first + i) * (first + i));
  Kokkos::deep_copy(u, host);
  auto const policy = StencilPolicy(Exec(), Star<1>(), domain)
                          .with_backend(typename TypeParam::backend())
                          .with_boundary(sides(Extrapolation(2), Neumann()));
  parallel_stencil("quadratic", policy, u, out, SumOfNeighbors());
  Exec().fence();
  auto const square = [&](std::int64_t i) {
    return double(std::min<std::int64_t>(i, points - 1) * std::min<std::int64_t>(i, points - 1));
  };
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(result(i), square(first + i - 1) + square(first + i + 1), 1e-9) << first + i << " of " << points;
}

/// Results are the same on all processes; where no rounding takes place, they are those of one process.
TYPED_TEST(RankStencil, reductions_are_global) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    auto const domain = random_domain<3>(rng, {1, 1, 1}, {true, true, true});
    WholeAndPart<Exec, double, 3> in(domain, {1, 1, 1}, {1, 1, 1}, rng), out(domain, {0, 0, 0}, {0, 0, 0}, rng);
    in.fill(domain, rng);
    double sum[2]{}, most[2]{};
    Kokkos::View<double, typename Exec::memory_space> const kept[2]{
        Kokkos::View<double, typename Exec::memory_space>("kept"),
        Kokkos::View<double, typename Exec::memory_space>("kept")};
    auto const run = [&](auto const& policy, auto const& u, auto const& o, int i) {
      parallel_stencil_reduce("reduce", policy.with_backend(typename TypeParam::backend()).with_boundary(Periodic()),
                              u.view(), o.view(), Reduced(), sum[i], Kokkos::Max<double>(most[i]), kept[i]);
    };
    run(StencilPolicy(Exec(), Star<1, 1, 1>(), domain.global_extents()), in.whole, out.whole, 0);
    run(StencilPolicy(Exec(), Star<1, 1, 1>(), domain), in.part, out.part, 1);
    EXPECT_TRUE(out.agrees());
    EXPECT_EQ(sum[0], sum[1]);
    EXPECT_EQ(most[0], most[1]);
    double counted = 0;
    Kokkos::deep_copy(counted, kept[1]);
    EXPECT_EQ(counted, double(out.whole.interior()[0] * out.whole.interior()[1] * out.whole.interior()[2]));
  });
}

struct ReproducibleReduced {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t,
                                    ReproducibleSum<double>& sum, double& most) const {
    double const value = u() * u(0, 0, 1) - u(1, 0, 0) * u(0, 1, 0) + double(z);
    sum += value;
    most = Kokkos::max(most, value + double(y));
    return value;
  }
};

/// Sums that round in one process have its bits in several.
TYPED_TEST(RankStencil, reproducible_sums_are_those_of_one_process) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    auto const domain = random_domain<3>(rng, {1, 1, 1}, {true, true, true});
    WholeAndPart<Exec, double, 3> in(domain, {1, 1, 1}, {1, 1, 1}, rng), out(domain, {0, 0, 0}, {0, 0, 0}, rng);
    in.fill(domain, rng, [](Rng& r) { return std::ldexp(any_number(r), int(random_int(r, -60, 60))); });
    ReproducibleSum<double> sum[3];
    double most[2]{};
    Kokkos::View<ReproducibleSum<double>, typename Exec::memory_space> const kept("kept");
    auto const run = [&](auto const& policy, auto const& u, auto const& o, auto& result, int i) {
      parallel_stencil_reduce("reduce", policy.with_backend(typename TypeParam::backend()).with_boundary(Periodic()),
                              u.view(), o.view(), ReproducibleReduced(), result, Kokkos::Max<double>(most[i]));
    };
    StencilPolicy const divided(Exec(), Star<1, 1, 1>(), domain);
    run(StencilPolicy(Exec(), Star<1, 1, 1>(), domain.global_extents()), in.whole, out.whole, sum[0], 0);
    run(divided, in.part, out.part, sum[1], 1);
    EXPECT_TRUE(out.agrees());
    EXPECT_EQ(most[0], most[1]);
    run(divided, in.part, out.part, kept, 1);
    Kokkos::deep_copy(sum[2], kept);
    for (int i = 1; i < 3; ++i) EXPECT_EQ(std::memcmp(&sum[0], &sum[i], sizeof sum[0]), 0) << domain;
  });
}

/// Fields of make_field have the halos that a domain takes, with a boundary, too.
TYPED_TEST(RankStencil, fields_are_made_for_it) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    auto const domain   = random_domain<3>(rng, {2, 2, 2}, {});
    auto const mirrored = [](auto const& policy) {
      return policy.with_backend(typename TypeParam::backend()).with_boundary(Mirror());
    };
    auto const policy = mirrored(StencilPolicy(Exec(), Star<1, 2, 1>(), domain));
    auto const u = make_field<float>("u", policy), next = make_field<float>("next", policy);
    Index<3> const halo = radii<Star<1, 2, 1>>();
    WholeAndPart<Exec, float, 3> in(domain, halo, halo, rng), out(domain, halo, halo, rng);
    in.fill(domain, rng);  // what others have is poison
    Kokkos::deep_copy(u, in.part.view());
    double sum = 0, expected = 0;
    parallel_stencil_reduce("made", policy, u, next, AddSides(), sum);
    parallel_stencil_reduce("whole", mirrored(StencilPolicy(Exec(), Star<1, 2, 1>(), domain.global_extents())),
                            in.whole.view(), out.whole.view(), AddSides(), expected);
    EXPECT_EQ(sum, expected);
    Kokkos::deep_copy(out.part.view(), next);
    EXPECT_TRUE(out.agrees()) << domain;
  });
}

TYPED_TEST(RankStencil, checks_its_arguments) {
  using Exec     = typename TypeParam::exec;
  using View     = Kokkos::View<double**, typename Exec::memory_space>;
  int const size = size_of_world();
  Domain const domain(MPI_COMM_WORLD, {3 * size, 6}, {.periodic = {false, true}, .ranks = {size, 1}, .time_limit = 40});
  View const u("u", 5, 8), next("next", 3, 6), wide("wide", 11, 14);
  StencilPolicy const policy(Exec(), Star<1, 1>(), domain);
  StencilPolicy const thick(Exec(), Star<4, 4>(), domain);
  auto const says = [](std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(says(error_of([&] { parallel_stencil("halo", policy, next, u, Mix<Star<1, 1>>()); }), "has a halo of 0"));
  EXPECT_TRUE(
      says(error_of([&] { parallel_stencil("period", policy.with_boundary(Mirror()), u, next, Mix<Star<1, 1>>()); }),
           "where the domain has a period"));
  EXPECT_TRUE(
      says(error_of([&] { parallel_stencil("period", policy.with_boundary(Periodic()), u, next, Mix<Star<1, 1>>()); }),
           "where the domain is not"));
  // A process without the face does not read its View, but learns of the error.
  View const levels("levels", 4, 6);
  auto const level = Kokkos::subview(levels, Kokkos::make_pair(1, 4), Kokkos::ALL);
  auto const wall  = [&](int i) { return Kokkos::subview(levels, i, Kokkos::ALL); };
  auto const run   = [&](auto const& condition) {
    parallel_stencil("face", policy.with_boundary(sides(Neumann(), condition), Periodic()), u, level,
                       Mix<Star<1, 1>>());
  };
  EXPECT_TRUE(says(error_of([&] { run(Dirichlet(wall(3))); }),
                   "output field 0 (\"levels\") and the View (\"levels\") of the high face of dimension 0 overlap"));
  EXPECT_EQ(error_of([&] { run(Dirichlet(wall(0))); }), "none");
  // A sweep writes its input's halo.
  View const full("full", 5, 8), scratch("scratch", 5, 8);
  auto const beyond = Kokkos::subview(full, 4, Kokkos::make_pair(1, 7));
  EXPECT_TRUE(says(error_of([&] {
                     parallel_stencil("beyond", policy.with_boundary(sides(Neumann(), Neumann(beyond)), Periodic()),
                                      full, next, Mix<Star<1, 1>>());
                   }),
                   "the View (\"full\") of the high face of dimension 0 has halo points of input field 0 (\"full\")"));
  // Steps write the state, too.
  auto const row = Kokkos::subview(full, 3, Kokkos::make_pair(1, 7));
  EXPECT_TRUE(says(error_of([&] {
                     parallel_stencil_steps("steps", policy.with_boundary(sides(Neumann(), Dirichlet(row)), Periodic()),
                                            full, scratch, 2, Mix<Star<1, 1>>());
                   }),
                   "(\"full\") and the View (\"full\") of the high face of dimension 0 overlap"));
  bool const last = domain.offset()[0] + 3 == 3 * size;
  EXPECT_EQ(error_of([&] { run(Dirichlet(wall(last ? 0 : 3))); }), "none");
  if (size > 1) {
    EXPECT_TRUE(says(error_of([&] { parallel_stencil("thick", thick, wide, next, Mix<Star<4, 4>>()); }),
                     "takes a halo of 4 points"));
    bool const other  = domain.state()->rank() == 1;
    auto const labels = error_of([&] { parallel_stencil(other ? "a" : "b", policy, u, next, Mix<Star<1, 1>>()); });
    EXPECT_TRUE(says(labels, "rank 1 calls"));
    EXPECT_TRUE(says(labels, "(\"b\")"));
    auto const missing = error_of([&] { parallel_stencil("c", policy, other ? View() : u, next, Mix<Star<1, 1>>()); });
    EXPECT_TRUE(says(missing, "(on rank 1)"));
  }
  parallel_stencil("d", policy, u, next, Mix<Star<1, 1>>());
}

}  // namespace
}  // namespace Koalesce::Test
