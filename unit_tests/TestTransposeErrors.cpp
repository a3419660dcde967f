// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TransposeOracle.hpp"

#include <memory>

namespace Koalesce::Test {
namespace {

template <class P>
class TransposeErrors : public ::testing::Test {};
TYPED_TEST_SUITE(TransposeErrors, NativePath::types, PathNames);

template <class P>
using View2 = Kokkos::View<double**, Kokkos::LayoutRight, typename P::exec::memory_space>;
template <class P>
using View3 = Kokkos::View<double***, Kokkos::LayoutRight, typename P::exec::memory_space>;

template <class P, class Dst, class Src, class... Order>
void run(Dst const& dst, Src const& src, Order const&... order) {
  transpose<typename P::backend>(typename P::exec(), dst, src, order...);
}

TYPED_TEST(TransposeErrors, extents_that_do_not_match) {
  View2<TypeParam> const a("a", 3, 4), b("b", 4, 5);
  expect_error({"Koalesce::transpose", "destination (\"b\") has extent 5 in dimension 1",
                "dimension 0 of the source (\"a\")", "has 3", "give the destination that extent"},
               [&] { run<TypeParam>(b, a); });
  expect_error({"Koalesce::copy_layout", "destination (\"b\") has extent 4 in dimension 0", "has 3"},
               [&] { Koalesce::copy_layout<typename TypeParam::backend>(typename TypeParam::exec(), b, a); });
  View2<TypeParam> const empty("empty", 0, 4), full("full", 4, 1);
  expect_error({"extent 1 in dimension 1"}, [&] { run<TypeParam>(full, empty); });
}

TYPED_TEST(TransposeErrors, no_permutation) {
  View3<TypeParam> const a("a", 3, 3, 3), b("b", 3, 3, 3);
  for (auto const& p : {Permutation<3>{0, 0, 1}, Permutation<3>{1, 2, 3}, Permutation<3>{-1, 0, 1}})
    expect_error({"the permutation {" + std::to_string(p[0]) + ", " + std::to_string(p[1]),
                  "does not name every dimension once", "each number from 0 to 2"},
                 [&] { run<TypeParam>(b, a, p); });
}

TYPED_TEST(TransposeErrors, no_memory) {
  View2<TypeParam> const none(static_cast<double*>(nullptr), 3, 4), a("a", 4, 3);
  expect_error({"the source", "has no memory", "allocate it first"}, [&] { run<TypeParam>(a, none); });
  expect_error({"the destination", "has no memory", "allocate it first"}, [&] { run<TypeParam>(none, a); });
}

TYPED_TEST(TransposeErrors, overlap) {
  using Kokkos::make_pair;
  View2<TypeParam> const all("all", 8, 20);
  auto const at = [&](int row, int column) {
    return Kokkos::subview(all, make_pair(row, row + 4), make_pair(column, column + 4));
  };
  for (auto const& shared : {at(1, 0), at(0, 1), at(3, 3)})
    expect_error({"the destination (\"all\") and the source (\"all\") overlap in memory", "memory of its own"},
                 [&] { run<TypeParam>(shared, at(0, 0)); });
  EXPECT_NO_THROW(run<TypeParam>(at(0, 4), at(0, 0)));
  EXPECT_NO_THROW(run<TypeParam>(at(4, 0), at(0, 0)));
  typename TypeParam::exec().fence();
}

template <class P>
using Strided2 = Kokkos::View<double**, Kokkos::LayoutStride, typename P::exec::memory_space>;
template <class P>
using Strided3 = Kokkos::View<double***, Kokkos::LayoutStride, typename P::exec::memory_space>;

TYPED_TEST(TransposeErrors, destination_that_overlaps_itself) {
  using Kokkos::LayoutStride;
  View2<TypeParam> const memory("b", 8, 20), a("a", 3, 4);
  Strings const phrases{"the destination (", "overlaps itself", "memory of its own"};
  for (auto const& layout : {LayoutStride(4, 1, 3, 0), LayoutStride(4, 0, 3, 1), LayoutStride(4, 2, 3, 1)}) {
    Strided2<TypeParam> const b(memory.data(), layout);
    expect_error(phrases, [&] { run<TypeParam>(b, a); });
  }
  for (auto const& layout : {LayoutStride(4, 3, 3, 1), LayoutStride(4, 3, 3, 4), LayoutStride(4, 40, 3, 2)})
    EXPECT_NO_THROW(run<TypeParam>(Strided2<TypeParam>(memory.data(), layout), a));
  Strided2<TypeParam> const broadcast(memory.data(), LayoutStride(3, 1, 4, 0)),
      turned("turned", LayoutStride(4, 3, 3, 1));
  EXPECT_NO_THROW(run<TypeParam>(turned, broadcast));
  typename TypeParam::exec().fence();
}

TYPED_TEST(TransposeErrors, batch_in_place_that_overlaps_itself) {
  View2<TypeParam> const memory("a", 8, 20);
  Strided3<TypeParam> const a(memory.data(), Kokkos::LayoutStride(2, 0, 5, 5, 5, 1));
  expect_error({"overlaps itself"}, [&] { run<TypeParam>(a, a, Permutation<3>{0, 2, 1}); });
}

TYPED_TEST(TransposeErrors, in_place_only_where_two_dimensions_change_places) {
  View3<TypeParam> const a("a", 5, 5, 5);
  Strings const phrases{"overlap in memory", "only a square matrix can be transposed in place"};
  for (auto const& p : {Permutation<3>{1, 2, 0}, Permutation<3>{2, 0, 1}})
    expect_error(phrases, [&] { run<TypeParam>(a, a, p); });
  View2<TypeParam> const b("b", 4, 6);
  View2<TypeParam> const turned(b.data(), 6, 4);
  expect_error(phrases, [&] { run<TypeParam>(turned, b); });
  auto const part = [&](int rows, int columns) {
    return Kokkos::subview(b, Kokkos::make_pair(0, rows), Kokkos::make_pair(0, columns));
  };
  expect_error(phrases, [&] { run<TypeParam>(part(2, 4), part(4, 2)); });
}

/// Host memory is reached by way of the host; a device's is not reached from there.
TYPED_TEST(TransposeErrors, field_out_of_reach) {
  using Exec   = typename TypeParam::exec;
  using Device = Kokkos::DefaultExecutionSpace;
  if constexpr (Kokkos::SpaceAccessibility<Exec, typename Device::memory_space>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches all memory";
  } else {
    View2<TypeParam> const h("h", 3, 4);
    Kokkos::View<double**, Kokkos::LayoutRight, Device> const a("a", 4, 3);
    expect_error({"the source (\"a\")", "lies in", "cannot reach", "copy it to a View in"},
                 [&] { run<TypeParam>(h, a); });
    expect_error({"the destination (\"a\")", "lies in", "cannot reach"}, [&] { run<TypeParam>(a, h); });
  }
}

TYPED_TEST(TransposeErrors, destination_stays_as_it_is) {
  Rng rng(1);
  Field<typename TypeParam::exec, double, 2> src({4, 5}, {0, 0}, rng), dst({4, 5}, {0, 0}, rng);
  expect_error({"extent 4 in dimension 0"}, [&] { run<TypeParam>(dst.view(), src.view()); });
  EXPECT_TRUE(dst.device_matches());
}

// ---- What tools see ----

template <class P>
std::string kernel_name(std::string const& label) {
  return std::string("Koalesce::") + P::backend::name + "::" + label;
}

/// What one call records, after a first one in which Kokkos may allocate what it keeps: scratch memory.
template <class Exec, class Call>
std::unique_ptr<KernelRecorder> recorded(Exec const& exec, Call const& call) {
  call();
  exec.fence();
  auto record = std::make_unique<KernelRecorder>();
  call();
  return record;
}

template <class P>
void expect_one_kernel(typename P::exec const& exec) {
  View2<P> const a("a", 70, 90), b("b", 90, 70);
  auto const record = recorded(exec, [&] { transpose<typename P::backend>(exec, b, a); });
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].name, kernel_name<P>("transpose"));
  EXPECT_EQ(record->kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(record->regions, Strings{"Koalesce::transpose"});
  EXPECT_EQ(record->fences, Strings());
  EXPECT_EQ(record->allocations, Strings());
  exec.fence();
}

TYPED_TEST(TransposeErrors, one_kernel_named_after_its_path) { expect_one_kernel<TypeParam>({}); }

TYPED_TEST(TransposeErrors, kernels_run_on_the_callers_instance) {
  for (auto const& exec : two_instances<typename TypeParam::exec>()) expect_one_kernel<TypeParam>(exec);
}

TYPED_TEST(TransposeErrors, in_place_runs_one_kernel) {
  typename TypeParam::exec const exec;
  View2<TypeParam> const a("a", 70, 70);
  auto const record = recorded(exec, [&] { transpose<typename TypeParam::backend>(exec, a); });
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].name, kernel_name<TypeParam>("transpose"));
  EXPECT_EQ(record->fences, Strings());
}

TYPED_TEST(TransposeErrors, copy_that_transposes_runs_one_kernel) {
  typename TypeParam::exec const exec;
  View2<TypeParam> const a("a", 70, 90);
  Kokkos::View<double**, Kokkos::LayoutLeft, typename TypeParam::exec::memory_space> const b("b", 70, 90);
  auto const record = recorded(exec, [&] { Koalesce::copy_layout<typename TypeParam::backend>(exec, b, a); });
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].name, kernel_name<TypeParam>("copy_layout"));
  EXPECT_EQ(record->regions, Strings{"Koalesce::copy_layout"});
  EXPECT_EQ(record->fences, Strings());
}

TYPED_TEST(TransposeErrors, nothing_runs_where_there_is_nothing_to_do) {
  typename TypeParam::exec const exec;
  View2<TypeParam> const a("a", 0, 4), b("b", 4, 0), c("c", 5, 5);
  auto const record = recorded(exec, [&] {
    transpose<typename TypeParam::backend>(exec, b, a);
    transpose<typename TypeParam::backend>(exec, c, c, {0, 1});
  });
  EXPECT_TRUE(record->kernels.empty());
  EXPECT_TRUE(record->fences.empty());
}

}  // namespace
}  // namespace Koalesce::Test
