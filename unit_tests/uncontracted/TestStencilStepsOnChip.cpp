// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA

/// Time steps of fields that stay on chip, against single sweeps.
namespace Koalesce::Test {
namespace {

using Exec  = Kokkos::Cuda;
using Space = Exec::memory_space;

template <class Shape>
using Policy = StencilPolicy<Exec, Shape, Backend::Cuda>;

/// A View of the interior and its halo, with random values.
template <class View>
View random_field(Rng& rng, Index<int(View::rank())> const& n, Index<int(View::rank())> const& halo) {
  View const view = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return View("field", std::size_t(n[D] + 2 * halo[D])...);
  }(std::make_index_sequence<View::rank()>());
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < host.span(); ++i)
    host.data()[i] = typename View::value_type(random_int(rng, 0, 1000)) / 7;
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
View copy_of(View const& from) {
  View const copy("copy", from.layout());
  Kokkos::deep_copy(copy, from);
  return copy;
}

template <class View>
void expect_equal(View const& a, View const& b) {
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (std::size_t i = 0; i < x.span(); ++i) ASSERT_EQ(x.data()[i], y.data()[i]) << i;
}

std::size_t count_kernels(KernelRecorder const& record, std::string const& label) {
  auto const names = record.kernel_names();
  return std::size_t(std::count(names.begin(), names.end(), Impl::kernel_label(Backend::Cuda{}, label)));
}

/// Whether calls of so many steps give the bits of single sweeps, and, if on chip, take two sweeps.
template <class Shape, class View>
void try_steps(View const& one, auto const& policy, std::initializer_list<int> all_steps) {
  SCOPED_TRACE("interior " + to_string<Shape::rank>(policy.extents()));
  View const many = copy_of(one), scratch = copy_of(one);
  for (int const steps : all_steps) {
    SCOPED_TRACE("steps " + std::to_string(steps));
    parallel_stencil_steps("one", policy.with_fused_steps(1), one, scratch, steps, Mix<Shape>());
    KernelRecorder const record;
    parallel_stencil_steps("many", policy.with_fused_steps(1000), many, scratch, steps, Mix<Shape>());
    if (steps > 3) EXPECT_EQ(count_kernels(record, "many"), 2u);
    expect_equal(one, many);
  }
}

template <class Shape, class View>
void try_on_chip(Rng& rng, Index<Shape::rank> const& n, auto const& bound) {
  auto const policy = bound(Policy<Shape>({}, n));
  Index<Shape::rank> halo{};
  if constexpr (std::is_same_v<std::decay_t<decltype(policy)>, Policy<Shape>>)
    for (int d = 0; d < int(Shape::rank); ++d) halo[std::size_t(d)] = Shape::radius(d);
  try_steps<Shape>(random_field<View>(rng, n, halo), policy, {1, 2, 3, 5, 8, 9, 101});
}

constexpr auto halo = [](auto const& policy) { return policy; };

template <class T, class Layout>
using Cube = Kokkos::View<T***, Layout, Space>;
template <class T, class Layout>
using Plane = Kokkos::View<T**, Layout, Space>;

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

TEST(StencilStepsOnChip, shapes_and_types) {
  for_each_seed([](Rng& rng) {
    auto const some   = [&](int low, int high) { return std::int64_t(random_int(rng, low, high)); };
    using OneSided    = Offsets<At<0, 0, 0>, At<1, 0, 0>, At<0, -2, 0>, At<-1, 1, 3>>;
    Index<3> const n  = {some(20, 50), some(20, 50), some(20, 50)};
    Index<2> const n2 = {some(50, 150), some(500, 1500)};
    try_on_chip<Star<1, 1, 1>, Cube<double, LayoutRight>>(rng, n, halo);
    try_on_chip<Star<3, 1, 2>, Cube<float, LayoutLeft>>(rng, n, halo);
    try_on_chip<Box<1, 1, 1>, Cube<std::uint32_t, LayoutRight>>(rng, n, halo);
    try_on_chip<OneSided, Cube<double, LayoutRight>>(rng, n, halo);
    try_on_chip<Box<2, 2>, Plane<double, LayoutLeft>>(rng, n2, halo);
    try_on_chip<Star<1, 1>, Plane<float, LayoutRight>>(rng, {3, 5}, halo);
    try_on_chip<Star<1, 1, 1>, Cube<double, LayoutRight>>(rng, {1, 1, 1}, halo);
  });
}

/// Rows with gaps: kernels of few steps cannot read them.
TEST(StencilStepsOnChip, strided_rows) {
  Rng rng(1);
  auto const wide = random_field<Cube<double, LayoutRight>>(rng, {20, 30, 60}, {1, 1, 1});
  using Gaps      = Kokkos::View<double***, Kokkos::LayoutStride, Space>;
  Policy<Star<1, 1, 1>> const policy({}, {20, 30, 29});
  auto const one = copy_of(wide), many = copy_of(wide), scratch = copy_of(wide);
  auto const with_gaps = [](auto const& view) {
    return Gaps(view.data(), Kokkos::LayoutStride(22, 32 * 62, 32, 62, 31, 2));
  };
  for (int const steps : {3, 5, 8, 30, 200}) {
    parallel_stencil_steps("one", policy.with_fused_steps(1), with_gaps(one), with_gaps(scratch), steps,
                           Mix<Star<1, 1, 1>>());
    parallel_stencil_steps("many", policy, with_gaps(many), with_gaps(scratch), steps, Mix<Star<1, 1, 1>>());
    expect_equal(one, many);
  }
}

TEST(StencilStepsOnChip, boundaries) {
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const mixed    = [](auto const& policy) {
    return policy.with_boundary(sides(Mirror(about_point), Neumann(0.5)), Periodic(), Dirichlet(0.25));
  };
  auto const mirrored = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  auto const copied   = [](auto const& policy) {
    return policy.with_boundary(Periodic(), sides(Mirror(), Neumann()), Dirichlet(0.25));
  };
  for_each_seed([&](Rng& rng) {
    auto const some = [&](int low, int high) { return std::int64_t(random_int(rng, low, high)); };
    for (bool const large : {true, false}) {
      Index<3> const n = large ? Index<3>{some(20, 50), some(20, 50), some(20, 50)} : Index<3>{some(3, 5), 3, 4};
      try_on_chip<Box<1, 1, 1>, Cube<double, LayoutRight>>(rng, n, periodic);
      try_on_chip<Star<2, 2, 2>, Cube<float, LayoutLeft>>(rng, n, mixed);
      try_on_chip<Box<1, 2, 1>, Cube<double, LayoutLeft>>(rng, n, mirrored);
      try_on_chip<Box<1, 1, 1>, Cube<double, LayoutRight>>(rng, n, copied);
    }
  });
}

/// The tuner compares them with other sweeps of the same steps.
TEST(StencilStepsOnChip, chosen_by_time) {
  for_each_seed([](Rng& rng) {
    auto const field = random_field<Cube<double, LayoutRight>>(rng, {30, 30, 30}, {1, 1, 1});
    auto const many = copy_of(field), scratch = copy_of(field);
    Policy<Star<1, 1, 1>> const policy({}, {30, 30, 30});
    parallel_stencil_steps("one", policy.with_fused_steps(1), field, scratch, 1501, Mix<Star<1, 1, 1>>());
    parallel_stencil_steps("by time", policy, many, scratch, 1501, Mix<Star<1, 1, 1>>());
    expect_equal(field, many);
  });
}

/// Kernels whose blocks wait for each other run on several instances at once.
TEST(StencilStepsOnChip, several_instances) {
  using View           = Cube<double, LayoutRight>;
  auto const instances = two_instances<Exec>();
  Rng rng(1);
  Index<3> const n    = {40, 40, 40};
  View const first    = random_field<View>(rng, n, {1, 1, 1});
  View const expected = copy_of(first), scratch = copy_of(first);
  parallel_stencil_steps("one", Policy<Star<1, 1, 1>>({}, n).with_fused_steps(1), expected, scratch, 300,
                         Mix<Star<1, 1, 1>>());
  View const results[] = {copy_of(first), copy_of(first)}, scratches[] = {copy_of(first), copy_of(first)};
  Kokkos::fence();
  for (int part = 0; part < 3; ++part)
    for (int i = 0; i < 2; ++i)
      parallel_stencil_steps("many", Policy<Star<1, 1, 1>>(instances[std::size_t(i)], n).with_fused_steps(1000),
                             results[i], scratches[i], 100, Mix<Star<1, 1, 1>>());
  Kokkos::fence();
  for (auto const& result : results) expect_equal(result, expected);
}

/// A graph keeps the memory for messages that an earlier call has left; another one, for which there is none, makes
/// fewer steps per sweep.
TEST(StencilStepsOnChip, captured_in_a_graph) {
  using View = Cube<double, LayoutRight>;
  Rng rng(1);
  Exec const exec;
  Policy<Star<1, 1, 1>> const policy(exec, {40, 40, 40});
  View const first = random_field<View>(rng, {40, 40, 40}, {1, 1, 1}), expected = copy_of(first);
  View const scratch = copy_of(first);
  auto const run     = [&](View const& state) {
    parallel_stencil_steps("many", policy.with_fused_steps(1000), state, scratch, 100, Mix<Star<1, 1, 1>>());
  };
  parallel_stencil_steps("one", policy.with_fused_steps(1), expected, scratch, 200, Mix<Star<1, 1, 1>>());
  run(copy_of(first));
  Kokkos::fence();
  for (bool const with_memory : {true, false}) {
    View const result = copy_of(first), other = copy_of(first);
    Kokkos::fence();
    cudaGraph_t graph    = nullptr;
    cudaGraphExec_t node = nullptr;
    std::size_t nodes    = 0;
    ASSERT_EQ(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    run(result);
    ASSERT_EQ(cudaStreamEndCapture(exec.cuda_stream(), &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes < 10, with_memory) << nodes;
    ASSERT_EQ(cudaGraphInstantiate(&node, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(node, exec.cuda_stream()), cudaSuccess);
    if (with_memory) run(other);  // with memory of its own
    EXPECT_EQ(cudaGraphLaunch(node, exec.cuda_stream()), cudaSuccess);
    if (with_memory) run(other);
    exec.fence();
    expect_equal(result, expected);
    if (with_memory) expect_equal(other, expected);
    EXPECT_EQ(cudaGraphExecDestroy(node), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    Impl::CudaBackend::memory_of_messages().release();
  }
}

}  // namespace
}  // namespace Koalesce::Test

#endif
