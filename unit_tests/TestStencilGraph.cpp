// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CapturedGraph.hpp"
#include "TestSupport.hpp"

#include <Koalesce/Stencil.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>

#include <chrono>
#include <thread>

/// Steps that a graph runs again and again.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilGraphs : public ::testing::Test {};
TYPED_TEST_SUITE(StencilGraphs, DefaultPaths::types, PathNames);

/// The weights of the step as an ordinary functor.
struct WeightedSum {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, I...) const {
    return at(u, 0, 0, 0) + at(u, -1, 0, 0) + at(u, 1, 0, 0) + at(u, 0, -1, 0) + at(u, 0, 1, 0) + at(u, 0, 0, -1) +
           at(u, 0, 0, 1);
  }

  KOKKOS_FUNCTION static double weight(int z, int y, int x) { return 1 + z + 2 * y + 3 * x; }

 private:
  template <class U>
  KOKKOS_FUNCTION static double at(U const& u, int z, int y, int x) {
    return weight(z, y, x) * u(z, y, x);
  }
};

/// A step there with known weights and a step back with a functor, periodic. Sums are of whole numbers, and exact.
template <class P>
class Steps {
 public:
  using Exec = typename P::exec;

  explicit Steps(Index<3> const& extents) : m_n(extents), m_here(field()), m_there(field()), m_oracle(points()) {
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), m_here);
    for_each_index<3>({}, m_n, [&](Index<3> const& p) {
      m_oracle[place(p)] = host(p[0] + 1, p[1] + 1, p[2] + 1) = double((7 * p[0] + 5 * p[1] + 3 * p[2]) % 11);
    });
    Kokkos::deep_copy(m_here, host);
    Kokkos::fence();
  }

  void operator()(Exec const& exec) const {
    step(exec, m_here, m_there, LinearStencil<double, Shape>(WeightedSum::weight));
    step(exec, m_there, m_here, WeightedSum());
  }

  void naive() { m_oracle = naive_step(naive_step(m_oracle)); }

  ::testing::AssertionResult is_right() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_here);
    int wrong       = 0;
    for_each_index<3>({}, m_n,
                      [&](Index<3> const& p) { wrong += host(p[0] + 1, p[1] + 1, p[2] + 1) != m_oracle[place(p)]; });
    if (wrong > 0) return ::testing::AssertionFailure() << wrong << " points are wrong";
    return ::testing::AssertionSuccess();
  }

 private:
  using Shape  = Star<1, 1, 1>;
  using View   = Kokkos::View<double***, typename Exec::memory_space>;
  using Values = std::vector<double>;

  View field() const { return View("field", m_n[0] + 2, m_n[1] + 2, m_n[2] + 2); }
  std::size_t points() const { return std::size_t(m_n[0] * m_n[1] * m_n[2]); }
  std::size_t place(Index<3> const& p) const { return std::size_t((p[0] * m_n[1] + p[1]) * m_n[2] + p[2]); }

  template <class Functor>
  void step(Exec const& exec, View const& from, View const& to, Functor const& functor) const {
    auto const inside = [&](int d) { return std::pair<std::int64_t, std::int64_t>(1, m_n[d] + 1); };
    fill_halo(exec, from, m_n, Periodic());
    parallel_stencil("step", StencilPolicy<Exec, Shape, typename P::backend>(exec, m_n), from,
                     Kokkos::subview(to, inside(0), inside(1), inside(2)), functor);
  }

  Values naive_step(Values const& from) const {
    Values to(points());
    for_each_index<3>({}, m_n, [&](Index<3> const& p) {
      for_each_index<3>({-1, -1, -1}, {2, 2, 2}, [&](Index<3> const& d) {
        if (!Shape::contains(int(d[0]), int(d[1]), int(d[2]))) return;
        Index<3> q;
        for (int k = 0; k < 3; ++k) q[k] = (p[k] + d[k] + m_n[k]) % m_n[k];
        to[place(p)] += WeightedSum::weight(int(d[0]), int(d[1]), int(d[2])) * from[place(q)];
      });
    });
    return to;
  }

  Index<3> m_n;
  View m_here, m_there;
  Values m_oracle;
};

TYPED_TEST(StencilGraphs, steps_run_with_every_submission) {
  typename TypeParam::exec const exec;
  Steps<TypeParam>({2, 2, 2})(exec);  // with its first launch Kokkos copies what it keeps on the device
  exec.fence();
  for (Index<3> const& n : {Index<3>{9, 20, 70}, Index<3>{1, 2, 3}, Index<3>{17, 40, 130}}) {
    Steps<TypeParam> steps(n);
    auto const submit = captured(exec, steps);
    if (!submit) GTEST_SKIP() << "this Kokkos' graphs have no nodes for host functions";
    exec.fence();
    EXPECT_TRUE(steps.is_right()) << "it ran before it was submitted";
    for (int i = 0; i < 3; ++i) {
      submit();
      exec.fence();
      steps.naive();
      EXPECT_TRUE(steps.is_right()) << "submission " << i;
    }
    submit();
    submit();
    exec.fence();
    steps.naive();
    steps.naive();
    EXPECT_TRUE(steps.is_right()) << "submissions without a fence between them";
  }
}

/// Many steps in a call, however many share a sweep. Of known weights their bits are those of the same calls without a
/// graph.
TYPED_TEST(StencilGraphs, time_steps_run_with_every_submission) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1, 1>;
  using View  = Kokkos::View<double***, typename Exec::memory_space>;
  Exec const exec;
  View const u("u", 19, 42, 92), scratch("scratch", 19, 42, 92), expected("expected", 19, 42, 92);
  auto const host = Kokkos::create_mirror_view(u);
  for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = double(i * i % 97) / 7;
  for (auto const& view : {u, expected}) Kokkos::deep_copy(view, host);
  LinearStencil<double, Shape> const weights(
      [](int z, int y, int x) { return z == 0 && y == 0 && x == 0 ? 0.5 : 0.5 / 6; });
  auto const run = [=](View const& state) {
    return [=](Exec const& space) {
      // ThreadSanitizer does not know the barriers of teams, at which threads of a host meet that share a wavefront.
      StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(space, {17, 40, 90});
      parallel_stencil_steps("time steps", policy.with_fused_steps(Backend::on_host<Exec> ? 1 : 0), state, scratch, 11,
                             weights);
    };
  };
  run(expected)(exec);  // with its first launch Kokkos copies what it keeps on the device
  exec.fence();
  auto const submit = captured(exec, run(u));
  if (!submit) GTEST_SKIP() << "this Kokkos' graphs have no nodes for host functions";
  run(expected)(exec);
  submit();
  submit();
  exec.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t i = 0; i < a.span(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << i;
}

/// A sum, and the values that it is of.
struct SumOfThree {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t, double& sum) const {
    double const here = u(-1) + u() + 2 * u(1);
    sum += here;
    return here;
  }
};

/// Sweeps that reduce into a View, over whole numbers.
template <class P>
struct ReducingSweep {
  using Exec   = typename P::exec;
  using Memory = typename Exec::memory_space;

  void operator()(Exec const& exec) const {
    StencilPolicy<Exec, Star<1>, typename P::backend> const policy(exec, {1000});
    parallel_stencil_reduce("reduces", policy, u, next, SumOfThree(), sum);
  }

  void fill(int round) {
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), u);
    expected        = 0;
    for (int i = 0; i < 1002; ++i) host(i) = i * (round + 3) % 11;
    for (int i = 1; i < 1001; ++i) expected += host(i - 1) + host(i) + 2 * host(i + 1);
    Kokkos::deep_copy(u, host);
    Kokkos::deep_copy(next, -1.);
    Kokkos::deep_copy(sum, -1.);
  }

  bool is_right() const {
    double all      = 0;
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), next);
    for (int i = 0; i < 1000; ++i) all += host(i);
    return all == expected && Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum)() == expected;
  }

  Kokkos::View<double*, Memory> u{"u", 1002}, next{"next", 1000};
  Kokkos::View<double, Memory> sum{"sum"};
  double expected = 0;
};

TYPED_TEST(StencilGraphs, results_are_those_of_every_submission) {
  ReducingSweep<TypeParam> sweep;
  int round = 0;
  check_submissions(
      typename TypeParam::exec(), [sweep](auto const& exec) { sweep(exec); }, [&] { sweep.fill(++round); },
      [&] { EXPECT_TRUE(sweep.is_right()); });
}

/// Nothing can be allocated in a capture.
TYPED_TEST(StencilGraphs, partial_results_take_a_call_before_the_capture) {
  using Exec = typename TypeParam::exec;
  if (Backend::on_host<Exec>) GTEST_SKIP() << "nothing is captured on a host";
  ReducingSweep<TypeParam> sweep;
  Exec const exec;
  sweep(exec);
  exec.fence();
  Impl::memory_of_partial_results<Exec>().release_all();
  auto const text = error_in_capture(exec, sweep);
  EXPECT_NE(text.find("Koalesce::parallel_stencil_reduce(\"reduces\")"), std::string::npos) << text;
  EXPECT_NE(text.find("call it once before each capture, on the same instance"), std::string::npos) << text;
  sweep.fill(1);
  sweep(exec);
  exec.fence();
  EXPECT_TRUE(sweep.is_right());
}

#ifdef KOKKOS_ENABLE_CUDA
/// What times the calls must not end the capture of another stream.
TEST(StencilGraph, calls_leave_the_capture_of_another_stream_alone) {
  auto const instances = two_instances<Kokkos::Cuda>();
  using Native         = Steps<Path<Kokkos::Cuda, Backend::Cuda>>;
  Index<3> const n{5, 30, 90};
  Native const timed(n);
  timed(instances[1]);
  Kokkos::fence();

  EXPECT_EQ(cudaStreamBeginCapture(instances[0].cuda_stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
  for (int i = 0; i < 20; ++i) {
    timed(instances[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // for events to pass: CUDA forbids to wait for them
  }
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(instances[0].cuda_stream(), &graph), cudaSuccess);
  if (graph != nullptr) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);

  Native decided(n);
  decided(instances[1]);
  decided.naive();
  Kokkos::fence();
  EXPECT_TRUE(decided.is_right());
}
#endif

}  // namespace
}  // namespace Koalesce::Test
