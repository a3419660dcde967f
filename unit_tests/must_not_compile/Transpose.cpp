// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Transpose.hpp>

/// Calls of transpose that do not compile: one for each macro that CompileTests.cmake defines. The first compiles.
namespace Koalesce::Test {

using Exec  = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class Data>
Kokkos::View<Data, Space> made() {
  if constexpr (Kokkos::View<Data, Space>::rank() == 1) return Kokkos::View<Data, Space>("made", 3);
  else return Kokkos::View<Data, Space>("made", 3, 3);
}

struct Copied {
  Copied() = default;
  Copied(Copied const& other) : value(other.value) {}
  Copied& operator=(Copied const& other) = default;
  int value                              = 0;
};

void check() {
  [[maybe_unused]] auto const a = made<double**>(), b = made<double**>();
#if defined(MUST_NOT_COMPILE_transpose)
  transpose(Exec(), a, b);
  transpose(Exec(), a, Kokkos::View<double const**, Space>(b), {1, 0});
  transpose(Exec(), a);
  copy_layout(Exec(), a, b);
#elif defined(MUST_NOT_COMPILE_transpose_of_a_pointer)
  transpose(Exec(), a, b.data());
#elif defined(MUST_NOT_COMPILE_transpose_of_another_rank)
  transpose(Exec(), a, made<double*>());
#elif defined(MUST_NOT_COMPILE_transpose_to_const)
  transpose(Exec(), Kokkos::View<double const**, Space>(a), b);
#elif defined(MUST_NOT_COMPILE_transpose_of_another_type)
  transpose(Exec(), a, made<float**>());
#elif defined(MUST_NOT_COMPILE_transpose_of_no_bytes)
  transpose(Exec(), made<Copied**>(), made<Copied**>());
#elif defined(MUST_NOT_COMPILE_copy_layout_of_another_type)
  copy_layout(Exec(), a, made<float**>());
#endif
}

}  // namespace Koalesce::Test
