// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Transpose.hpp>

/// Uses of StructView that do not compile: one for each macro that CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

struct Particle {
  double x;
  int id;
  float weight;
};

struct Other {
  double y;
};

struct Polymorphic {
  virtual double of() const { return x; }
  double x, y;
};

struct Matrix {
  double a[3][3];
  int id;
};

struct Constructed {
  explicit Constructed(double a) : x(a), y(a) {}
  double x, y;
};

struct Fixed {
  double x, y;
  int const id = 3;
};

using Exec  = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <auto... Pointers>
StructView<Members<Pointers...>> made() {
  return StructView<Members<Pointers...>>("made", 3);
}

void check() {
#if defined(MUST_NOT_COMPILE_structs)
  auto const a = made<&Particle::x, &Particle::id>(), b = made<&Particle::x, &Particle::id>();
  copy_structs(Exec(), a, b);
#elif defined(MUST_NOT_COMPILE_one_member)
  (void)made<&Particle::x>();
#elif defined(MUST_NOT_COMPILE_members_of_two_structs)
  (void)made<&Particle::x, &Other::y>();
#elif defined(MUST_NOT_COMPILE_member_twice)
  (void)made<&Particle::x, &Particle::id, &Particle::x>();
#elif defined(MUST_NOT_COMPILE_no_standard_layout)
  (void)made<&Polymorphic::x, &Polymorphic::y>();
#elif defined(MUST_NOT_COMPILE_member_of_two_dimensions)
  (void)made<&Matrix::a, &Matrix::id>();
#elif defined(MUST_NOT_COMPILE_member_function)
  (void)made<&Polymorphic::x, &Polymorphic::of>();
#elif defined(MUST_NOT_COMPILE_member_not_listed)
  (void)made<&Particle::x, &Particle::id>().member<&Particle::weight>();
#elif defined(MUST_NOT_COMPILE_array_of_another_type)
  Kokkos::View<float*, Space> const x("x", 3), id("id", 3);
  (void)StructView<Members<&Particle::x, &Particle::id>>(x, id);
#elif defined(MUST_NOT_COMPILE_copy_of_other_members)
  copy_structs(Exec(), made<&Particle::x, &Particle::id>(), made<&Particle::id, &Particle::x>());
#elif defined(MUST_NOT_COMPILE_copy_of_no_structs)
  copy_structs(Exec(), made<&Particle::x, &Particle::id>(), Kokkos::View<Particle*>("structs", 3));
#elif defined(MUST_NOT_COMPILE_list_of_no_members)
  (void)StructView<Particle>("made", 3);
#elif defined(MUST_NOT_COMPILE_no_default_constructor)
  (void)made<&Constructed::x, &Constructed::y>();
#elif defined(MUST_NOT_COMPILE_const_member)
  (void)made<&Fixed::x, &Fixed::id>();
#elif defined(MUST_NOT_COMPILE_member_of_no_number)
  (void)made<&Particle::x, &Particle::id>().member<2>();
#endif
}

}  // namespace Koalesce::Test
