// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StructsOracle.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace Koalesce::Test {

template <class T>
struct TwoOf {
  T a, b;
};
template <class T>
struct ThreeOf {
  T a, b, c;
};
template <class T>
struct SevenOf {
  T a, b, c, d, e, f, g;
};
struct SixteenFloats {
  float a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};

/// No two members of one size follow each other, but there is no padding.
struct Particle {
  double x;
  std::int32_t id;
  float weight;
};

/// Padding between its members and after them.
struct Padded {
  char kind;
  double x;
  std::int16_t id;
};

/// Padding after the last member only.
struct Tagged {
  double x;
  std::int32_t id;
  float weight;
  std::uint8_t kind;
};

/// Gaps as large as words of 2, 4 and 16 bytes, where not all members are listed.
template <class T>
struct Gaps {
  T a, hidden, b, also_hidden[3], c;
};

struct Moving {
  float v[3];
  std::int32_t id;
};
struct Packed {
  Kokkos::Array<double, 2> x;
  std::uint8_t kind[5];
  std::uint8_t flags[3];
};

/// A vector whose size does not divide the struct's.
struct Weighted {
  ThreeOf<float> v;
  float w;
};

/// Members of an anonymous struct, which C++ compilers know from C.
struct Located {
  __extension__ struct {
    std::int32_t x, y;
  };
  std::int32_t id;
};

/// An anonymous union, of which a list names the smaller member.
struct Either {
  union {
    char kind;
    std::int32_t code;
  };
  double x;
};

/// A union with a name is a member like others.
union Named {
  char kind;
  std::int32_t code;
};
struct HasNamed {
  Named n[2];
  double x;
};

/// More than a block's share holds.
struct Huge {
  double head;
  char text[1100];
  float tail;
};

using TwoDoubles   = Members<&TwoOf<double>::a, &TwoOf<double>::b>;
using TwoChars     = Members<&TwoOf<char>::a, &TwoOf<char>::b>;
using ThreeFloats  = Members<&ThreeOf<float>::a, &ThreeOf<float>::b, &ThreeOf<float>::c>;
using ThreeChars   = Members<&ThreeOf<char>::a, &ThreeOf<char>::b, &ThreeOf<char>::c>;
using SevenDoubles = Members<&SevenOf<double>::a, &SevenOf<double>::b, &SevenOf<double>::c, &SevenOf<double>::d,
                             &SevenOf<double>::e, &SevenOf<double>::f, &SevenOf<double>::g>;
using AllFloats = Members<&SixteenFloats::a, &SixteenFloats::b, &SixteenFloats::c, &SixteenFloats::d, &SixteenFloats::e,
                          &SixteenFloats::f, &SixteenFloats::g, &SixteenFloats::h, &SixteenFloats::i, &SixteenFloats::j,
                          &SixteenFloats::k, &SixteenFloats::l, &SixteenFloats::m, &SixteenFloats::n, &SixteenFloats::o,
                          &SixteenFloats::p>;
using WholeParticle = Members<&Particle::x, &Particle::id, &Particle::weight>;
using OutOfOrder    = Members<&Particle::weight, &Particle::x, &Particle::id>;
using TurnedDoubles = Members<&TwoOf<double>::b, &TwoOf<double>::a>;
using WholePadded   = Members<&Padded::kind, &Padded::x, &Padded::id>;
using WholeTagged   = Members<&Tagged::x, &Tagged::id, &Tagged::weight, &Tagged::kind>;
template <class T>
using BetweenGaps  = Members<&Gaps<T>::b, &Gaps<T>::a, &Gaps<T>::c>;
using WithArray    = Members<&Moving::v, &Moving::id>;
using WithArrays   = Members<&Packed::x, &Packed::kind, &Packed::flags>;
using OddBytes     = Members<&ThreeOf<char>::c, &ThreeOf<char>::a, &ThreeOf<char>::b>;
using SomeDoubles  = Members<&SevenOf<double>::b, &SevenOf<double>::c, &SevenOf<double>::f>;
using FewFloats    = Members<&SixteenFloats::c, &SixteenFloats::n>;
using WholeLocated = Members<&Located::x, &Located::y, &Located::id>;
using SomeLocated  = Members<&Located::x, &Located::id>;
using SmallerOf    = Members<&Either::kind, &Either::x>;
using WholeNamed   = Members<&HasNamed::n, &HasNamed::x>;
using HugeMembers  = Members<&Huge::tail, &Huge::head, &Huge::text>;

namespace {

template <class P>
class Structs : public ::testing::Test {};
TYPED_TEST_SUITE(Structs, DefaultPaths::types, PathNames);

template <class P, class List>
void check_both_ways(Rng& rng, std::size_t size, int gap) {
  check_structs<P, List>(rng, StructForm::structs, StructForm::arrays, size, gap);
  check_structs<P, List>(rng, StructForm::arrays, StructForm::structs, size, gap);
}

/// Nothing, primes, and sizes around powers of two: a block's share is one.
template <class P, class List>
void check_members() {
  for_each_seed([](Rng& rng) {
    for (std::size_t const size : {0, 1, 2, 3, 31, 32, 33, 127, 255, 257, 513, 1021, 1025, 2049, 5003})
      check_both_ways<P, List>(rng, size, 0);
    for (int i = 0; i < 12; ++i)
      check_both_ways<P, List>(rng, std::size_t(random_int(rng, 1, 9000)), int(random_int(rng, 0, 5)));
    check_structs<P, List>(rng, StructForm::structs, StructForm::structs, 1003, 1);
    check_structs<P, List>(rng, StructForm::arrays, StructForm::arrays, 1003, 1);
  });
}

TYPED_TEST(Structs, of_two_doubles) { check_members<TypeParam, TwoDoubles>(); }
TYPED_TEST(Structs, of_two_chars) { check_members<TypeParam, TwoChars>(); }
TYPED_TEST(Structs, of_three_floats) { check_members<TypeParam, ThreeFloats>(); }
TYPED_TEST(Structs, of_three_chars) { check_members<TypeParam, ThreeChars>(); }
TYPED_TEST(Structs, of_seven_doubles) { check_members<TypeParam, SevenDoubles>(); }
TYPED_TEST(Structs, of_sixteen_floats) { check_members<TypeParam, AllFloats>(); }
TYPED_TEST(Structs, of_different_sizes) { check_members<TypeParam, WholeParticle>(); }
TYPED_TEST(Structs, out_of_order) { check_members<TypeParam, OutOfOrder>(); }
TYPED_TEST(Structs, of_three_chars_out_of_order) { check_members<TypeParam, OddBytes>(); }
TYPED_TEST(Structs, of_one_size_out_of_order) { check_members<TypeParam, TurnedDoubles>(); }
TYPED_TEST(Structs, of_an_anonymous_struct) { check_members<TypeParam, SomeLocated>(); }
TYPED_TEST(Structs, of_an_anonymous_union) { check_members<TypeParam, SmallerOf>(); }
TYPED_TEST(Structs, with_padding) { check_members<TypeParam, WholePadded>(); }
TYPED_TEST(Structs, with_padding_at_the_end) { check_members<TypeParam, WholeTagged>(); }
TYPED_TEST(Structs, with_gaps_of_1_byte) { check_members<TypeParam, BetweenGaps<std::uint8_t>>(); }
TYPED_TEST(Structs, with_gaps_of_2_bytes) { check_members<TypeParam, BetweenGaps<std::int16_t>>(); }
TYPED_TEST(Structs, with_gaps_of_4_bytes) { check_members<TypeParam, BetweenGaps<float>>(); }
TYPED_TEST(Structs, with_gaps_of_16_bytes) { check_members<TypeParam, BetweenGaps<Kokkos::complex<double>>>(); }
TYPED_TEST(Structs, with_an_array) { check_members<TypeParam, WithArray>(); }
TYPED_TEST(Structs, with_arrays_of_bytes) { check_members<TypeParam, WithArrays>(); }
TYPED_TEST(Structs, with_members_that_are_not_listed) { check_members<TypeParam, SomeDoubles>(); }
TYPED_TEST(Structs, with_few_members_listed) { check_members<TypeParam, FewFloats>(); }
TYPED_TEST(Structs, too_large_to_share) {
  for_each_seed([](Rng& rng) {
    for (int const size : {1, 33, 401}) check_both_ways<TypeParam, HugeMembers>(rng, std::size_t(size), size % 2);
  });
}

/// Small enough for compute-sanitizer: whole and partial shares, whose structs are aligned to vectors of any size.
TYPED_TEST(Structs, in_a_few_shares) {
  for_each_seed([](Rng& rng) {
    for (int const size : {1, 33, 1500}) {
      check_both_ways<TypeParam, WholeParticle>(rng, std::size_t(size), 0);
      check_both_ways<TypeParam, WholePadded>(rng, std::size_t(size), 1);
      check_both_ways<TypeParam, WholeTagged>(rng, std::size_t(size), 1);
      check_both_ways<TypeParam, BetweenGaps<float>>(rng, std::size_t(size), 1);
      check_both_ways<TypeParam, WithArrays>(rng, std::size_t(size), 1);
      check_both_ways<TypeParam, OddBytes>(rng, std::size_t(size), 1);
      check_both_ways<TypeParam, AllFloats>(rng, std::size_t(size), 0);
    }
  });
}

/// More than caches hold: many blocks.
template <class P, class List>
void check_many() {
  using S = typename StructsInBytes<typename P::exec, List>::S;
  for_each_seed([](Rng& rng) {
    check_both_ways<P, List>(rng, std::size_t(3000000 / sizeof(S) + rng() % 100), int(random_int(rng, 0, 1)));
  });
}

TYPED_TEST(Structs, many_of_different_sizes) { check_many<TypeParam, WholeParticle>(); }
TYPED_TEST(Structs, many_with_padding) { check_many<TypeParam, WholePadded>(); }
TYPED_TEST(Structs, many_with_padding_at_the_end) { check_many<TypeParam, WholeTagged>(); }
TYPED_TEST(Structs, many_of_seven_doubles) { check_many<TypeParam, SevenDoubles>(); }
TYPED_TEST(Structs, many_of_sixteen_floats) { check_many<TypeParam, AllFloats>(); }

// ---- The view ----

template <class P, class List>
using ViewOf = StructView<List, typename P::exec::memory_space>;

template <class View>
struct WriteParticles {
  View particles;

  KOKKOS_FUNCTION void operator()(int i) const {
    particles.store(i, Particle{2. * i, i, 3.f});
    particles.template get<&Particle::weight>(i) += float(i);
    particles.template get<1>(i) += 5;
  }
};

template <class View>
struct CheckParticles {
  View particles;

  KOKKOS_FUNCTION void operator()(int i, int& wrong) const {
    Particle const p = particles.load(i), q = particles(i);
    wrong += p.x != 2. * i || p.id != i + 5 || p.weight != 3.f + float(i) || q.x != p.x;
  }
};

template <class Exec, class View>
void expect_particles(View const& particles) {
  int const size = int(particles.size());
  Kokkos::parallel_for("write", Kokkos::RangePolicy<Exec>(0, size), WriteParticles<View>{particles});
  int wrong = 0;
  Kokkos::parallel_reduce("check", Kokkos::RangePolicy<Exec>(0, size), CheckParticles<View>{particles}, wrong);
  EXPECT_EQ(wrong, 0);
  auto const x = Kokkos::create_mirror(Kokkos::HostSpace(), particles.template member<&Particle::x>());
  Kokkos::View<double*, typename Exec::memory_space> const copied("copied", std::size_t(size));
  Kokkos::deep_copy(copied, particles.template member<&Particle::x>());
  Kokkos::deep_copy(x, Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copied));
  for (int i = 0; i < size; ++i) EXPECT_EQ(x(i), 2. * i);
}

TYPED_TEST(Structs, kernels_read_and_write_either_form) {
  using Exec  = typename TypeParam::exec;
  using Space = typename Exec::memory_space;
  using View  = ViewOf<TypeParam, WholeParticle>;
  expect_particles<Exec>(View("arrays", 100));
  expect_particles<Exec>(View(Kokkos::View<Particle*, Space>("structs", 100)));
  expect_particles<Exec>(View(Kokkos::View<double*, Space>("x", 100), Kokkos::View<std::int32_t*, Space>("id", 100),
                              Kokkos::View<float*, Space>("weight", 100)));
}

TYPED_TEST(Structs, arrays_begin_at_multiples_of_256_bytes) {
  ViewOf<TypeParam, WholePadded> const s("padded", 77);
  EXPECT_EQ(s.size(), 77u);
  EXPECT_EQ(s.label(), "padded");
  EXPECT_EQ(s.form(), StructForm::arrays);
  void const* const data[] = {s.template member<0>().data(), s.template member<1>().data(),
                              s.template member<2>().data()};
  for (auto const* const array : data) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 256, 0u);
  EXPECT_EQ(s.template member<1>().stride(0), 1u);
}

TYPED_TEST(Structs, the_last_copy_frees_the_memory) {
  using Space = typename TypeParam::exec::memory_space;
  Kokkos::View<Particle*, Space> const structs("structs", 10);
  {
    ViewOf<TypeParam, WholeParticle> const a(structs), b = a;
    EXPECT_EQ(structs.use_count(), 3);
    EXPECT_EQ(b.label(), "structs");
  }
  EXPECT_EQ(structs.use_count(), 1);
}

TYPED_TEST(Structs, members_of_arrays_have_two_dimensions) {
  using Space = typename TypeParam::exec::memory_space;
  ViewOf<TypeParam, WithArray> const arrays("arrays", 9), structs(Kokkos::View<Moving*, Space>("structs", 9));
  EXPECT_EQ(arrays.template member<&Moving::v>().extent(1), 3u);
  EXPECT_EQ(arrays.template member<&Moving::v>().stride(0), 3u);
  EXPECT_EQ(structs.template member<&Moving::v>().stride(0), 4u);
  EXPECT_EQ(structs.template member<&Moving::v>().stride(1), 1u);
}

template <class View>
struct SumOfFew {
  View floats;

  KOKKOS_FUNCTION void operator()(int i, float& sum) const { sum += floats(i).a + floats(i).c + floats(i).p; }
};

TYPED_TEST(Structs, what_is_not_listed_has_its_default_value) {
  ViewOf<TypeParam, FewFloats> const s("few", 4);
  using Exec = typename TypeParam::exec;
  float sum  = 1;
  Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec>(0, 4), SumOfFew<decltype(s)>{s}, sum);
  EXPECT_EQ(sum, 0.f);
}

/// Members that cannot be listed, and ways to have some without saying so.
struct WithBits {
  int a, b;
  int bits : 5;
};
struct EmptyBase {};
struct Derived : EmptyBase {
  float a;
  double b;
};
struct WithConstructor {
  int a, b;
  WithConstructor() = default;
  KOKKOS_FUNCTION WithConstructor(int x) : a(x), b(x) {}
};
/// Made of anything, so that what converts to anything does so in two ways.
struct Anything {
  int value;
  Anything() = default;
  template <class T>
  KOKKOS_FUNCTION Anything(T const&) : value(1) {}
};
struct WithAnything {
  double x;
  int id;
  Anything last;
};
struct Nested {
  Padded padded;
  Kokkos::complex<float> z;
  int* p;
};

TEST(Members, all_of_a_struct_are_known) {
  EXPECT_TRUE(Impl::MemberList<WholeParticle>::are_all);
  EXPECT_TRUE(Impl::MemberList<OutOfOrder>::are_all);
  EXPECT_TRUE(Impl::MemberList<WholePadded>::are_all);
  EXPECT_TRUE(Impl::MemberList<WholeTagged>::are_all);
  EXPECT_TRUE(Impl::MemberList<AllFloats>::are_all);
  EXPECT_TRUE(Impl::MemberList<WithArray>::are_all);
  EXPECT_TRUE(Impl::MemberList<WithArrays>::are_all);
  EXPECT_TRUE((Impl::MemberList<Members<&Nested::padded, &Nested::z, &Nested::p>>::are_all));
  EXPECT_TRUE((Impl::MemberList<Members<&Weighted::v, &Weighted::w>>::are_all));
  EXPECT_TRUE(Impl::MemberList<WholeLocated>::are_all);
  EXPECT_TRUE(Impl::MemberList<WholeNamed>::are_all);

  EXPECT_FALSE(Impl::MemberList<SomeDoubles>::are_all);
  EXPECT_FALSE(Impl::MemberList<FewFloats>::are_all);
  EXPECT_FALSE(Impl::MemberList<BetweenGaps<float>>::are_all);
  EXPECT_FALSE((Impl::MemberList<Members<&Packed::x, &Packed::kind>>::are_all));
  EXPECT_FALSE((Impl::MemberList<Members<&Nested::padded, &Nested::p>>::are_all));
  EXPECT_FALSE(Impl::MemberList<SomeLocated>::are_all);
  EXPECT_FALSE(Impl::MemberList<SmallerOf>::are_all);
  EXPECT_FALSE((Impl::MemberList<Members<&WithBits::a, &WithBits::b>>::are_all));
  EXPECT_FALSE((Impl::MemberList<Members<&Derived::a, &Derived::b>>::are_all));
  EXPECT_FALSE((Impl::MemberList<Members<&WithConstructor::a, &WithConstructor::b>>::are_all));
  EXPECT_FALSE((Impl::MemberList<Members<&WithAnything::x, &WithAnything::id>>::are_all));
  EXPECT_FALSE(Impl::MemberList<HugeMembers>::are_all);  // too many to count
}

TEST(Members, offsets_are_those_of_the_struct) {
  using List         = Impl::MemberList<WholePadded>;
  auto const offsets = List::offsets();
  EXPECT_EQ(offsets[0], int(offsetof(Padded, kind)));
  EXPECT_EQ(offsets[1], int(offsetof(Padded, x)));
  EXPECT_EQ(offsets[2], int(offsetof(Padded, id)));
  static_assert(List::common_bytes == 0 && Impl::MemberList<ThreeFloats>::common_bytes == 4);
  static_assert(std::is_same_v<Impl::MemberList<OutOfOrder>::member_type<1>, double>);
}

// ---- Errors ----

template <class P, class List>
void copy(ViewOf<P, List> const& dst, ViewOf<P, List> const& src) {
  copy_structs<typename P::backend>(typename P::exec(), dst, src);
}

TYPED_TEST(Structs, of_different_sizes_are_refused) {
  ViewOf<TypeParam, WholeParticle> const a("a", 3), b("b", 4);
  expect_error({"Koalesce::copy_structs", "destination (\"b\") has 4 structs", "source (\"a\") has 3", "the same size"},
               [&] { copy<TypeParam, WholeParticle>(b, a); });
}

TYPED_TEST(Structs, arrays_of_different_extents_are_refused) {
  using Space = typename TypeParam::exec::memory_space;
  Kokkos::View<double*, Space> const a("a", 3), b("b", 4);
  expect_error(
      {"Koalesce::StructView", "array (\"b\") of member 1 has 4 elements", "has 3", "give every member as many"},
      [&] { (void)ViewOf<TypeParam, TwoDoubles>(a, b); });
}

TYPED_TEST(Structs, arrays_with_gaps_are_refused) {
  using Space = typename TypeParam::exec::memory_space;
  Kokkos::View<double*, Space> const a("a", 3);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const matrix("matrix", 3, 2);
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 1);
  expect_error({"Koalesce::StructView", "array (\"matrix\") of member 1 is not contiguous", "without gaps"},
               [&] { (void)ViewOf<TypeParam, TwoDoubles>(a, column); });
}

TYPED_TEST(Structs, without_memory_are_refused) {
  using Space = typename TypeParam::exec::memory_space;
  ViewOf<TypeParam, WholeParticle> const a("a", 3);
  ViewOf<TypeParam, WholeParticle> const none(Kokkos::View<Particle*, Space>(static_cast<Particle*>(nullptr), 3));
  expect_error({"the source", "has no memory", "allocate it first"}, [&] { copy<TypeParam, WholeParticle>(a, none); });
  expect_error({"member 0 of the destination", "has no memory"}, [&] { copy<TypeParam, WholeParticle>(none, a); });
}

TYPED_TEST(Structs, that_overlap_are_refused) {
  using Space = typename TypeParam::exec::memory_space;
  Kokkos::View<double*, Space> const a("a", 9), b("b", 9);
  Kokkos::View<TwoOf<double>*, Space> const structs(reinterpret_cast<TwoOf<double>*>(a.data()), 4);
  auto const first = Kokkos::subview(a, std::make_pair(0, 4)), rest = Kokkos::subview(a, std::make_pair(3, 7));
  auto const other = Kokkos::subview(b, std::make_pair(0, 4));
  using View       = ViewOf<TypeParam, TwoDoubles>;
  View const from(structs), into(other, rest), twice(first, rest), c("c", 4);
  expect_error({"the destination (\"b\")", "overlap in memory", "memory of its own"},
               [&] { copy<TypeParam, TwoDoubles>(into, from); });
  expect_error({"the arrays of members 0 and 1 of the destination (\"a\")", "overlap in memory", "memory of its own"},
               [&] { copy<TypeParam, TwoDoubles>(twice, c); });
}

TYPED_TEST(Structs, out_of_reach_are_refused) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    ViewOf<TypeParam, WholeParticle> const a("a", 3);
    StructView<WholeParticle, Kokkos::HostSpace> const h("h", 3);
    expect_error({"the source (\"h\")", "lies in Host", "cannot reach", "copy it to a View in"},
                 [&] { copy_structs<typename TypeParam::backend>(Exec(), a, h); });
  }
}

TYPED_TEST(Structs, no_view_of_a_member_whose_size_does_not_divide_the_structs) {
  using Space = typename TypeParam::exec::memory_space;
  ViewOf<TypeParam, Members<&Weighted::v, &Weighted::w>> const s(Kokkos::View<Weighted*, Space>("s", 3));
  expect_error({"Koalesce::StructView::member", "member 0 of (\"s\")", "12 bytes in structs of 16", "use get<...>(i)"},
               [&] { (void)s.template member<&Weighted::v>(); });
}

// ---- What tools see ----

/// What one call records, after a first one.
template <class P, class List>
std::unique_ptr<KernelRecorder> recorded(ViewOf<P, List> const& dst, ViewOf<P, List> const& src) {
  copy<P, List>(dst, src);
  typename P::exec().fence();
  auto record = std::make_unique<KernelRecorder>();
  copy<P, List>(dst, src);
  return record;
}

template <class P, class List, class S>
void expect_one_kernel() {
  ViewOf<P, List> const structs(Kokkos::View<S*, typename P::exec::memory_space>("structs", 1000)),
      arrays("arrays", 1000);
  auto const record = recorded<P, List>(arrays, structs);
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].name, std::string("Koalesce::") + P::backend::name + "::copy_structs");
  EXPECT_EQ(record->regions, Strings{"Koalesce::copy_structs"});
  EXPECT_EQ(record->fences, Strings());
  EXPECT_EQ(record->allocations, Strings());
}

TYPED_TEST(Structs, one_kernel_named_after_its_path) {
  expect_one_kernel<TypeParam, WholeParticle, Particle>();
  expect_one_kernel<TypeParam, ThreeFloats, ThreeOf<float>>();
}

TYPED_TEST(Structs, nothing_runs_where_there_are_none) {
  ViewOf<TypeParam, WholeParticle> const a, b("b", 0);
  auto const record = recorded<TypeParam, WholeParticle>(b, a);
  EXPECT_TRUE(record->kernels.empty());
  EXPECT_TRUE(record->fences.empty());
}

}  // namespace
}  // namespace Koalesce::Test
