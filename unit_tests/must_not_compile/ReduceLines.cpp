// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/ShadowView.hpp>

/// Calls of parallel_reduce_columns that do not compile: one for each macro that CMakeLists.txt defines. The first
/// compiles.
namespace Koalesce::Test {

using Exec   = Kokkos::DefaultExecutionSpace;
using Index  = std::int64_t;
using Vector = Kokkos::View<double*, Exec>;

struct Add {
  KOKKOS_FUNCTION void operator()(Index, Index, double value, double& sum) const { sum += value; }
};

struct AddToCopy {
  KOKKOS_FUNCTION void operator()(Index, Index, double value, double sum) const { sum += value; }
};

struct AddToOneCopy {
  KOKKOS_FUNCTION void operator()(auto, auto, double value, double& sum, double more) const { sum += more += value; }
};

struct AddToAnything {
  KOKKOS_FUNCTION void operator()(Index, Index, double value, auto& sum, auto&& more) const { sum += more += value; }
};

struct Mutable {
  KOKKOS_FUNCTION void operator()(Index, Index, double value, double& sum) { sum += value; }
};

struct Numbered {
  explicit Numbered(int n) : number(n) {}
  int number;
};

struct AddNumbers {
  KOKKOS_FUNCTION void operator()(Index, Index, Numbered const& value, double& sum) const { sum += value.number; }
};

template <class Functor, class... Results>
void reduce(Functor const& functor, Results const&... results) {
  parallel_reduce_columns("must not compile", Exec(), Kokkos::View<double**, Exec>("m", 4, 3), functor, results...);
}

void check() {
  [[maybe_unused]] Vector const sums("sums", 3), more("more", 3);
#if defined(MUST_NOT_COMPILE_reduce_lines)
  reduce(Add(), sums);
  reduce(Add(), per_line<Kokkos::Max<double>>(sums));
  reduce(AddToAnything(), sums, more);
#elif defined(MUST_NOT_COMPILE_reduce_two_with_one_update)
  reduce(Add(), sums, more);
#elif defined(MUST_NOT_COMPILE_reduce_lines_by_value)
  reduce(AddToCopy(), sums);
#elif defined(MUST_NOT_COMPILE_reduce_second_line_by_value)
  reduce(AddToOneCopy(), sums, more);
#elif defined(MUST_NOT_COMPILE_reduce_not_const)
  reduce(Mutable(), sums);
#elif defined(MUST_NOT_COMPILE_reduce_to_nothing)
  reduce(Add());
#elif defined(MUST_NOT_COMPILE_reduce_to_a_matrix)
  reduce(Add(), Kokkos::View<double**, Exec>("r", 3, 3));
#elif defined(MUST_NOT_COMPILE_reduce_a_vector)
  parallel_reduce_rows("must not compile", Exec(), sums, Add(), more);
#elif defined(MUST_NOT_COMPILE_reduce_to_another_type)
  reduce(Add(), per_line<Kokkos::Max<float>>(sums));
#elif defined(MUST_NOT_COMPILE_reduce_elements_of_no_default)
  Kokkos::View<Numbered**, Exec> const numbers(static_cast<Numbered*>(nullptr), 4, 3);
  parallel_reduce_columns("must not compile", Exec(), numbers, AddNumbers(), sums);
#endif
}

}  // namespace Koalesce::Test
