// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilTools : public ::testing::Test {};
TYPED_TEST_SUITE(StencilTools, DefaultPaths::types, PathNames);

/// A stencil that can be run again and again on any instance.
template <class P, class ShapeT = Box<1, 1, 1>>
struct Run {
  using Exec  = typename P::exec;
  using Shape = ShapeT;

  Rng rng{1};
  Index<3> n{9, 20, 70};
  Field<Exec, double, 3> in{n, {2, 2, 2}, rng}, out{n, {1, 1, 1}, rng};

  Run() { in.fill(rng); }

  template <class... Functors>
  void operator()(Exec const& exec, Functors const&... functors) {
    StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, n);
    parallel_stencil("label", policy, in.view(), out.view(), functors...);
  }

  auto recorded(Exec const& exec) {
    (*this)(exec, Probe<Shape>());  // the first run may allocate what Kokkos keeps: scratch memory
    exec.fence();
    auto record = std::make_unique<KernelRecorder>();
    (*this)(exec, Probe<Shape>());
    return record;
  }
};

TYPED_TEST(StencilTools, one_kernel_named_after_its_path) {
  Run<TypeParam> run;
  auto const record = run.recorded({});
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].name, std::string("Koalesce::") + TypeParam::backend::name + "::label");
  EXPECT_EQ(record->regions, Strings{"Koalesce::parallel_stencil"});
}

TYPED_TEST(StencilTools, linear_and_staged_run_one_kernel_on_the_same_path) {
  using Shape            = Star<1, 1, 1>;
  std::string const name = std::string("Koalesce::") + TypeParam::backend::name + "::label";
  LinearStencil<double, Shape> const weights([](int a, int b, int c) { return a + b + c; });
  Run<TypeParam, Shape> linear;
  Run<TypeParam, Staged<Shape, Shape>> staged;
  typename TypeParam::exec const exec;
  KernelRecorder record;
  linear(exec, weights);
  staged(exec, weights, weights);
  exec.fence();
  Strings names;
  for (auto const& kernel : record.kernels) names.push_back(kernel.name);
  EXPECT_EQ(names, (Strings{name, name}));
}

TYPED_TEST(StencilTools, neither_fences_nor_allocates) {
  Run<TypeParam> run;
  auto const record = run.recorded({});
  EXPECT_EQ(record->fences, Strings());
  EXPECT_EQ(record->allocations, Strings());
}

TYPED_TEST(StencilTools, zero_points_run_nothing) {
  for (int d = 0; d < 3; ++d) {
    Run<TypeParam> run;
    run.n[d]          = 0;
    run.in            = {run.n, {1, 1, 1}, run.rng};
    run.out           = {run.n, {0, 1, 2}, run.rng};
    auto const record = run.recorded({});
    EXPECT_TRUE(record->kernels.empty());
    EXPECT_TRUE(record->fences.empty());
    EXPECT_TRUE(run.out.device_matches());
  }
}

TYPED_TEST(StencilTools, kernels_run_on_the_callers_instance) {
  using Exec           = typename TypeParam::exec;
  auto const instances = two_instances<Exec>();
  for (auto const& exec : instances) {
    Run<TypeParam> run;
    auto const record = run.recorded(exec);
    ASSERT_EQ(record->kernels.size(), 1u);
    EXPECT_EQ(record->kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
    EXPECT_TRUE(record->fences.empty());
  }
}

TYPED_TEST(StencilTools, right_results_on_every_instance) {
  using Exec           = typename TypeParam::exec;
  auto const instances = two_instances<Exec>();
  std::vector<Run<TypeParam>> runs(instances.size());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i](instances[i], Probe<Box<1, 1, 1>>());
  for (auto const& exec : instances) exec.fence();
  for (auto& run : runs) {
    run_oracle<3>(run.n, std::tie(run.in), std::tie(run.out), Probe<Box<1, 1, 1>>());
    EXPECT_TRUE(run.out.device_matches());
  }
}

}  // namespace
}  // namespace Koalesce::Test
