# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every public header compiles alone, and twice.
file(GLOB koalesce_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/core/include"
     "${PROJECT_SOURCE_DIR}/core/include/Koalesce/*.hpp")
# Those that need MPI are compiled with its tests.
list(REMOVE_ITEM koalesce_headers Koalesce/Distributed.hpp Koalesce/Checkpoint.hpp)
add_library(koalesce_self_contained_headers OBJECT)
target_link_libraries(koalesce_self_contained_headers PRIVATE koalesce_own)
# Only whether it compiles matters.
target_compile_options(koalesce_self_contained_headers PRIVATE -O0)
# Users may have this warning, where Koalesce's headers are no system headers.
if(NOT koalesce_has_cuda)
  target_compile_options(koalesce_self_contained_headers PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-Werror=shadow>)
endif()
foreach(header IN LISTS koalesce_headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  file(CONFIGURE OUTPUT "headers/${name}.cpp"
       CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
  target_sources(koalesce_self_contained_headers PRIVATE
    "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
endforeach()

# What they include compiles alone as well: after Kokkos, which is parsed once for all of them where the compiler can.
set(koalesce_inner_folders core/include backends/portable/include backends/openmp/include)
if(koalesce_has_cuda)
  list(APPEND koalesce_inner_folders backends/cuda/include)
endif()
add_library(koalesce_self_contained_inner_headers OBJECT)
target_link_libraries(koalesce_self_contained_inner_headers PRIVATE koalesce_own)
target_compile_options(koalesce_self_contained_inner_headers PRIVATE -O0)
if(NOT koalesce_has_cuda AND NOT koalesce_has_hip)
  target_precompile_headers(koalesce_self_contained_inner_headers PRIVATE <Kokkos_Core.hpp>)
endif()
foreach(folder IN LISTS koalesce_inner_folders)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${folder}"
       "${PROJECT_SOURCE_DIR}/${folder}/Koalesce/*/*.hpp")
  list(FILTER headers EXCLUDE REGEX "/distributed/")
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER "${header}" name)
    file(CONFIGURE OUTPUT "headers/${name}.cpp"
         CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
    target_sources(koalesce_self_contained_inner_headers PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  endforeach()
endforeach()

# Who includes whom: the layers of CONTRIBUTING.md.
add_test(NAME headers_layers COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/headers/layers.cmake")

# Whichever headers of Koalesce a file includes, it sees what the backends specialize.
add_test(NAME headers_complete COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/headers/complete.cmake")

# What must not compile: each test builds one use, and passes if the compiler gives Koalesce's reason.
function(koalesce_add_must_not_compile_test source name)
  set(target koalesce_must_not_compile_${name})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL must_not_compile/${source}.cpp)
  target_link_libraries(${target} PRIVATE koalesce_own)
  target_compile_definitions(${target} PRIVATE MUST_NOT_COMPILE_${name})
  target_compile_options(${target} PRIVATE -O0)
  if(NOT koalesce_has_cuda AND NOT koalesce_has_hip)
    target_precompile_headers(${target} REUSE_FROM koalesce_self_contained_inner_headers)
  endif()
  add_test(NAME must_not_compile.${name}
    COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target ${target} --config $<CONFIG>)
  # Two builds in one folder at a time get in each other's way.
  set_tests_properties(must_not_compile.${name} PROPERTIES TIMEOUT 300 RESOURCE_LOCK koalesce_build_folder)
  if(ARGN)
    set_tests_properties(must_not_compile.${name} PROPERTIES PASS_REGULAR_EXPRESSION "error: [^\n]*${ARGN}")
  endif()
endfunction()

koalesce_add_must_not_compile_test(Placement nothing)  # this one compiles
koalesce_add_must_not_compile_test(Placement team_array_in_registers "Koalesce: a TeamArray cannot lie in registers")
koalesce_add_must_not_compile_test(Placement team_array_in_thread_memory "Koalesce: a TeamArray cannot lie in thread memory")
koalesce_add_must_not_compile_test(Placement run_time_extents_in_registers "Koalesce: a ThreadArray with extents known at run time")
koalesce_add_must_not_compile_test(Placement number_of_places "Koalesce::parallel_placed: a FixedPlacement must have one place")
koalesce_add_must_not_compile_test(Placement number_of_indices "Koalesce: an array on chip takes one index per extent")
koalesce_add_must_not_compile_test(Placement no_thread_index "Koalesce: an array on chip takes one index per extent")
koalesce_add_must_not_compile_test(Placement array_by_value "deleted")
koalesce_add_must_not_compile_test(Placement const_elements "Koalesce: an array on chip is written by its kernel")
koalesce_add_must_not_compile_test(Placement five_extents "Koalesce: an array on chip can have at most 4 extents")

koalesce_add_must_not_compile_test(Structs structs)  # this one compiles
koalesce_add_must_not_compile_test(Structs one_member "Koalesce: Members takes 2 to 16 members")
koalesce_add_must_not_compile_test(Structs members_of_two_structs "Koalesce: Members takes members of one struct")
koalesce_add_must_not_compile_test(Structs member_twice "Koalesce: Members takes every member once")
koalesce_add_must_not_compile_test(Structs no_standard_layout "Koalesce: members are moved as bytes")
koalesce_add_must_not_compile_test(Structs member_of_two_dimensions "Koalesce: an array that is a member must have one")
koalesce_add_must_not_compile_test(Structs member_function "Koalesce: Members takes pointers to data members")
koalesce_add_must_not_compile_test(Structs member_not_listed "Koalesce::StructView: this member is not in the list")
koalesce_add_must_not_compile_test(Structs array_of_another_type "Koalesce::StructView: give one contiguous View per member")
koalesce_add_must_not_compile_test(Structs copy_of_other_members "Koalesce::copy_structs: source and destination must have")
koalesce_add_must_not_compile_test(Structs copy_of_no_structs "Koalesce::copy_structs: the arguments must be")

koalesce_add_must_not_compile_test(Stencil stencil)  # this one compiles
set(koalesce_functor "Koalesce::parallel_stencil: the functor must be const and take one Neighborhood")
foreach(name IN ITEMS index_count shape weights_of_another_shape element_type)
  koalesce_add_must_not_compile_test(Stencil ${name} "${koalesce_functor}")
endforeach()
koalesce_add_must_not_compile_test(Stencil returns_void "Koalesce::parallel_stencil: the functor must return the value")
koalesce_add_must_not_compile_test(Stencil returns_one_of_two "Koalesce::parallel_stencil: the functor must return one value per")
foreach(name IN ITEMS weights_of_two_fields weights_of_two_points first_weights_of_two_fields second_weights_of_two_fields)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: a LinearStencil reads one field")
endforeach()
foreach(name IN ITEMS value_as_neighborhood neighborhood_as_value)
  koalesce_add_must_not_compile_test(Stencil ${name} "${koalesce_functor}")
endforeach()
koalesce_add_must_not_compile_test(Stencil all_at_the_point "Koalesce::parallel_stencil: every input is read at the point")
foreach(name IN ITEMS own_shape_of_another_rank own_shape_is_none)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: around.. takes a Box, a Star or")
endforeach()
foreach(name IN ITEMS weights_and_values sum_of_two_fields)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: a LinearStencil reads one field")
endforeach()
koalesce_add_must_not_compile_test(Stencil sum_without_values "Koalesce::parallel_stencil: the functor after a LinearStencil")
koalesce_add_must_not_compile_test(Stencil sum_in_another_shape "Koalesce::parallel_stencil: the LinearStencil must have the")
koalesce_add_must_not_compile_test(Stencil blocks_of_too_few_dimensions "Koalesce::parallel_stencil: every field must have as")
koalesce_add_must_not_compile_test(Stencil blocks_with_boundaries "Koalesce::parallel_stencil: with many blocks give each its")
koalesce_add_must_not_compile_test(Stencil reduce_without_results "Koalesce::parallel_stencil_reduce: give the functors, then at")
foreach(name IN ITEMS reduce_into_a_constant reduce_into_an_array)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil_reduce: a result must be a variable")
endforeach()
foreach(name IN ITEMS reduce_without_reference reduce_another_type)
  koalesce_add_must_not_compile_test(Stencil ${name} "${koalesce_functor}")
endforeach()
koalesce_add_must_not_compile_test(Stencil reproducible_sum_of_integers "Koalesce::ReproducibleSum: the type must be float or double")
koalesce_add_must_not_compile_test(Stencil boundary_of_three "Koalesce::with_boundary: give one condition for all dim")
koalesce_add_must_not_compile_test(Stencil boundary_of_no_condition "Koalesce: a boundary's condition is Periodic")
koalesce_add_must_not_compile_test(Stencil boundary_of_an_input_alone "Koalesce::parallel_stencil: an input has a boundary, but")
koalesce_add_must_not_compile_test(Stencil weights_at_a_half "(no match for call|no matching function)")
koalesce_add_must_not_compile_test(Stencil offset_of_a_half "Koalesce::Neighborhood: give one offset per dimension, of an integer")
foreach(name IN ITEMS too_few_extents too_few_extents_of_an_instance)
  koalesce_add_must_not_compile_test(Stencil ${name} "deleted")
endforeach()
koalesce_add_must_not_compile_test(Stencil weights_called_with_two_fields "(no match for call|no matching function)")
foreach(name IN ITEMS steps_without_scratch steps_with_scratch_for_levels)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil_steps: the scratch must be one View for")
endforeach()
koalesce_add_must_not_compile_test(Stencil steps_of_other_levels "Koalesce::parallel_stencil_steps: both Views of time_levels")
koalesce_add_must_not_compile_test(Stencil staged_steps_of_levels "Koalesce::parallel_stencil_steps: time_levels.. are stepped in")
foreach(name IN ITEMS halo_of_two_conditions_for_three halo_without_conditions)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce: give one condition for all dimensions")
endforeach()
foreach(name IN ITEMS halo_of_a_number halo_side_of_sides)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce: a boundary's condition is")
endforeach()
foreach(name IN ITEMS halo_of_a_text halo_of_another_functor halo_side_of_another_functor halo_functor_not_const)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce: Dirichlet and Neumann take a value")
endforeach()
foreach(name IN ITEMS halo_face_of_another_rank halo_face_of_another_type)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce: a View of a face must have one dimension less")
endforeach()
koalesce_add_must_not_compile_test(Stencil halo_gradient_without_sums "Koalesce: Neumann with a gradient needs elements")
koalesce_add_must_not_compile_test(Stencil halo_of_a_const_field "Koalesce::fill_halo: the field is const")
koalesce_add_must_not_compile_test(Stencil not_a_view "Koalesce::parallel_stencil: inputs and outputs must be Kokkos Views")
koalesce_add_must_not_compile_test(Stencil field_of_another_rank "Koalesce::parallel_stencil: every field must have as many dim")
koalesce_add_must_not_compile_test(Stencil const_output "Koalesce::parallel_stencil: an output field is const")
foreach(name IN ITEMS one_functor_for_two_stages two_functors_for_three_stages)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: a Staged shape needs one functor per stage")
endforeach()
koalesce_add_must_not_compile_test(Stencil first_stage "Koalesce::parallel_stencil: the first functor must be const and take")
foreach(name IN ITEMS second_stage second_stage_of_three)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: the second functor must be const and take")
endforeach()
foreach(name IN ITEMS third_stage third_stage_of_two_values)
  koalesce_add_must_not_compile_test(Stencil ${name} "Koalesce::parallel_stencil: the third functor, as any later one, must be const")
endforeach()
koalesce_add_must_not_compile_test(Stencil stage_between_returns_void "Koalesce::parallel_stencil: a functor before the last one must")

koalesce_add_must_not_compile_test(Regroup regroup)  # this one compiles
foreach(name IN ITEMS work_tag launch_bounds schedule occupancy reduced_work_tag team_policy number_of_items
        reduced_number_of_items)
  koalesce_add_must_not_compile_test(Regroup regroup_${name} "Koalesce::parallel_regroup: the policy must be a RegroupPolicy, a number")
endforeach()
foreach(name IN ITEMS predictor reduced_predictor)
  koalesce_add_must_not_compile_test(Regroup regroup_${name} "Koalesce::parallel_regroup: the predictor must return the path of an item")
endforeach()
koalesce_add_must_not_compile_test(Regroup regroup_payload_twice "Koalesce::RegroupPolicy: with_payload.. names all Views of the payload in one")
koalesce_add_must_not_compile_test(Regroup regroup_key "Koalesce::RegroupPolicy::with_order: a key must be a float, a double, or an")
koalesce_add_must_not_compile_test(Regroup regroup_until_key "Koalesce::parallel_regroup_until: the policy must have no payload")
koalesce_add_must_not_compile_test(Regroup regroup_until_two_functors "Koalesce::parallel_regroup_until: give one functor, step.i., or three")
koalesce_add_must_not_compile_test(Regroup regroup_until_step "Koalesce::parallel_regroup_until: step.i. must return a bool")
koalesce_add_must_not_compile_test(Regroup regroup_team_predictor "Koalesce::team_regroup: the predictor must return the path of an item")
koalesce_add_must_not_compile_test(Read read)  # this one compiles
foreach(name IN ITEMS work_tag launch_bounds schedule property team_policy mdrange_policy)
  koalesce_add_must_not_compile_test(Read ${name} "Koalesce::parallel_read: the policy must be a Kokkos::RangePolicy of")
endforeach()
foreach(name IN ITEMS map_of_two map_of_no_index)
  koalesce_add_must_not_compile_test(Read ${name} "Koalesce::parallel_read: the index map must be const and callable as")
endforeach()
foreach(name IN ITEMS not_callable not_const nothing_to_reduce_into)
  koalesce_add_must_not_compile_test(Read ${name} "Koalesce::parallel_read: the consumer must be const and callable as")
endforeach()
koalesce_add_must_not_compile_test(Read reduces_nothing "Koalesce::parallel_read_reduce: the consumer must be const and call")

koalesce_add_must_not_compile_test(ReduceLines reduce_lines)  # this one compiles
foreach(name IN ITEMS reduce_two_with_one_update reduce_not_const)
  koalesce_add_must_not_compile_test(ReduceLines ${name}
    "Koalesce::parallel_reduce_columns, parallel_reduce_rows: the functor must be const and")
endforeach()
foreach(name IN ITEMS reduce_to_nothing reduce_to_a_matrix)
  koalesce_add_must_not_compile_test(ReduceLines ${name}
    "Koalesce::parallel_reduce_columns, parallel_reduce_rows: give one or more results")
endforeach()
koalesce_add_must_not_compile_test(ReduceLines reduce_a_vector
  "Koalesce::parallel_reduce_columns, parallel_reduce_rows: the matrix must be")
koalesce_add_must_not_compile_test(ReduceLines reduce_to_another_type "Koalesce::per_line: the View's elements must be of")

# A static Kokkos would be three times in the program below, if it could be linked to a shared library at all.
if(TARGET Kokkos::kokkoscore)
  get_target_property(koalesce_kokkos_type Kokkos::kokkoscore TYPE)
  if(koalesce_kokkos_type STREQUAL "STATIC_LIBRARY")
    return()
  endif()
endif()

# One program, two shared libraries with Koalesce in them; the second keeps its own copy of everything.
foreach(number IN ITEMS first second)
  add_library(koalesce_${number}_library SHARED two_libraries/Library.cpp)
  target_link_libraries(koalesce_${number}_library PRIVATE koalesce_own)
  target_include_directories(koalesce_${number}_library PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
    "$<TARGET_PROPERTY:GTest::gtest,INTERFACE_INCLUDE_DIRECTORIES>")
  target_compile_definitions(koalesce_${number}_library PRIVATE
    KOALESCE_TEST_LIBRARY_FUNCTION=koalesce_${number}_library)
endforeach()
set_target_properties(koalesce_second_library PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
add_executable(koalesce_two_libraries main.cpp two_libraries/TestTwoLibraries.cpp)
target_link_libraries(koalesce_two_libraries PRIVATE koalesce_provenance koalesce_own GTest::gtest koalesce_first_library
  koalesce_second_library)
target_include_directories(koalesce_two_libraries PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
# The libraries take GoogleTest from the program.
set_target_properties(koalesce_two_libraries PROPERTIES ENABLE_EXPORTS ON)
add_test(NAME two_libraries COMMAND koalesce_two_libraries)
set_tests_properties(two_libraries PROPERTIES TIMEOUT 300 ENVIRONMENT "OMP_PROC_BIND=false")
