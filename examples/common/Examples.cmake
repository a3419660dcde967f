# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What every example's CMakeLists.txt includes: dependencies, the library of the code that examples share, the volume
# that they read by default, and functions for demonstrations and tests.

list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/cmake")
include(KoalesceKeepProducts)

# Alone, an example needs an installed Koalesce; in Koalesce's own build the targets are there.
if(NOT TARGET Koalesce::koalesce)
  find_package(Koalesce REQUIRED)
endif()
if(NOT TARGET CLI11::CLI11)
  find_package(CLI11 REQUIRED)
endif()
if(NOT TARGET PNG::PNG)
  find_package(PNG REQUIRED)
endif()
if(NOT TARGET NIFTI::niftiio)
  find_package(NIFTI REQUIRED)
endif()

include(KoalesceMriVolume)

if(NOT TARGET koalesce_examples_common)
  file(GLOB koalesce_examples_common_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
  add_library(koalesce_examples_common STATIC ${koalesce_examples_common_sources})
  target_link_libraries(koalesce_examples_common PUBLIC Koalesce::koalesce CLI11::CLI11 PNG::PNG NIFTI::niftiio)
  if(TARGET koalesce_own)
    target_link_libraries(koalesce_examples_common PUBLIC koalesce_own)
  endif()
  if(Koalesce_MRI_VOLUME)
    target_compile_definitions(koalesce_examples_common PUBLIC "KOALESCE_MRI_DATA=\"${Koalesce_MRI_VOLUME}\"")
  endif()
endif()

# The program of all sources in this folder.
function(koalesce_add_example name)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE koalesce_examples_common)
endfunction()

# The target `demo` runs it with these arguments; results go to the top of the build folder. The programs print times, so
# none runs before all are built, and (as users of the terminal, of which there is one) none beside another.
function(koalesce_add_demo name)
  if(NOT TARGET demo_programs)
    add_custom_target(demo_programs)
  endif()
  if(NOT TARGET demo)
    add_custom_target(demo)
  endif()
  add_dependencies(demo_programs ${name})
  add_custom_target(demo_${name} COMMAND ${name} ${ARGN} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" USES_TERMINAL)
  add_dependencies(demo_${name} demo_programs)
  add_dependencies(demo demo_${name})
endfunction()

# Every error that the program is to report, by test_errors.sh; READS_VOLUME: of one that reads volumes, where there is one.
function(koalesce_add_error_test name)
  if(BUILD_TESTING AND (Koalesce_MRI_VOLUME OR NOT "READS_VOLUME" IN_LIST ARGN))
    add_test(NAME ${name}.errors
      COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/test_errors.sh" "$<TARGET_FILE:${name}>" ${Koalesce_MRI_VOLUME})
  endif()
endfunction()
