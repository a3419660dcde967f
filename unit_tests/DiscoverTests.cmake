# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Read by ctest, with `executable`, `label` and `by_suite`: one test for each that the executable lists, or for each
# suite. CMake's own gtest_discover_tests makes unreadable names of typed tests whose types have names.

set(prefix "")
if(NOT label STREQUAL unit)
  set(prefix "${label}.")
endif()
if(NOT EXISTS "${executable}")
  add_test("${prefix}koalesce_tests_NOT_BUILT" koalesce_tests_NOT_BUILT)
  return()
endif()
execute_process(COMMAND "${executable}" --gtest_list_tests
                OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  add_test("${prefix}koalesce_tests_CANNOT_LIST" "${executable}" --gtest_list_tests)
  return()
endif()
string(REGEX REPLACE " +#[^\n]*" "" lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")
# What compares times runs alone, and what takes the machine's memory.
set(alone "^(PlacementTuned|StencilLarge|TransposeLarge)[/.]")
set(timeout 300)
if(label STREQUAL large)
  set(timeout 600)
endif()
# Teams of several threads need as many, whatever the machine has, and so do planes of fewer rows than threads.
foreach(several IN ITEMS PortableTeams StencilTeams StencilWaves Placing PlacingAnywhere PathOrder RegroupedTeam ReduceLines
        LongRuns LaunchFailures)
  set(threads_${several} 4)
endforeach()
set(threads_AccessCounts 3)
set(threads_HalfWarpTileOfThreads 20)

# \param filter of GoogleTest, \param suite as GoogleTest lists it
function(koalesce_add_unit_test name filter suite)
  set(name "${prefix}${name}")
  add_test("${name}" "${executable}" "--gtest_filter=${filter}" --gtest_brief=1)
  set(environment "OMP_PROC_BIND=false")
  string(REGEX REPLACE "[/.].*$" "" threads "threads_${suite}")
  if(DEFINED ${threads})
    list(APPEND environment "OMP_NUM_THREADS=${${threads}}")
  endif()
  if(suite MATCHES "${alone}")
    set_tests_properties("${name}" PROPERTIES RUN_SERIAL ON)
  endif()
  set_tests_properties("${name}" PROPERTIES LABELS "${label}" TIMEOUT ${timeout} ENVIRONMENT "${environment}")
endfunction()

foreach(line IN LISTS lines)
  if(line MATCHES "^  (.+)$")
    set(name "${suite}${CMAKE_MATCH_1}")
    if(NOT by_suite AND NOT name MATCHES "(^|[./])DISABLED_")
      koalesce_add_unit_test("${name}" "${name}" "${suite}")
      set_tests_properties("${prefix}${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    endif()
  elseif(line MATCHES "^([^ ]+)\\.$")
    set(suite "${CMAKE_MATCH_1}.")
    if(by_suite)
      koalesce_add_unit_test("${CMAKE_MATCH_1}" "${suite}*-*.large_*" "${suite}")
    endif()
  endif()
endforeach()
