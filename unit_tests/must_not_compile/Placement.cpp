// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Placement.hpp>

/// Uses of arrays on chip that do not compile: one for each macro that CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

using Exec = Kokkos::DefaultExecutionSpace;
using Team = Kokkos::TeamPolicy<Exec>::member_type;

template <int... Index>
struct Access {
  KOKKOS_FUNCTION void operator()(Team const&, auto& array) const { array(Index...) = 1; }
};

template <int Arrays>
struct AccessAll {
  KOKKOS_FUNCTION void operator()(Team const&, auto&... arrays) const
    requires(sizeof...(arrays) == Arrays)
  {
    ((arrays(0) = 1), ...);
  }
};

struct Mutable {
  KOKKOS_FUNCTION void operator()(Team const&, auto&) {}
};

struct AccessByValue {
  template <class Array>
  KOKKOS_FUNCTION void operator()(Team const&, Array array) const {
    array(0) = 1;
  }
};

template <class Places, class Array, class Kernel>
void place(Array const& array, Kernel const& kernel) {
  parallel_placed("must not compile", PlacementPolicy(Exec(), 1, 1), OnChip(array), Places(), kernel);
}

struct Copied {
  Copied() = default;
  KOKKOS_FUNCTION Copied(Copied const& other) : value(other.value) {}
  int value = 0;
};

struct alignas(32) Aligned {
  double values[4];
};

struct Ignore {
  KOKKOS_FUNCTION void operator()(Team const&, auto&...) const {}
};

void check() {
  using enum Place;
#if defined(MUST_NOT_COMPILE_nothing)
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), Access<0>());
  place<FixedPlacement<registers>>(ThreadArray<int[4]>("a"), Access<0, 0>());
  place<FixedPlacement<thread_memory>>(ThreadArray<int*>("a", 4), Access<0, 0>());
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), AccessAll<1>());
#elif defined(MUST_NOT_COMPILE_team_array_in_registers)
  place<FixedPlacement<registers>>(TeamArray<int[4]>("a"), Access<0>());
#elif defined(MUST_NOT_COMPILE_team_array_in_thread_memory)
  place<FixedPlacement<thread_memory>>(TeamArray<int[4]>("a"), Access<0>());
#elif defined(MUST_NOT_COMPILE_run_time_extents_in_registers)
  place<FixedPlacement<registers>>(ThreadArray<int*>("a", 4), Access<0, 0>());
#elif defined(MUST_NOT_COMPILE_large_array_in_registers)
  place<FixedPlacement<registers>>(ThreadArray<char[32769]>("a"), Access<0, 0>());
#elif defined(MUST_NOT_COMPILE_number_of_places)
  place<FixedPlacement<scratch, scratch>>(TeamArray<int[4]>("a"), Access<0>());
#elif defined(MUST_NOT_COMPILE_number_of_indices)
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), Access<0, 0>());
#elif defined(MUST_NOT_COMPILE_no_thread_index)
  place<FixedPlacement<registers>>(ThreadArray<int[4]>("a"), Access<0>());
#elif defined(MUST_NOT_COMPILE_array_by_value)
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), AccessByValue());
#elif defined(MUST_NOT_COMPILE_one_array_too_many)
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), AccessAll<2>());
#elif defined(MUST_NOT_COMPILE_kernel_not_const)
  place<FixedPlacement<scratch>>(TeamArray<int[4]>("a"), Mutable());
#elif defined(MUST_NOT_COMPILE_chosen_array_too_many)
  parallel_placed("must not compile", PlacementPolicy(Exec(), 1, 1), OnChip(TeamArray<int[4]>("a")), AccessAll<2>());
#elif defined(MUST_NOT_COMPILE_tuned_array_too_many)
  (void)tune_placement("must not compile", PlacementPolicy(Exec(), 1, 1), OnChip(TeamArray<int[4]>("a")),
                       AccessAll<2>());
#elif defined(MUST_NOT_COMPILE_counted_array_too_many)
  (void)count_accesses("must not compile", PlacementPolicy(Exec(), 1, 1), OnChip(TeamArray<int[4]>("a")),
                       AccessAll<2>());
#elif defined(MUST_NOT_COMPILE_const_elements)
  TeamArray<int const[4]>("a").shape();
#elif defined(MUST_NOT_COMPILE_five_extents)
  TeamArray<int** [2][2][2]>("a", 2, 2).shape();
#elif defined(MUST_NOT_COMPILE_elements_of_no_bytes)
  TeamArray<Copied[4]>("a").shape();
#elif defined(MUST_NOT_COMPILE_aligned_elements)
  TeamArray<Aligned[4]>("a").shape();
#elif defined(MUST_NOT_COMPILE_nine_arrays)
  using Own = ThreadArray<int>;
  OnChip const arrays(Own("a"), Own("b"), Own("c"), Own("d"), Own("e"), Own("f"), Own("g"), Own("h"), Own("i"));
  parallel_placed("must not compile", PlacementPolicy(Exec(), 1, 1), arrays,
                  FixedPlacement<scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch>(),
                  Ignore());
#endif
}

}  // namespace Koalesce::Test
