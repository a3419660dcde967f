# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Which Kokkos Koalesce takes. Koalesce's own build reads this, and so does the installed package.

set(_koalesce_kokkos_first 4.6)
set(_koalesce_kokkos_end 6)
set(_koalesce_kokkos_range "Kokkos ${_koalesce_kokkos_first} up to, not including, ${_koalesce_kokkos_end}")

# Two tries, because a config file with "same major version" semantics accepts no range over two majors. The first, when
# it fails, forgets the folder that the user gave; the second, why a Kokkos that suits says that it cannot be used.
macro(_koalesce_find_kokkos)
  set(_koalesce_kokkos_dir "${Kokkos_DIR}")
  set(_koalesce_kokkos_lack "")
  unset(Kokkos_NOT_FOUND_MESSAGE)
  find_package(Kokkos 5...<${_koalesce_kokkos_end} CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    set(_koalesce_kokkos_lack "${Kokkos_NOT_FOUND_MESSAGE}")
    unset(Kokkos_NOT_FOUND_MESSAGE)
    if(_koalesce_kokkos_dir)
      set(Kokkos_DIR "${_koalesce_kokkos_dir}" CACHE PATH "Folder of KokkosConfig.cmake" FORCE)
    endif()
    find_package(Kokkos ${_koalesce_kokkos_first}...<5 CONFIG QUIET)
    string(STRIP "${_koalesce_kokkos_lack} ${Kokkos_NOT_FOUND_MESSAGE}" _koalesce_kokkos_lack)
  endif()
  # CMake goes on elsewhere where it finds nothing in a Kokkos_ROOT.
  if(Kokkos_FOUND AND _koalesce_given MATCHES "Kokkos_ROOT")
    _koalesce_is_in_one_of(_koalesce_is_given_kokkos "${Kokkos_DIR}" ${_koalesce_given_path})
    if(NOT _koalesce_is_given_kokkos)
      set(_koalesce_other_kokkos "${Kokkos_DIR}")
      unset(Kokkos_DIR CACHE)
    endif()
  endif()
endmacro()

# Sets <result> to whether <folder> lies in one of the others, as it is named (a profile of links into a store) or really.
function(_koalesce_is_in_one_of result folder)
  file(REAL_PATH "${folder}" real_folder)
  set(${result} FALSE PARENT_SCOPE)
  foreach(other IN LISTS ARGN)
    cmake_path(IS_PREFIX other "${folder}" NORMALIZE named_inside)
    file(REAL_PATH "${other}" other)
    cmake_path(IS_PREFIX other "${real_folder}" inside)
    if(inside OR named_inside)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Sets _koalesce_given to how the user says where Kokkos is, and _koalesce_given_path to where; to be asked before a
# search, because find_package forgets a folder where it finds nothing.
macro(_koalesce_look_at_given_kokkos)
  set(_koalesce_given "")
  set(_koalesce_given_path "")
  set(_koalesce_other_kokkos "")
  if(Kokkos_DIR)
    set(_koalesce_given Kokkos_DIR)
    set(_koalesce_given_path "${Kokkos_DIR}")
  elseif(Kokkos_ROOT)
    set(_koalesce_given Kokkos_ROOT)
    set(_koalesce_given_path "${Kokkos_ROOT}")
  elseif(NOT "$ENV{Kokkos_ROOT}" STREQUAL "")
    set(_koalesce_given "Kokkos_ROOT in the environment")
    cmake_path(CONVERT "$ENV{Kokkos_ROOT}" TO_CMAKE_PATH_LIST _koalesce_given_path)  # there may be colons in it
  endif()
endmacro()

# After a search that found none: puts what the user gave in front of <problem>, and keeps it for the next configure.
macro(_koalesce_blame_given_kokkos problem)
  if(_koalesce_given STREQUAL "Kokkos_DIR")
    set(Kokkos_DIR "${_koalesce_given_path}" CACHE PATH "Folder of KokkosConfig.cmake" FORCE)
  endif()
  if(NOT Kokkos_CONSIDERED_VERSIONS)
    set(${problem} "no Kokkos is there")
  endif()
  set(${problem} "${_koalesce_given} is ${_koalesce_given_path}, but ${${problem}}")
endmacro()

# Sets <result> to what is wrong with the Kokkos that is there, or to nothing. A project that builds Kokkos as a
# subdirectory may have the target and no version: nothing can be said then.
function(_koalesce_check_kokkos result)
  set(problem "")
  if(NOT TARGET Kokkos::kokkos)
    set(problem "no Kokkos was found")
    foreach(what IN ITEMS VERSIONS CONFIGS)
      list(REMOVE_DUPLICATES Kokkos_CONSIDERED_${what})
      list(JOIN Kokkos_CONSIDERED_${what} ", " ${what})
    endforeach()
    if(VERSIONS)
      set(problem "found ${VERSIONS} (${CONFIGS})")
      if(_koalesce_kokkos_lack)
        string(REGEX REPLACE "[.]$" "" lack "${_koalesce_kokkos_lack}")
        string(APPEND problem ", which says: ${lack}")
      endif()
    endif()
  elseif(_koalesce_other_kokkos)
    set(problem "no Kokkos is there (CMake found one in ${_koalesce_other_kokkos})")
  elseif(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS _koalesce_kokkos_first
                             OR Kokkos_VERSION VERSION_GREATER_EQUAL _koalesce_kokkos_end))
    set(problem "the project has ${Kokkos_VERSION}")
  endif()
  set(${result} "${problem}" PARENT_SCOPE)
endfunction()

# Sets <result> to whether Kokkos was built for a device, such as CUDA: an installed one has a list, one that is built in the
# project has options.
function(_koalesce_kokkos_has result device)
  set(${result} OFF PARENT_SCOPE)
  if(Kokkos_ENABLE_${device} OR device IN_LIST Kokkos_DEVICES)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
