// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TeamsOfThreads.hpp"
#include "TestSupport.hpp"

#include <cstring>
#include <limits>
#include <memory>

/// One result per row or column, against a serial loop. Values are small whole numbers, whose sums are exact.
namespace Koalesce::Test {

/// The kernels of devices, on teams of several CPU threads, as if there were many more.
template <class Exec, class Work>
void run_line_reduction(SeveralThreads, Exec const& exec, std::string const& label, Work const& work) {
  Impl::PortableBackend::reduce_lines_on_device(SeveralThreads{}, exec, label, work, 5000);
}

namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ReduceLines : public ::testing::Test {};
using Paths = DefaultPaths::add<Path<HostExec, SeveralThreads>>::types;
TYPED_TEST_SUITE(ReduceLines, Paths, PathNames);

// ---- Functors and reducers ----

/// Another for every index, so that an element with a wrong one shows.
KOKKOS_FUNCTION int weight(std::int64_t b, std::int64_t i, std::int64_t j) { return int((5 * b + 3 * i + 7 * j) % 11); }

template <class Sum>
struct Weighted {
  template <class T>
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t i, std::int64_t j, T const& v, Sum& sum) const {
    sum += Sum(weight(b, i, j)) * Sum(v);
  }
  template <class T>
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, T const& v, Sum& sum) const {
    (*this)(0, i, j, v, sum);
  }
};

/// How many values are odd, and the last index, in a type that no reducer of Kokkos knows.
struct Tally {
  std::int32_t odd;
  std::int16_t last;
  bool any;
};

struct JoinTallies {
  using reducer          = JoinTallies;
  using value_type       = Tally;
  using result_view_type = Kokkos::View<Tally, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FUNCTION JoinTallies(Tally& value) : tally(&value) {}
  KOKKOS_FUNCTION void init(Tally& t) const { t = {0, -1, false}; }
  KOKKOS_FUNCTION void join(Tally& t, Tally const& other) const {
    t.odd += other.odd;
    t.last = Kokkos::max(t.last, other.last);
    t.any  = t.any || other.any;
  }
  KOKKOS_FUNCTION Tally& reference() const { return *tally; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(tally); }

  Tally* tally;
};

using Location = Kokkos::ValLocScalar<double, std::int64_t>;
using Range    = Kokkos::MinMaxScalar<double>;

struct Everything {
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t i, std::int64_t j, double v, double& sum, double& most,
                                  Range& range, Location& first, Tally& tally) const {
    double const value = v + 100 * weight(b, i, j);
    sum += value;
    most            = Kokkos::max(most, value);
    range.min_val   = Kokkos::min(range.min_val, v);
    range.max_val   = Kokkos::max(range.max_val, v);
    double const at = double(i * 10000 + j);  // the last element, whatever the order
    if (at > first.val) first = {at, i - j};
    tally.odd += int(v) % 2 != 0;
    tally.last = Kokkos::max(tally.last, std::int16_t(i + j));
    tally.any  = tally.any || v > 7;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, double v, double& sum, double& most, Range& range,
                                  Location& first, Tally& tally) const {
    (*this)(0, i, j, v, sum, most, range, first, tally);
  }
};

template <class T>
bool same(T const& a, T const& b) {
  return a == b;
}
bool same(Range const& a, Range const& b) { return a.min_val == b.min_val && a.max_val == b.max_val; }
bool same(Location const& a, Location const& b) { return a.val == b.val && (a.loc == b.loc || a.val < 0); }
bool same(Tally const& a, Tally const& b) { return a.odd == b.odd && a.last == b.last && a.any == b.any; }

// ---- The oracle ----

/// Results in every third element of some memory, which is to stay as it is between them.
template <class Exec, class Reducer>
class Results {
 public:
  using V     = typename Reducer::value_type;
  using Block = Kokkos::View<V***, LayoutRight, typename Exec::memory_space>;

  Results(std::int64_t batch, std::int64_t lines)
      : m_block(Kokkos::view_alloc("results", Kokkos::WithoutInitializing), batch, lines, 3),
        m_expected(Kokkos::create_mirror(Kokkos::HostSpace(), m_block)) {
    std::memset(static_cast<void*>(m_expected.data()), 0x41, m_expected.span() * sizeof(V));
    Kokkos::deep_copy(m_block, m_expected);
  }

  /// A View of sums, or with another reducer.
  template <int Rank>
  auto result() const {
    auto const view = [&] {
      if constexpr (Rank == 2) return Kokkos::subview(m_block, 0, Kokkos::ALL, 1);
      else return Kokkos::subview(m_block, Kokkos::ALL, Kokkos::ALL, 1);
    }();
    if constexpr (std::is_same_v<Reducer, Kokkos::Sum<V>>) return view;
    else return per_line<Reducer>(view);
  }

  V& start(std::int64_t b, std::int64_t line) {
    V& value = m_expected(b, line, 1);
    Reducer(value).init(value);
    return value;
  }

  ::testing::AssertionResult holds() const {
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_block);
    for (std::size_t k = 0; k < found.span(); ++k) {
      bool const equal = k % 3 == 1 ? same(found.data()[k], m_expected.data()[k])
                                    : std::memcmp(&found.data()[k], &m_expected.data()[k], sizeof(V)) == 0;
      if (!equal) return ::testing::AssertionFailure() << "element " << k / 3 << (k % 3 == 1 ? "" : ", beside it");
    }
    return ::testing::AssertionSuccess();
  }

 private:
  Block m_block;
  Kokkos::View<V***, LayoutRight, Kokkos::HostSpace> m_expected;
};

/// The interior of a field as a matrix, or a batch.
template <class Field>
auto interior(Field const& field) {
  auto const slice = [&](int d) { return std::make_pair(field.halo()[d], field.halo()[d] + field.interior()[d]); };
  if constexpr (Field::rank == 2) return Kokkos::subview(field.view(), slice(0), slice(1));
  else return Kokkos::subview(field.view(), slice(0), slice(1), slice(2));
}

template <class P, class... Reducers, class Field, class Functor>
void check_lines(Field const& field, Functor const& functor) {
  using Exec               = typename P::exec;
  constexpr int rank       = Field::rank;
  auto const& n            = field.interior();
  std::int64_t const batch = rank == 2 ? 1 : n[0], m = n[rank - 2], k = n[rank - 1];
  auto const check = [&](bool rows, Results<Exec, Reducers>... results) {
    SCOPED_TRACE((rows ? "rows of " : "columns of ") + to_string<rank>(n));
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t line = 0; line < (rows ? m : k); ++line)
        [&](auto&... update) {
          for (std::int64_t at = 0; at < (rows ? k : m); ++at) {
            std::int64_t const i = rows ? line : at, j = rows ? at : line;
            if constexpr (rank == 2) functor(i, j, field({i, j}), update...);
            else functor(b, i, j, field({b, i, j}), update...);
          }
        }(results.start(b, line)...);
    using B = typename P::backend;
    if (rows) parallel_reduce_rows<B>("rows", Exec(), interior(field), functor, results.template result<rank>()...);
    else parallel_reduce_columns<B>("columns", Exec(), interior(field), functor, results.template result<rank>()...);
    Exec().fence();
    auto const expect = [](auto const& result) { EXPECT_TRUE(result.holds()); };
    (expect(results), ...);
  };
  check(false, Results<Exec, Reducers>(batch, k)...);
  check(true, Results<Exec, Reducers>(batch, m)...);
}

/// Nothing, one, few, primes, more than a strip or a team takes, and enough for several parts.
constexpr Index<2> shapes[] = {{0, 5},  {5, 0},     {1, 1},     {1, 300}, {300, 1},   {3, 5003},  {5003, 3},
                               {7, 40}, {257, 129}, {130, 131}, {64, 90}, {2049, 17}, {41, 2999}, {701, 263}};

template <class P, class T, class Layout, class Functor, class... Reducers>
void check_shapes(Functor const& functor, Strides strides = Strides::random) {
  for_each_seed([&](Rng& rng) {
    for (auto const& n : shapes) {
      Field<typename P::exec, T, 2, Layout> field(n, random_halo<2>(rng, rng() % 2), rng, strides);
      field.fill(rng);
      check_lines<P, Reducers...>(field, functor);
    }
    for (int i = 0; i < 2; ++i) {
      Field<typename P::exec, T, 3, Layout> batch(random_extents<3>(rng, 20000), random_halo<3>(rng, 1), rng, strides);
      batch.fill(rng);
      check_lines<P, Reducers...>(batch, functor);
    }
  });
}

template <class P, class T, class Sum = T, class Layout = LayoutStride>
void check_sums(Strides strides = Strides::random) {
  check_shapes<P, T, Layout, Weighted<Sum>, Kokkos::Sum<Sum>>({}, strides);
}

TYPED_TEST(ReduceLines, of_rows_in_memory) { check_sums<TypeParam, double, double, LayoutRight>(); }
TYPED_TEST(ReduceLines, of_columns_in_memory) { check_sums<TypeParam, double, double, LayoutLeft>(); }
TYPED_TEST(ReduceLines, of_any_strides) { check_sums<TypeParam, double>(); }
TYPED_TEST(ReduceLines, of_floats) { check_sums<TypeParam, float>(Strides::right); }
TYPED_TEST(ReduceLines, of_bytes_to_wide_sums) { check_sums<TypeParam, std::uint8_t, std::int64_t>(Strides::right); }
TYPED_TEST(ReduceLines, of_complex_numbers) { check_sums<TypeParam, Kokkos::complex<double>>(Strides::right); }

TYPED_TEST(ReduceLines, to_several_results) {
  check_shapes<TypeParam, double, LayoutStride, Everything, Kokkos::Sum<double>, Kokkos::Max<double>,
               Kokkos::MinMax<double>, Kokkos::MaxLoc<double, std::int64_t>, JoinTallies>({}, Strides::right);
}

struct ThreeNumbers {
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t i, std::int64_t j, float v, float& sum, float& most,
                                  float& weighted) const {
    sum += v;
    most = Kokkos::max(most, v + float(weight(b, i, j)));
    weighted += v * float(weight(b, i, j));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, float v, float& sum, float& most,
                                  float& weighted) const {
    (*this)(0, i, j, v, sum, most, weighted);
  }
};

/// Together they have 12 bytes.
TYPED_TEST(ReduceLines, to_results_of_no_power_of_two_bytes) {
  check_shapes<TypeParam, float, LayoutStride, ThreeNumbers, Kokkos::Sum<float>, Kokkos::Max<float>,
               Kokkos::Sum<float>>({}, Strides::right);
}

// ---- Calls ----

template <class P>
using Vector = Kokkos::View<double*, typename P::exec::memory_space>;
template <class P>
using Matrix = Kokkos::View<double**, LayoutRight, typename P::exec::memory_space>;

template <class P, class... Rs>
void columns(std::string const& label, Matrix<P> const& a, Rs const&... results) {
  parallel_reduce_columns<typename P::backend>(label, typename P::exec(), a, Weighted<double>(), results...);
}

template <class View>
struct FillUnevenly {
  View a;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t j = 0; j < std::int64_t(a.extent(1)); ++j) a(i, j) = 1. / double(1 + (7 * i + 3 * j) % 1009);
  }
};

TYPED_TEST(ReduceLines, sums_are_rounded_alike) {
  using Exec = typename TypeParam::exec;
  for (auto const& n : {Index<2>{4001, 7}, {3001, 200}, {5, 30011}}) {
    Matrix<TypeParam> const a("a", n[0], n[1]);
    Vector<TypeParam> const first("first", n[1]), second("second", n[1]), rows("rows", n[0]), again("again", n[0]);
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(0, n[0]), FillUnevenly<Matrix<TypeParam>>{a});
    for (auto const& sums : {first, second}) columns<TypeParam>("alike", a, sums);
    for (auto const& sums : {rows, again})
      parallel_reduce_rows<typename TypeParam::backend>("alike", Exec(), a, Weighted<double>(), sums);
    auto const same_bits = [](auto const& x, auto const& y) {
      auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x),
                 q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      return std::memcmp(p.data(), q.data(), p.size() * sizeof(double)) == 0;
    };
    EXPECT_TRUE(same_bits(first, second));
    EXPECT_TRUE(same_bits(rows, again));
  }
}

TYPED_TEST(ReduceLines, of_a_shadow_view_read_the_original) {
  using Exec = typename TypeParam::exec;
  Matrix<TypeParam> const a("a", 50, 40);
  Vector<TypeParam> const direct("direct", 40), sums("sums", 40);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec>(0, 50), FillUnevenly<Matrix<TypeParam>>{a});
  columns<TypeParam>("direct", a, direct);
  ShadowView const shadow(a);
  parallel_reduce_columns<typename TypeParam::backend>("shadow", Exec(), shadow, Weighted<double>(), sums);
  EXPECT_FALSE(shadow.has_shadow());
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), direct),
             y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  for (int j = 0; j < 40; ++j) EXPECT_EQ(x(j), y(j));
}

TYPED_TEST(ReduceLines, kernels_are_named_after_their_path) {
  Matrix<TypeParam> const a("a", 5000, 3);
  Vector<TypeParam> const sums("sums", 3);
  columns<TypeParam>("sum", a, sums);
  typename TypeParam::exec().fence();
  KernelRecorder const record;
  columns<TypeParam>("sum", a, sums);
  std::string const name = std::string("Koalesce::") + TypeParam::backend::name + "::sum";
  auto const kernels     = record.kernel_names();
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(kernels[0], name);
  if (kernels.size() > 1) {
    EXPECT_EQ(kernels[1], name + " [join]");
  }
  EXPECT_LE(kernels.size(), 2u);
  EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_reduce_columns"});
  EXPECT_EQ(record.fences, Strings());
  EXPECT_EQ(record.allocations, Strings());
}

TYPED_TEST(ReduceLines, run_on_the_callers_instance) {
  using Exec           = typename TypeParam::exec;
  auto const instances = two_instances<Exec>();
  Matrix<TypeParam> const a("a", 5000, 3);
  Vector<TypeParam> const sums("sums", 3);
  KernelRecorder const record;
  parallel_reduce_columns<typename TypeParam::backend>("sum", instances[1], a, Weighted<double>(), sums);
  ASSERT_FALSE(record.kernels.empty());
  for (auto const& kernel : record.kernels)
    EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(instances[1])) << kernel.name;
  instances[1].fence();
}

TYPED_TEST(ReduceLines, nothing_runs_where_there_are_no_lines) {
  KernelRecorder const record;
  columns<TypeParam>("none", Matrix<TypeParam>("a", 5, 0), Vector<TypeParam>());
  EXPECT_TRUE(record.kernels.empty());
}

// ---- Errors ----

TYPED_TEST(ReduceLines, of_another_extent_are_refused) {
  Matrix<TypeParam> const a("a", 4, 6);
  Vector<TypeParam> const sums("sums", 4);
  expect_error({"Koalesce::parallel_reduce_columns(\"s\")", "result 0 (\"sums\") has extent 4",
                "the matrix (\"a\") has 6 columns", "one element per column"},
               [&] { columns<TypeParam>("s", a, sums); });
  Kokkos::View<double***, typename TypeParam::exec::memory_space> const batch("batch", 3, 4, 6);
  Kokkos::View<double**, typename TypeParam::exec::memory_space> const two("two", 2, 4);
  expect_error({"Koalesce::parallel_reduce_rows(\"s\")", "result 0 (\"two\") has extent 2",
                "the batch (\"batch\") has 3 matrices", "give it as many"},
               [&] {
                 parallel_reduce_rows<typename TypeParam::backend>("s", typename TypeParam::exec(), batch,
                                                                   Weighted<double>(), two);
               });
}

TYPED_TEST(ReduceLines, without_memory_are_refused) {
  Matrix<TypeParam> const a("a", 4, 6), none(static_cast<double*>(nullptr), 4, 6);
  Vector<TypeParam> const sums("sums", 6), nowhere(static_cast<double*>(nullptr), 6);
  expect_error({"the matrix", "has no memory", "allocate it first"}, [&] { columns<TypeParam>("s", none, sums); });
  expect_error({"result 0", "has no memory"}, [&] { columns<TypeParam>("s", a, nowhere); });
}

/// Adds up twice.
struct Twice {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double v, double& sum, double& again) const {
    sum += v;
    again += v;
  }
};

TYPED_TEST(ReduceLines, that_overlap_are_refused) {
  Matrix<TypeParam> const a("a", 4, 6);
  Vector<TypeParam> const sums("sums", 7);
  expect_error({"result 0 (\"a\") and the matrix (\"a\") overlap in memory", "memory of their own"},
               [&] { columns<TypeParam>("s", a, Vector<TypeParam>(Kokkos::subview(a, 0, Kokkos::ALL))); });
  auto const first = Kokkos::subview(sums, std::make_pair(0, 6)), second = Kokkos::subview(sums, std::make_pair(1, 7));
  expect_error({"result 1 (\"sums\") and result 0 overlap in memory", "memory of its own"}, [&] {
    parallel_reduce_columns<typename TypeParam::backend>("s", typename TypeParam::exec(), a, Twice(), first, second);
  });
  Kokkos::View<double*, Kokkos::LayoutStride, typename TypeParam::exec::memory_space> const one(
      sums.data(), Kokkos::LayoutStride(6, 0));
  expect_error({"result 0 (", "overlaps itself", "memory of its own"}, [&] { columns<TypeParam>("s", a, one); });
}

TYPED_TEST(ReduceLines, out_of_reach_are_refused) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    Matrix<TypeParam> const a("a", 4, 6);
    Kokkos::View<double*, Kokkos::HostSpace> const sums("sums", 6);
    expect_error({"result 0 (\"sums\")", "lies in Host", "cannot reach"}, [&] { columns<TypeParam>("s", a, sums); });
  }
}

}  // namespace
}  // namespace Koalesce::Test
