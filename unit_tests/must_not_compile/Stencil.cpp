// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Stencil.hpp>

#include <string>
#include <vector>

/// Calls of parallel_stencil that do not compile: one for each macro that CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

using Exec   = Kokkos::DefaultExecutionSpace;
using Shape  = Star<1, 1>;
using Around = Neighborhood<double, Shape>;
using Index  = std::int64_t;
using Field  = Kokkos::View<double**, Exec>;

/// Known weights in a functor.
struct BothWeighted {
  LinearStencil<double, Shape> weights;
  KOKKOS_FUNCTION double operator()(Around const& a, Around const& b, Index y, Index x) const {
    return weights(a) + weights(b, y, x);
  }
};

#if defined(MUST_NOT_COMPILE_weights_called_with_two_fields)
struct BothIgnored {
  LinearStencil<double, Shape> weights;
  KOKKOS_FUNCTION double operator()(Around const& a, Around const& b, Index y, Index x) const {
    return weights(a, b, y, x);
  }
};
#endif

/// It is copied as bytes, but not made without a value.
struct Weighted {
  double value;
  explicit KOKKOS_FUNCTION Weighted(double v) : value(v) {}
};
using WeightedField = Kokkos::View<Weighted**, Exec>;
struct TakeRight {
  KOKKOS_FUNCTION auto operator()(auto const& a, Index, Index) const { return a(0, 1); }
};

void run(auto const& in, auto const& out, auto const&... functors) {
  using Stages = std::conditional_t<sizeof...(functors) == 2, Staged<Shape, Shape>, Staged<Shape, Shape, Shape>>;
  using Shapes = std::conditional_t<sizeof...(functors) == 1, Shape, Stages>;
  parallel_stencil("must not compile", StencilPolicy<Exec, Shapes>({8, 8}), in, out, functors...);
}

/// Known weights, and a functor of their sum.
void sweep(auto const& in, auto const& out, auto const& weights, auto const& then) {
  parallel_stencil("must not compile", StencilPolicy<Exec, Shape>({8, 8}), in, out, weights, then);
}

void reduce(auto const& functor, auto&&... results) {
  parallel_stencil_reduce("must not compile", StencilPolicy<Exec, Shape>({8, 8}), Field("u", 12, 12), Field("v", 8, 8),
                          functor, results...);
}

/// The types of its references are deduced.
struct AddToAnything {
  KOKKOS_FUNCTION double operator()(auto const& a, Index, Index, auto& sum, auto&& more) const {
    return sum += more += a();
  }
};
/// One of its call operators takes a number by value.
struct AddOrTakeIndices {
  KOKKOS_FUNCTION double operator()(Around const& a, Index, Index, double& sum) const { return sum += a(); }
  KOKKOS_FUNCTION double operator()(Around const& a, Index, Index, Index) const { return a(); }
};
struct AddToGenericCopy {
  KOKKOS_FUNCTION double operator()(auto const& a, auto, auto, double sum) const { return sum += a(); }
};

void check() {
  Field const u("u", 12, 12), v("v", 8, 8);
  [[maybe_unused]] auto const first  = KOKKOS_LAMBDA(Around const& a, Index, Index) { return a(); };
  [[maybe_unused]] auto const second = KOKKOS_LAMBDA(Around const& a, double, Index, Index) { return a(); };
  [[maybe_unused]] auto const valued = KOKKOS_LAMBDA(Around const& a, double v, Index, Index) { return a() + v; };
  [[maybe_unused]] auto const adding = KOKKOS_LAMBDA(Around const& a, Index, Index, double& sum) { return sum += a(); };
  [[maybe_unused]] double sum        = 0;
  [[maybe_unused]] StencilPolicy<Exec, Shape> const policy({8, 8});
  [[maybe_unused]] auto const summed = KOKKOS_LAMBDA(double sum, double v, Index, Index) { return sum + v; };
#if defined(MUST_NOT_COMPILE_stencil)
  run(u, v, first);
  run(u, v, first, second);
  run(Field("u", 14, 14), v, first, second, second);
  run(
      u, v, KOKKOS_LAMBDA(Around a, int, int) { return int(a()); });
  run(
      u, v, KOKKOS_LAMBDA(Around const& a, Index, Index) { return values(a()); });
  run(u, v, LinearStencil<double, Shape>());
  run(fields(u, u), v, BothWeighted());
  run(u, v, LinearStencil<double, Shape>(), LinearStencil<double, Shape>());
  run(fields(u, at_point(v)), v, valued);
  sweep(fields(u, at_point(v)), v, LinearStencil<double, Shape>(), summed);
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet(1));
  fill_halo(Exec(), u, {8, 8}, Koalesce::Neumann(), Koalesce::sides(Koalesce::Dirichlet(1.f), Koalesce::Neumann(2)));
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet(KOKKOS_LAMBDA(Index y, Index x) { return double(x + y); }));
  fill_halo(Exec(), u, {8, 8}, Koalesce::Mirror(), Koalesce::Dirichlet(Kokkos::View<double const*, Exec>()));
  reduce(adding, sum);
  reduce(adding, Kokkos::View<double, Exec>("sum"));
  reduce(adding, Kokkos::Max<double>(sum));
  reduce(AddToAnything(), sum, Kokkos::View<double, Exec>("more"));
  reduce(AddOrTakeIndices(), sum);
#elif defined(MUST_NOT_COMPILE_blocks_of_too_few_dimensions)
  parallel_stencil("must not compile", StencilPolicy<Exec, Shape>({8, 8}).with_blocks(2), u, v, first);
#elif defined(MUST_NOT_COMPILE_blocks_with_boundaries)
  parallel_stencil("must not compile", StencilPolicy<Exec, Shape>({8, 8}).with_boundary(Periodic()).with_blocks(2),
                   Kokkos::View<double***, Exec>("u", 2, 8, 8), Kokkos::View<double***, Exec>("v", 2, 8, 8), first);
#elif defined(MUST_NOT_COMPILE_reduce_without_results)
  reduce(first);
#elif defined(MUST_NOT_COMPILE_reduce_into_a_constant)
  reduce(adding, std::as_const(sum));
#elif defined(MUST_NOT_COMPILE_reduce_into_an_array)
  reduce(adding, Kokkos::View<double*, Exec>("sums", 2));
#elif defined(MUST_NOT_COMPILE_reduce_without_reference)
  reduce(first, sum);
#elif defined(MUST_NOT_COMPILE_reduce_another_type)
  reduce(adding, Kokkos::View<float, Exec>("sum"));
#elif defined(MUST_NOT_COMPILE_reduce_by_value)
  reduce(
      KOKKOS_LAMBDA(Around const& a, Index, Index, double sum) { return sum += a(); }, sum);
#elif defined(MUST_NOT_COMPILE_reduce_by_value_of_another_type)
  reduce(
      KOKKOS_LAMBDA(Around const& a, Index, Index, float sum) { return sum += float(a()); }, sum);
#elif defined(MUST_NOT_COMPILE_reduce_by_const_reference)
  reduce(
      KOKKOS_LAMBDA(Around const& a, Index, Index, double const& sum) { return sum + a(); }, sum);
#elif defined(MUST_NOT_COMPILE_reduce_second_by_value)
  reduce(
      KOKKOS_LAMBDA(Around const& a, Index, Index, double& sum, int count) { return sum += a() * ++count; }, sum,
      Kokkos::View<int, Exec>("count"));
#elif defined(MUST_NOT_COMPILE_reduce_generic_by_value)
  reduce(AddToGenericCopy(), sum);
#elif defined(MUST_NOT_COMPILE_reduce_stage_by_value)
  parallel_stencil_reduce(
      "must not compile", StencilPolicy<Exec, Staged<Shape, Shape>>({8, 8}), u, v, first,
      KOKKOS_LAMBDA(Around const& a, double, Index, Index, double sum) { return sum += a(); }, sum);
#elif defined(MUST_NOT_COMPILE_reduce_sum_by_value)
  parallel_stencil_reduce(
      "must not compile", policy, u, v, LinearStencil<double, Shape>(),
      KOKKOS_LAMBDA(double a, Index, Index, double sum) { return sum += a; }, sum);
#elif defined(MUST_NOT_COMPILE_reduce_steps_by_value)
  Koalesce::parallel_stencil_steps_reduce(
      "must not compile", policy, u, u, 2,
      Koalesce::with_step(KOKKOS_LAMBDA(Index, Around const& a, Index, Index, double sum) { return sum += a(); }), sum);
#elif defined(MUST_NOT_COMPILE_weights_of_two_fields)
  run(fields(u, u), v, LinearStencil<double, Shape>());
#elif defined(MUST_NOT_COMPILE_value_as_neighborhood)
  run(fields(u, u), v, valued);
#elif defined(MUST_NOT_COMPILE_neighborhood_as_value)
  run(
      fields(u, at_point(v)), v, KOKKOS_LAMBDA(Around const& a, Around const& b, Index, Index) { return a() + b(); });
#elif defined(MUST_NOT_COMPILE_all_at_the_point)
  run(
      at_point(u), v, KOKKOS_LAMBDA(double a, Index, Index) { return a; });
#elif defined(MUST_NOT_COMPILE_own_shape_of_another_rank)
  run(around(Star<1>{}, u), v, first);
#elif defined(MUST_NOT_COMPILE_own_shape_is_not_the_policys)
  run(around(Box<1, 1>{}, u), v, first);
#elif defined(MUST_NOT_COMPILE_own_shape_is_none)
  run(around(1, u), v, first);
#elif defined(MUST_NOT_COMPILE_weights_and_values)
  run(fields(u, at_point(v)), v, LinearStencil<double, Shape>());
#elif defined(MUST_NOT_COMPILE_sum_of_two_fields)
  sweep(fields(u, u), v, LinearStencil<double, Shape>(), summed);
#elif defined(MUST_NOT_COMPILE_sum_without_values)
  sweep(u, v, LinearStencil<double, Shape>(), summed);
#elif defined(MUST_NOT_COMPILE_sum_in_another_shape)
  sweep(fields(u, at_point(v)), v, LinearStencil<double, Box<1, 1>>(), summed);
#elif defined(MUST_NOT_COMPILE_boundary_of_three)
  StencilPolicy<Exec, Shape>({8, 8}).with_boundary(Periodic(), Periodic(), Periodic());
#elif defined(MUST_NOT_COMPILE_boundary_of_no_condition)
  parallel_stencil("must not compile", StencilPolicy<Exec, Shape>({8, 8}).with_boundary(1.), u, v, first);
#elif defined(MUST_NOT_COMPILE_boundary_of_an_input_alone)
  run(around(Shape{}, u).with_boundary(Periodic()), v, first);
#elif defined(MUST_NOT_COMPILE_weights_at_a_half)
  LinearStencil<double, Shape>()(0.5, 0);
#elif defined(MUST_NOT_COMPILE_offset_of_a_half)
  run(
      u, v, KOKKOS_LAMBDA(Around const& a, Index, Index) { return a(0.5, 0); });
#elif defined(MUST_NOT_COMPILE_too_few_extents)
  StencilPolicy<Exec, Star<1, 1, 1>> const flat({8, 8});
#elif defined(MUST_NOT_COMPILE_too_few_extents_of_an_instance)
  StencilPolicy<Exec, Star<1, 1, 1>> const flat(Exec(), {8, 8});
#elif defined(MUST_NOT_COMPILE_weights_of_two_points)
  parallel_stencil("must not compile", StencilPolicy<Exec, Box<0, 0>>({8, 8}), fields(u, u), v,
                   LinearStencil<double, Box<0, 0>>());
#elif defined(MUST_NOT_COMPILE_first_weights_of_two_fields)
  run(fields(u, u), v, LinearStencil<double, Shape>(), LinearStencil<double, Shape>());
#elif defined(MUST_NOT_COMPILE_second_weights_of_two_fields)
  run(
      u, v, KOKKOS_LAMBDA(Around const& a, Index, Index) { return values(a(), a()); }, LinearStencil<double, Shape>());
#elif defined(MUST_NOT_COMPILE_weights_called_with_two_fields)
  run(fields(u, u), v, BothIgnored());
#elif defined(MUST_NOT_COMPILE_halo_of_two_conditions_for_three)
  fill_halo(Exec(), Kokkos::View<double***, Exec>("w", 4, 4, 4), {2, 2, 2}, Koalesce::Periodic(), Koalesce::Neumann());
#elif defined(MUST_NOT_COMPILE_halo_of_a_list)
  fill_halo(Exec(), FieldList(Exec(), std::vector<Field>(2, u)), {2, 8, 8}, Koalesce::Periodic());
#elif defined(MUST_NOT_COMPILE_halo_without_conditions)
  fill_halo(Exec(), u, {8, 8});
#elif defined(MUST_NOT_COMPILE_halo_of_a_number)
  fill_halo(Exec(), u, {8, 8}, 1.);
#elif defined(MUST_NOT_COMPILE_halo_side_of_sides)
  fill_halo(Exec(), u, {8, 8},
            Koalesce::sides(Koalesce::sides(Koalesce::Mirror(), Koalesce::Mirror()), Koalesce::Mirror()));
#elif defined(MUST_NOT_COMPILE_halo_of_a_text)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet(std::string("1")));
#elif defined(MUST_NOT_COMPILE_halo_of_another_functor)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet(KOKKOS_LAMBDA(Index x) { return double(x); }));
#elif defined(MUST_NOT_COMPILE_halo_side_of_another_functor)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Periodic(),
            Koalesce::sides(Koalesce::Neumann(KOKKOS_LAMBDA(Index, Index) { return "1"; }), Koalesce::Neumann()));
#elif defined(MUST_NOT_COMPILE_halo_functor_not_const)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet([n = 0](Index, Index) mutable { return double(++n); }));
#elif defined(MUST_NOT_COMPILE_halo_face_of_another_rank)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Dirichlet(u));
#elif defined(MUST_NOT_COMPILE_halo_face_of_another_type)
  fill_halo(Exec(), u, {8, 8}, Koalesce::Neumann(Kokkos::View<float*, Exec>("face", 8)));
#elif defined(MUST_NOT_COMPILE_halo_gradient_without_sums)
  struct Pair {
    int first, second;
  };
  fill_halo(Exec(), Kokkos::View<Pair*, Exec>("w", 4), {2}, Koalesce::Neumann(Pair{1, 2}));
#elif defined(MUST_NOT_COMPILE_halo_of_a_const_field)
  fill_halo(Exec(), Kokkos::View<double const**, Exec>(u), {8, 8}, Koalesce::Neumann());
#elif defined(MUST_NOT_COMPILE_halo_of_four_dimensions)
  fill_halo(Exec(), Kokkos::View<double****, Exec>("w", 8, 8, 8, 8), {6, 6, 6, 6}, Koalesce::Neumann());
#elif defined(MUST_NOT_COMPILE_reproducible_sum_of_integers)
  Koalesce::ReproducibleSum<int> integers;
  integers += 1;
  if (integers.value() != 1) Kokkos::abort("not compiled");
#elif defined(MUST_NOT_COMPILE_index_count)
  run(
      u, v, KOKKOS_LAMBDA(Around const& a, Index) { return a(); });
#elif defined(MUST_NOT_COMPILE_shape)
  run(
      u, v, KOKKOS_LAMBDA(Neighborhood<double, Box<1, 1>> const& a, Index, Index) { return a(); });
#elif defined(MUST_NOT_COMPILE_weights_of_another_shape)
  run(u, v, LinearStencil<double, Box<1, 1>>());
#elif defined(MUST_NOT_COMPILE_element_type)
  run(
      u, v, KOKKOS_LAMBDA(Neighborhood<float, Shape> const& a, Index, Index) { return a(); });
#elif defined(MUST_NOT_COMPILE_returns_void)
  run(u, v, KOKKOS_LAMBDA(Around const&, Index, Index){});
#elif defined(MUST_NOT_COMPILE_returns_one_of_two)
  run(u, fields(v, v), first);
#elif defined(MUST_NOT_COMPILE_not_a_view)
  run(u.data(), v, first);
#elif defined(MUST_NOT_COMPILE_field_of_another_rank)
  run(u, Kokkos::View<double*, Exec>("v", 8), first);
#elif defined(MUST_NOT_COMPILE_const_output)
  run(u, Kokkos::View<double const**, Exec>(v), first);
#elif defined(MUST_NOT_COMPILE_steps_without_scratch)
  Koalesce::parallel_stencil_steps("must not compile", StencilPolicy<Exec, Shape>({8, 8}), u, fields(), 2, first);
#elif defined(MUST_NOT_COMPILE_steps_with_scratch_for_levels)
  Koalesce::parallel_stencil_steps("must not compile", StencilPolicy<Exec, Shape>({8, 8}), Koalesce::time_levels(u, v),
                                   v, 2, second);
#elif defined(MUST_NOT_COMPILE_steps_of_other_levels)
  Koalesce::parallel_stencil_steps("must not compile", StencilPolicy<Exec, Shape>({8, 8}),
                                   Koalesce::time_levels(u, Kokkos::View<float**, Exec>("w", 8, 8)), fields(), 2,
                                   second);
#elif defined(MUST_NOT_COMPILE_staged_steps_of_levels)
  Koalesce::parallel_stencil_steps("must not compile", StencilPolicy<Exec, Staged<Shape, Shape>>({8, 8}),
                                   Koalesce::time_levels(u, v), fields(), 2, second, second);
#elif defined(MUST_NOT_COMPILE_steps_reduce_without_results)
  Koalesce::parallel_stencil_steps_reduce("must not compile", StencilPolicy<Exec, Shape>({8, 8}), u, v, 2, first,
                                          Koalesce::every(1, [](Index) {}));
#elif defined(MUST_NOT_COMPILE_steps_reduce_every_after_results)
  Koalesce::parallel_stencil_steps_reduce("must not compile", StencilPolicy<Exec, Shape>({8, 8}), u, v, 2, first, sum,
                                          Koalesce::every(1, [](Index) {}));
#elif defined(MUST_NOT_COMPILE_steps_reduce_functor_without_results)
  Koalesce::parallel_stencil_steps_reduce("must not compile", StencilPolicy<Exec, Shape>({8, 8}), u, v, 2, first, sum);
#elif defined(MUST_NOT_COMPILE_one_functor_for_two_stages)
  parallel_stencil("must not compile", StencilPolicy<Exec, Staged<Shape, Shape>>({8, 8}), u, v, first);
#elif defined(MUST_NOT_COMPILE_first_stage)
  run(
      u, v, KOKKOS_LAMBDA(Around const& a, Index) { return a(); }, second);
#elif defined(MUST_NOT_COMPILE_two_functors_for_three_stages)
  parallel_stencil("must not compile", StencilPolicy<Exec, Staged<Shape, Shape, Shape>>({8, 8}), u, v, first, second);
#elif defined(MUST_NOT_COMPILE_second_stage)
  run(u, v, first, first);
#elif defined(MUST_NOT_COMPILE_second_stage_of_three)
  run(u, v, first, first, second);
#elif defined(MUST_NOT_COMPILE_third_stage)
  run(u, v, first, second, first);
#elif defined(MUST_NOT_COMPILE_third_stage_of_two_values)
  run(
      u, v, first, KOKKOS_LAMBDA(Around const& a, double c, Index, Index) { return values(a(), c); }, second);
#elif defined(MUST_NOT_COMPILE_stage_between_returns_void)
  run(u, v, first, KOKKOS_LAMBDA(Around const&, double, Index, Index){}, second);
#elif defined(MUST_NOT_COMPILE_shape_of_four_dimensions)
  (void)Box<1, 1, 1, 1>::rank;
#elif defined(MUST_NOT_COMPILE_points_of_four_dimensions)
  (void)Offsets<At<0, 0, 0, 1>>::rank;
#elif defined(MUST_NOT_COMPILE_shape_of_radius_5)
  (void)Box<1, 5>::rank;
#elif defined(MUST_NOT_COMPILE_point_at_5)
  (void)Offsets<At<0, 0>, At<0, -5>>::rank;
#elif defined(MUST_NOT_COMPILE_no_points)
  (void)Offsets<>::rank;
#elif defined(MUST_NOT_COMPILE_points_of_two_ranks)
  (void)Offsets<At<0, 0>, At<1>>::rank;
#elif defined(MUST_NOT_COMPILE_stages_of_two_ranks)
  (void)Staged<Star<1, 1>, Star<1>>::rank;
#elif defined(MUST_NOT_COMPILE_stages_in_stages)
  (void)Staged<Staged<Shape, Shape>, Shape>::rank;
#elif defined(MUST_NOT_COMPILE_queue_of_elements_without_default)
  parallel_stencil("must not compile", policy.with_backend(Backend::Portable()), WeightedField(), WeightedField(),
                   TakeRight());
#elif defined(MUST_NOT_COMPILE_boundary_of_elements_without_default)
  parallel_stencil("must not compile", policy.with_boundary(Koalesce::Periodic()), WeightedField(), WeightedField(),
                   TakeRight());
#elif defined(MUST_NOT_COMPILE_halo_of_elements_without_default)
  fill_halo(Exec(), WeightedField(), {8, 8}, Koalesce::Neumann());
#elif defined(MUST_NOT_COMPILE_one_sided_symmetric)
  run(u, v, SymmetricStencil<double, Offsets<At<0, 0>, At<0, 1>>>());
#elif defined(MUST_NOT_COMPILE_active_of_another_layout)
  ActivePoints const points(policy, std::vector<IndexBox<2>>(), Kokkos::LayoutStride());
#elif defined(MUST_NOT_COMPILE_active_of_numbers)
  ActivePoints const points(policy, v);
#elif defined(MUST_NOT_COMPILE_active_of_another_rank)
  ActivePoints const points(policy, Kokkos::View<int*, Exec>("mask", 8));
#elif defined(MUST_NOT_COMPILE_active_blocks)
  ActivePoints const points(policy, Kokkos::View<int**, Exec>("mask", 8, 8));
  (void)policy.with_active(points).with_blocks(3);
#elif defined(MUST_NOT_COMPILE_blocks_active)
  ActivePoints const points(policy, Kokkos::View<int**, Exec>("mask", 8, 8));
  (void)policy.with_blocks(3).with_active(points);
#elif defined(MUST_NOT_COMPILE_steps_every_twice)
  Koalesce::parallel_stencil_steps("must not compile", policy, u, u, 2, first, Koalesce::every(1, [](Index) {}),
                                   Koalesce::every(1, [](Index) {}));
#elif defined(MUST_NOT_COMPILE_steps_of_two_functors)
  Koalesce::parallel_stencil_steps("must not compile", policy, u, u, 2, first, first);
#endif
}

}  // namespace Koalesce::Test
