# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds what Koalesce needs. Each dependency is looked for in this order:
#   1. a target that the parent project already has;
#   2. find_package;
#   3. on a Debian machine, Debian's own packages, unpacked into the build tree (no root needed);
#   4. otherwise one message says what is missing and how to get it.
# A Kokkos that the user named and that does not do is an error before 3: Debian's must not take its place unnoticed.

include("${CMAKE_CURRENT_LIST_DIR}/KoalesceDebianPrefix.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/KoalesceKokkos.cmake")

# Nothing is downloaded unasked in another project.
set(Koalesce_DEBIAN_PACKAGES ${PROJECT_IS_TOP_LEVEL} CACHE STRING
  "Unpack Debian's packages for what find_package does not find: ON, OFF, or ONLY (skip find_package)")
set_property(CACHE Koalesce_DEBIAN_PACKAGES PROPERTY STRINGS ON OFF ONLY)
set(Koalesce_DEBIAN_SUITES unstable CACHE STRING
  "Debian suites to take packages from; the last one is preferred")
set(Koalesce_DEBIAN_KOKKOS libkokkos-dev CACHE STRING
  "Debian packages that provide Kokkos and, where wanted, Kokkos Kernels")
mark_as_advanced(Koalesce_DEBIAN_PACKAGES Koalesce_DEBIAN_SUITES Koalesce_DEBIAN_KOKKOS)

# What to look for: the target that says it is there, Debian's packages, other ways to get it.
set(_koalesce_Kokkos_target Kokkos::kokkos)
set(_koalesce_Kokkos_debian ${Koalesce_DEBIAN_KOKKOS})
set(_koalesce_Kokkos_help "${_koalesce_kokkos_range}: apt install libkokkos-dev (Debian \
unstable), spack install kokkos, or https://kokkos.org; then -DKokkos_ROOT=<where it is installed>")
set(_koalesce_KokkosKernels_target Kokkos::kokkoskernels)
set(_koalesce_KokkosKernels_debian ${Koalesce_DEBIAN_KOKKOS})
set(_koalesce_KokkosKernels_help "Kokkos Kernels: apt install libtrilinos-kokkos-kernels-dev (Debian \
experimental), spack install kokkos-kernels, or https://kokkos.org; then -DKokkosKernels_ROOT=<...>")
set(_koalesce_GTest_target GTest::gtest)
set(_koalesce_GTest_debian googletest)
set(_koalesce_GTest_help "GoogleTest: apt install libgtest-dev, spack install googletest, or \
https://github.com/google/googletest; or do without the tests: -DKoalesce_ENABLE_TESTS=OFF")
set(_koalesce_benchmark_target benchmark::benchmark)
set(_koalesce_benchmark_debian libbenchmark-dev)
set(_koalesce_benchmark_help "Google Benchmark: apt install libbenchmark-dev, spack install benchmark, \
or https://github.com/google/benchmark; or do without: -DKoalesce_ENABLE_PERF_TESTS=OFF")
set(_koalesce_PNG_target PNG::PNG)
set(_koalesce_PNG_debian libpng-dev)
set(_koalesce_PNG_help "libpng: apt install libpng-dev, spack install libpng, or \
http://www.libpng.org; or do without the examples: -DKoalesce_ENABLE_EXAMPLES=OFF")
set(_koalesce_NIFTI_target NIFTI::niftiio)
set(_koalesce_NIFTI_debian libnifti-dev)
set(_koalesce_NIFTI_help "the NIfTI C library: apt install libnifti-dev, spack install nifticlib, or \
https://github.com/NIFTI-Imaging/nifti_clib; or -DKoalesce_ENABLE_EXAMPLES=OFF")
set(_koalesce_CLI11_target CLI11::CLI11)
set(_koalesce_CLI11_debian libcli11-dev)
set(_koalesce_CLI11_help "CLI11: apt install libcli11-dev, spack install cli11, or \
https://github.com/CLIUtils/CLI11; or do without the examples: -DKoalesce_ENABLE_EXAMPLES=OFF")

macro(_koalesce_find_package name)
  if("${name}" STREQUAL "Kokkos")
    _koalesce_find_kokkos()
    if(Kokkos_DIR AND NOT _koalesce_given STREQUAL "Kokkos_DIR")
      set(Koalesce_FOUND_KOKKOS_DIR "${Kokkos_DIR}" CACHE INTERNAL "The folder that find_package found by itself")
    endif()
  else()
    find_package(${name} QUIET)
  endif()
endmacro()

set(_koalesce_needed Kokkos)
if(Koalesce_ENABLE_KOKKOS_KERNELS)
  list(APPEND _koalesce_needed KokkosKernels)
endif()
if(Koalesce_ENABLE_TESTS)
  list(APPEND _koalesce_needed GTest)
endif()
if(Koalesce_ENABLE_PERF_TESTS)
  list(APPEND _koalesce_needed benchmark)
endif()
if(Koalesce_ENABLE_EXAMPLES)
  list(APPEND _koalesce_needed PNG NIFTI CLI11)
  list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/examples/common/cmake")
endif()

# What an earlier configure found in a prefix is looked for anew: the machine may have it by now, and
# only what it has not makes up the prefix.
get_cmake_property(_koalesce_cache CACHE_VARIABLES)
foreach(_koalesce_name IN LISTS _koalesce_cache)
  string(FIND "$CACHE{${_koalesce_name}}" "${PROJECT_BINARY_DIR}/debian/" _koalesce_at)
  if(_koalesce_at EQUAL 0)
    unset(${_koalesce_name} CACHE)
  endif()
endforeach()

# Nor does a folder that find_package found hide another Kokkos_ROOT, or Debian's packages where they alone are wanted.
if(Kokkos_DIR STREQUAL "$CACHE{Koalesce_FOUND_KOKKOS_DIR}" AND NOT TARGET Kokkos::kokkos
   AND (Kokkos_ROOT OR Koalesce_DEBIAN_PACKAGES STREQUAL "ONLY"))
  unset(Kokkos_DIR CACHE)
endif()

# A Kokkos that is built in the project keeps its version in its own folder.
if(TARGET Kokkos::kokkos AND NOT Kokkos_VERSION AND Kokkos_SOURCE_DIR)
  get_directory_property(Kokkos_VERSION DIRECTORY "${Kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
endif()

_koalesce_look_at_given_kokkos()
if(Koalesce_DEBIAN_PACKAGES STREQUAL "ONLY" AND NOT TARGET Kokkos::kokkos)
  if(_koalesce_given AND NOT _koalesce_given MATCHES "environment")
    message(FATAL_ERROR "Koalesce takes Debian's Kokkos alone, because Koalesce_DEBIAN_PACKAGES is ONLY, but \
${_koalesce_given} is ${_koalesce_given_path}; leave it out (-U${_koalesce_given}), or give -DKoalesce_DEBIAN_PACKAGES=ON")
  endif()
  set(_koalesce_given "")
endif()

# 1 and 2
set(_koalesce_missing "")
set(_koalesce_packages "")
foreach(_koalesce_name IN LISTS _koalesce_needed)
  if(NOT TARGET ${_koalesce_${_koalesce_name}_target} AND NOT Koalesce_DEBIAN_PACKAGES STREQUAL "ONLY")
    _koalesce_find_package(${_koalesce_name})
  endif()
  if(NOT TARGET ${_koalesce_${_koalesce_name}_target})
    list(APPEND _koalesce_missing ${_koalesce_name})
    list(APPEND _koalesce_packages ${_koalesce_${_koalesce_name}_debian})
  endif()
endforeach()
set(_koalesce_problem "")
if(("Kokkos" IN_LIST _koalesce_missing OR _koalesce_other_kokkos) AND NOT Koalesce_DEBIAN_PACKAGES STREQUAL "ONLY")
  _koalesce_check_kokkos(_koalesce_problem)
  if(_koalesce_given)
    _koalesce_blame_given_kokkos(_koalesce_problem)
    if(Koalesce_DEBIAN_PACKAGES)
      set(_koalesce_how "")
      if(NOT _koalesce_given MATCHES "environment")
        set(_koalesce_how " (-U${_koalesce_given})")
      endif()
      if(_koalesce_other_kokkos)
        string(APPEND _koalesce_how " to take that one")
      else()
        string(APPEND _koalesce_how " to take Debian's")
      endif()
      message(FATAL_ERROR "Koalesce needs ${_koalesce_kokkos_range}; ${_koalesce_problem}; correct it, or leave it \
out${_koalesce_how}")
    endif()
  elseif(NOT Kokkos_CONSIDERED_VERSIONS)
    set(_koalesce_problem "")  # that it is missing says it all
  endif()
endif()

# A preset that is about one of Kokkos' devices must not test another one under its name.
set(Koalesce_KOKKOS_DEVICE "" CACHE STRING "Device that Kokkos must have been built for, such as CUDA; empty for any")
mark_as_advanced(Koalesce_KOKKOS_DEVICE)
_koalesce_kokkos_has(_koalesce_has_device "${Koalesce_KOKKOS_DEVICE}")
if(Koalesce_KOKKOS_DEVICE AND NOT _koalesce_has_device)
  set(_koalesce_device_problem "")
  if(TARGET Kokkos::kokkos)
    list(JOIN Kokkos_DEVICES ", " _koalesce_devices)
    set(_koalesce_device_problem "Kokkos ${Kokkos_VERSION} from ${Kokkos_DIR} was built for ${_koalesce_devices} alone")
  elseif(Koalesce_DEBIAN_PACKAGES AND Koalesce_KOKKOS_DEVICE MATCHES "^(CUDA|HIP|SYCL)$")
    set(_koalesce_device_problem "no Kokkos was found, and Debian's was built for CPUs alone")
  endif()
  if(_koalesce_device_problem)
    set(_koalesce_how "-DKokkos_ROOT=<where it is installed>")
    if(_koalesce_given STREQUAL "Kokkos_DIR")
      set(_koalesce_how "-DKokkos_DIR=<folder of its KokkosConfig.cmake>")  # which comes first
    else()
      unset(Kokkos_DIR CACHE)  # or a Kokkos_ROOT that the environment gives next would not count
    endif()
    message(FATAL_ERROR "Koalesce needs a Kokkos that was built for ${Koalesce_KOKKOS_DEVICE} here \
(Koalesce_KOKKOS_DEVICE); ${_koalesce_device_problem}; give another with ${_koalesce_how}, or take the preset test, which \
takes any Kokkos.")
  endif()
endif()
if(Koalesce_ENABLE_EXAMPLES)
  # Data for the examples, welcome but not needed: users may have their own.
  include(KoalesceMriVolume)
  if(NOT Koalesce_MRI_VOLUME)
    list(APPEND _koalesce_packages mricron-data)
  endif()
endif()

# 3
if(_koalesce_packages AND Koalesce_DEBIAN_PACKAGES)
  list(REMOVE_DUPLICATES _koalesce_packages)
  koalesce_debian_prefix(_koalesce_prefix
    SUITES ${Koalesce_DEBIAN_SUITES} PACKAGES ${_koalesce_packages})
  if(_koalesce_prefix)
    list(PREPEND CMAKE_PREFIX_PATH "${_koalesce_prefix}/usr")
    set(_koalesce_debian_prefix "${_koalesce_prefix}")
    include("${CMAKE_CURRENT_LIST_DIR}/debian/KoalesceDebianRuntime.cmake")
    set(CMAKE_FIND_USE_PACKAGE_ROOT_PATH OFF)  # where what is missing is not, or must not be taken from
    foreach(_koalesce_name IN LISTS _koalesce_missing)
      set(_koalesce_target ${_koalesce_${_koalesce_name}_target})
      if(_koalesce_name STREQUAL "GTest")
        # Its sources, built here: a static library of another compiler's would not do.
        set(INSTALL_GTEST OFF)
        set(BUILD_GMOCK OFF)
        add_subdirectory("${_koalesce_prefix}/usr/src/googletest"
                         "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
      else()
        _koalesce_find_package(${_koalesce_name})
        if(TARGET ${_koalesce_target} AND NOT _koalesce_target STREQUAL "CLI11::CLI11")
          set_property(TARGET ${_koalesce_target} APPEND PROPERTY
            INTERFACE_LINK_LIBRARIES Koalesce::debian_runtime)
        endif()
      endif()
      if(TARGET ${_koalesce_target})
        list(REMOVE_ITEM _koalesce_missing ${_koalesce_name})
      endif()
    endforeach()
    unset(CMAKE_FIND_USE_PACKAGE_ROOT_PATH)
    if(Koalesce_ENABLE_EXAMPLES)
      include(KoalesceMriVolume)
    endif()
  endif()
endif()

# 4
if(_koalesce_missing)
  set(_koalesce_message "Koalesce did not find:")
  foreach(_koalesce_name IN LISTS _koalesce_missing)
    string(APPEND _koalesce_message "\n  - ${_koalesce_${_koalesce_name}_help}")
  endforeach()
  if(_koalesce_problem)
    string(APPEND _koalesce_message "\nOf Kokkos: ${_koalesce_problem}.")
  endif()
  if(NOT Koalesce_DEBIAN_PACKAGES)
    string(APPEND _koalesce_message "\nUnpacking Debian's packages into the build tree is turned off; turn it on with \
-DKoalesce_DEBIAN_PACKAGES=ON, where this is a Debian machine.")
  elseif(_koalesce_prefix_REASON)
    string(APPEND _koalesce_message
      "\nDebian's packages could not be used instead: ${_koalesce_prefix_REASON}.")
  endif()
  message(FATAL_ERROR "${_koalesce_message}")
endif()

_koalesce_check_kokkos(_koalesce_problem)
if(_koalesce_problem)
  if(_koalesce_other_kokkos)
    _koalesce_blame_given_kokkos(_koalesce_problem)
  endif()
  message(FATAL_ERROR "Koalesce needs ${_koalesce_kokkos_range}; ${_koalesce_problem}.")
endif()
if(Kokkos_DIR)
  list(JOIN Kokkos_DEVICES ", " _koalesce_devices)
  message(STATUS "Koalesce: Kokkos ${Kokkos_VERSION} (${_koalesce_devices}) from ${Kokkos_DIR}")
endif()
