// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/ShadowView.hpp>

/// Calls of parallel_read that do not compile: one for each macro that CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

using Exec  = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;
struct Tag {};

struct Ignore {
  KOKKOS_FUNCTION void operator()(Index, double) const {}
};

struct IgnoreAnything {
  KOKKOS_FUNCTION void operator()(auto const&...) const {}
};

struct Add {
  KOKKOS_FUNCTION void operator()(Index, double const& value, double& sum) const { sum += value; }
};

template <class... Indices>
struct AddToCopy {
  KOKKOS_FUNCTION void operator()(Indices..., double const& value, double sum) const { sum += value; }
};

struct AddToAnything {
  KOKKOS_FUNCTION void operator()(Index, double const& value, auto&& sum) const { sum += value; }
};

struct Mutable {
  KOKKOS_FUNCTION void operator()(Index, double) {}
};

struct Copied {
  Copied() = default;
  KOKKOS_FUNCTION Copied(Copied const& other) : value(other.value) {}
  int value = 0;
};

struct Numbered {
  explicit Numbered(int n) : number(n) {}
  int number;
};

template <class Policy, class Map = RowOrder, class Consumer = Ignore>
void read(Policy const& policy, Map const& map = {}, Consumer const& consumer = {}) {
  parallel_read("must not compile", policy, ShadowView(Kokkos::View<double**, Exec>("m", 4, 3)), map, consumer);
}

template <class Consumer>
void reduce(Consumer const& consumer) {
  double sum = 0;
  parallel_read_reduce("must not compile", Exec(), ShadowView(Kokkos::View<double**, Exec>("m", 4, 3)), RowOrder(),
                       consumer, sum);
}

void check() {
  [[maybe_unused]] Kokkos::RangePolicy<Exec> const items(0, 12);
  [[maybe_unused]] auto const no_index = KOKKOS_LAMBDA(Index) { return "first"; };
  [[maybe_unused]] auto const two      = KOKKOS_LAMBDA(Index, Index) { return Index(0); };
#if defined(MUST_NOT_COMPILE_read)
  read(items);
  read(Kokkos::RangePolicy<Exec, int>(0, 12));
  read(Kokkos::RangePolicy<Kokkos::IndexType<Index>>(0, 12), RowOrder(), IgnoreAnything());
  read(Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>>(0, 12));
  reduce(Add());
  reduce(AddToAnything());
#elif defined(MUST_NOT_COMPILE_work_tag)
  read(Kokkos::RangePolicy<Exec, Tag>(0, 12));
#elif defined(MUST_NOT_COMPILE_launch_bounds)
  read(Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<128, 2>>(0, 12));
#elif defined(MUST_NOT_COMPILE_schedule)
  read(Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(0, 12));
#elif defined(MUST_NOT_COMPILE_property)
  read(Kokkos::Experimental::require(items, Kokkos::Experimental::WorkItemProperty::HintLightWeight));
#elif defined(MUST_NOT_COMPILE_team_policy)
  read(Kokkos::TeamPolicy<Exec>(4, 1));
#elif defined(MUST_NOT_COMPILE_mdrange_policy)
  read(Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {4, 3}));
#elif defined(MUST_NOT_COMPILE_map_of_two)
  read(items, two);
#elif defined(MUST_NOT_COMPILE_map_of_no_index)
  read(items, no_index);
#elif defined(MUST_NOT_COMPILE_not_callable)
  read(items, RowOrder(), 5);
#elif defined(MUST_NOT_COMPILE_not_const)
  read(items, RowOrder(), Mutable());
#elif defined(MUST_NOT_COMPILE_nothing_to_reduce_into)
  read(items, RowOrder(), Add());
#elif defined(MUST_NOT_COMPILE_reduces_nothing)
  reduce(Ignore());
#elif defined(MUST_NOT_COMPILE_reduces_by_value)
  reduce(AddToCopy<Index>());
#elif defined(MUST_NOT_COMPILE_reduces_by_value_with_indices)
  reduce(AddToCopy<Index, Index>());
#elif defined(MUST_NOT_COMPILE_shadow_of_a_pointer)
  double numbers[12];
  ShadowView<double*> const a(numbers);
#elif defined(MUST_NOT_COMPILE_shadow_of_a_line)
  ShadowView const a(Kokkos::View<double*, Exec>("line", 4));
#elif defined(MUST_NOT_COMPILE_shadow_of_no_bytes)
  ShadowView const a(Kokkos::View<Copied**, Exec>("m", 4, 3));
#elif defined(MUST_NOT_COMPILE_invalidates_a_half)
  ShadowView(Kokkos::View<double**, Exec>("m", 4, 3)).invalidate(0.5, Kokkos::ALL);
#elif defined(MUST_NOT_COMPILE_tile_of_no_default)
  (void)HalfWarpTile<Numbered>::recommended_team_size();
#endif
}

}  // namespace Koalesce::Test
