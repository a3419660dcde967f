// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

#include <thread>
#include <vector>

/// What calls of one kernel with several sizes owe each other: nothing, though grids are remembered.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilCalls : public ::testing::Test {};
TYPED_TEST_SUITE(StencilCalls, DefaultPaths::types, PathNames);

using Shape = Box<1, 1, 1>;

/// A stencil of one size on one instance.
template <class P>
class Call {
 public:
  using Exec = typename P::exec;

  Call(Exec const& exec, Index<3> const& extents, Rng& rng)
      : m_exec(exec), m_extents(extents), m_in(extents, {1, 1, 1}, rng), m_out(extents, {0, 0, 0}, rng) {
    m_in.fill(rng);
  }

  void run() const {
    StencilPolicy<Exec, Shape, typename P::backend> const policy(m_exec, m_extents);
    parallel_stencil("calls", policy, m_in.view(), m_out.view(), Probe<Shape>());
  }

  void expect_right() {
    m_exec.fence();
    run_oracle<3>(m_extents, std::tie(m_in), std::tie(m_out), Probe<Shape>());
    EXPECT_TRUE(m_out.device_matches(Exactly())) << to_string<3>(m_extents);
  }

 private:
  Exec m_exec;
  Index<3> m_extents;
  Field<Exec, double, 3, Kokkos::LayoutRight> m_in, m_out;
};

/// More sizes than are remembered, in any order.
TYPED_TEST(StencilCalls, sizes_take_turns) {
  for_each_seed([](Rng& rng) {
    std::vector<Call<TypeParam>> calls;
    for (int n = 0; n < 12; ++n) calls.emplace_back(typename TypeParam::exec(), random_extents<3>(rng, 5000), rng);
    for (auto const& call : calls) call.run();
    for (int n = 0; n < 40; ++n) calls[random_int(rng, 0, int(calls.size()) - 1)].run();
    for (auto& call : calls) call.expect_right();
  });
}

/// While both candidates are timed, when it is decided, and with calls that do not wait for each other's times.
TYPED_TEST(StencilCalls, many_calls_of_one_size) {
  Rng rng(11);
  Call<TypeParam> call(typename TypeParam::exec(), Index<3>{9, 14, 70}, rng);
  for (int i = 0; i < 30; ++i) {
    call.run();
    if (i % 3 == 0 || i == 29) call.expect_right();
  }
}

/// A tile that needs much memory on chip and one that needs little, from two threads of the host.
TYPED_TEST(StencilCalls, host_threads_with_different_sizes) {
  auto const instances = two_instances<typename TypeParam::exec>();
  Rng rng(7);
  std::vector<Call<TypeParam>> calls;
  calls.emplace_back(instances[0], Index<3>{5, 64, 256}, rng);
  calls.emplace_back(instances[1], Index<3>{3, 5, 4}, rng);
  std::vector<std::thread> threads;
  for (auto& call : calls)
    threads.emplace_back([&call] {
      for (int i = 0; i < 30; ++i) call.run();
    });
  for (auto& thread : threads) thread.join();
  for (auto& call : calls) call.expect_right();
}

}  // namespace
}  // namespace Koalesce::Test
