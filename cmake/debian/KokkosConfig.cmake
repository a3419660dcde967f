# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stands in a Debian prefix in place of the package's own KokkosConfig.cmake, which names /usr.
# Whatever version the package has, and whatever it was built with, is read off its files.

get_filename_component(_koalesce_debian_prefix "${CMAKE_CURRENT_LIST_DIR}/../../../../.." REALPATH)
include("${CMAKE_CURRENT_LIST_DIR}/KoalesceDebianRuntime.cmake")

file(GLOB_RECURSE _kokkos_config_h "${_koalesce_debian_prefix}/usr/include/KokkosCore_config.h")
file(GLOB _kokkos_libraries "${_koalesce_debian_prefix}/usr/lib/*/libkokkos*.so")
if(NOT _kokkos_config_h OR NOT _kokkos_libraries)
  set(Kokkos_FOUND FALSE)
  set(Kokkos_NOT_FOUND_MESSAGE
    "${_koalesce_debian_prefix} holds no KokkosCore_config.h or no libkokkos*.so")
  return()
endif()

set(Kokkos_DEVICES "")
foreach(_kokkos_device IN ITEMS SERIAL OPENMP THREADS HPX)
  file(STRINGS "${_kokkos_config_h}" _kokkos_line
       REGEX "^#define KOKKOS_ENABLE_${_kokkos_device}$")
  if(_kokkos_line)
    list(APPEND Kokkos_DEVICES ${_kokkos_device})
  endif()
endforeach()

if(NOT TARGET Kokkos::kokkos)
  get_filename_component(_kokkos_include "${_kokkos_config_h}" DIRECTORY)
  add_library(Kokkos::kokkos INTERFACE IMPORTED)
  target_include_directories(Kokkos::kokkos INTERFACE "${_kokkos_include}")
  target_compile_features(Kokkos::kokkos INTERFACE cxx_std_20)
  target_link_libraries(Kokkos::kokkos INTERFACE
    ${_kokkos_libraries} ${CMAKE_DL_LIBS} Koalesce::debian_runtime)
  if("OPENMP" IN_LIST Kokkos_DEVICES)
    target_compile_options(Kokkos::kokkos INTERFACE -fopenmp)
    target_link_options(Kokkos::kokkos INTERFACE -fopenmp)
  endif()
  if("THREADS" IN_LIST Kokkos_DEVICES)
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)
    target_link_libraries(Kokkos::kokkos INTERFACE Threads::Threads)
  endif()
endif()
