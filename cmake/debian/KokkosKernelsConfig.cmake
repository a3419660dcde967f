# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stands in a Debian prefix in place of the package's own KokkosKernelsConfig.cmake; see KokkosConfig.cmake.

get_filename_component(_koalesce_debian_prefix "${CMAKE_CURRENT_LIST_DIR}/../../../../.." REALPATH)
include(CMakeFindDependencyMacro)
find_dependency(Kokkos PATHS "${CMAKE_CURRENT_LIST_DIR}/../Kokkos" NO_DEFAULT_PATH)

file(GLOB_RECURSE _kernels_config_h "${_koalesce_debian_prefix}/usr/include/KokkosKernels_config.h")
file(GLOB _kernels_libraries "${_koalesce_debian_prefix}/usr/lib/*/lib*kokkoskernels.so")
if(NOT _kernels_config_h OR NOT _kernels_libraries)
  set(KokkosKernels_FOUND FALSE)
  set(KokkosKernels_NOT_FOUND_MESSAGE
    "${_koalesce_debian_prefix} holds no KokkosKernels_config.h or no lib*kokkoskernels.so")
  return()
endif()

file(STRINGS "${_kernels_config_h}" KokkosKernels_VERSION REGEX "#define KOKKOSKERNELS_VERSION_(MAJOR|MINOR|PATCH)")
string(REGEX MATCHALL "[0-9]+" KokkosKernels_VERSION "${KokkosKernels_VERSION}")
list(JOIN KokkosKernels_VERSION "." KokkosKernels_VERSION)

if(NOT TARGET Kokkos::kokkoskernels)
  get_filename_component(_kernels_include "${_kernels_config_h}" DIRECTORY)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  target_include_directories(Kokkos::kokkoskernels INTERFACE "${_kernels_include}")
  target_link_libraries(Kokkos::kokkoskernels INTERFACE ${_kernels_libraries} Kokkos::kokkos)
endif()
