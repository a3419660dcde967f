// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "ReadOracle.hpp"

/// What parallel_read_reduce reduces into.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutRight;

template <class P>
class ParallelReadResults : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadResults, DefaultPaths::types, PathNames);

/// A number that no sum, but every order tells apart.
struct Largest {
  KOKKOS_FUNCTION void operator()(std::int64_t item, double value, double& most) const {
    most = Kokkos::max(most, value * 1e6 + double(item * 7919 % 10007));
  }
};

using Range = Kokkos::MinMaxScalar<double>;

struct SmallestAndLargest {
  KOKKOS_FUNCTION void operator()(std::int64_t item, double value, Range& range) const {
    double const x = value * 1e6 + double(item * 7919 % 10007);
    range.min_val  = Kokkos::min(range.min_val, x);
    range.max_val  = Kokkos::max(range.max_val, x);
  }
};

/// A matrix whose reads by column, by a known map, go each of the three ways in turn.
template <class P>
class Reduction {
 public:
  using Exec = typename P::exec;
  using Tag  = typename P::backend;

  Reduction()
      : m_down(m, n),
        m_rng(1),
        m_field({m, n}, {0, 0}, m_rng),
        m_a(m_field.view(), ShadowBuild::first_read),
        m_small(m_field.view(), 0) {
    fill_for_transpose(m_field, m_rng);
    elements = elements_of(m_field);
    for (std::int64_t k = 0; k < m * n; ++k) values.push_back(elements[m_down(k)]);
    indices = indices_of(m_down, 0, m * n);
  }

  /// Twice of a matrix with a shadow, once of one without.
  template <class Consumer, class Result, class Check>
  void reduce(Consumer const& consumer, Result&& result, Check const& check) {
    for (auto const& a : {m_a, m_a, m_small}) {
      parallel_read_reduce<Tag>("r", exec, a, m_down, consumer, result);
      exec.fence();
      check();
    }
  }

  template <class Result, class Consumer>
  Result plain(Consumer const& consumer, Result result) const {
    for (std::size_t k = 0; k < values.size(); ++k) consumer(std::int64_t(k), values[k], result);
    return result;
  }

  static constexpr std::int64_t m = 147, n = 201;
  Exec exec;
  std::vector<double> elements, values;
  Indices indices;

 private:
  ColumnOrder m_down;
  Rng m_rng;
  Field<Exec, double, 2> m_field;
  ShadowView<typename Field<Exec, double, 2>::View> m_a, m_small;
};

TYPED_TEST(ParallelReadResults, sum_into_a_variable) {
  Reduction<TypeParam> r;
  std::uint64_t sum   = 17;
  auto const expected = sum_of(r.indices, 0, r.elements);
  KernelRecorder const record;
  r.reduce(Sum(), sum, [&] { EXPECT_EQ(sum, expected); });
  EXPECT_EQ(record.kernel_names(),
            (Strings{read_kernel<TypeParam>("r", "transposing"), read_kernel<TypeParam>("r", "shadow"),
                     read_kernel<TypeParam>("r", "original")}));
  for (auto const& kernel : record.kernels) {
    EXPECT_TRUE(kernel.reduces);
    EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(r.exec));
  }
  EXPECT_EQ(record.regions, (Strings(3, "Koalesce::parallel_read_reduce")));
}

/// Of what the View lies in nothing is known until the instance is done.
template <class Memory, class R>
void sum_into_view(R& r) {
  Kokkos::View<std::uint64_t, Memory> const sum("sum");
  auto const expected = sum_of(r.indices, 0, r.elements);
  r.reduce(Sum(), sum, [&] {
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum)(), expected);
    Kokkos::deep_copy(sum, 5);
  });
}

TYPED_TEST(ParallelReadResults, sum_into_a_view) {
  Reduction<TypeParam> r;
  sum_into_view<typename TypeParam::exec::memory_space>(r);
  sum_into_view<Kokkos::HostSpace>(r);
}

TYPED_TEST(ParallelReadResults, sum_into_a_view_waits_for_nothing) {
  using Memory = typename TypeParam::exec::memory_space;
  Reduction<TypeParam> r;
  Kokkos::View<std::uint64_t, Memory> const sum("sum");
  ShadowView const a(Kokkos::View<double**, LayoutRight, Memory>("m", 90, 70));
  ColumnOrder const down(90, 70);
  auto const twice = [&] {
    a.invalidate();
    for (int time = 0; time < 2; ++time)
      parallel_read_reduce<typename TypeParam::backend>("r", r.exec, a, down, Sum(), sum);
  };
  twice();
  r.exec.fence();
  KernelRecorder const record;
  twice();
  EXPECT_EQ(record.kernels.size(), 2u);
  EXPECT_EQ(record.fences, Strings());
  r.exec.fence();
}

TYPED_TEST(ParallelReadResults, maximum) {
  Reduction<TypeParam> r;
  double most         = 0;
  auto const expected = r.plain(Largest(), -1.0);
  r.reduce(Largest(), Kokkos::Max<double>(most), [&] {
    EXPECT_EQ(most, expected);
    most = 1e30;
  });
}

TYPED_TEST(ParallelReadResults, minimum_and_maximum) {
  Reduction<TypeParam> r;
  Range range{};
  auto const expected = r.plain(SmallestAndLargest(), Range{1e30, -1e30});
  r.reduce(SmallestAndLargest(), Kokkos::MinMax<double>(range), [&] {
    EXPECT_EQ(range.min_val, expected.min_val);
    EXPECT_EQ(range.max_val, expected.max_val);
    range = {};
  });
}

TYPED_TEST(ParallelReadResults, reductions_of_no_items) {
  using Exec = typename TypeParam::exec;
  using Tag  = typename TypeParam::backend;
  ShadowView const a(Kokkos::View<double**, LayoutRight, typename Exec::memory_space>("m", 0, 70));
  std::uint64_t sum = 3;
  parallel_read_reduce<Tag>("r", Exec(), a, ColumnOrder(0, 70), Sum(), sum);
  EXPECT_EQ(sum, 0u);
  double most = 3;
  parallel_read_reduce<Tag>("r", Exec(), a, RowOrder(), Largest(), Kokkos::Max<double>(most));
  EXPECT_EQ(most, Kokkos::reduction_identity<double>::max());
}

}  // namespace
}  // namespace Koalesce::Test
