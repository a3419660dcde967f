# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Which Kokkos Koalesce takes. Koalesce's own build reads this, and so does the installed package.

set(_koalesce_kokkos_first 4.6)
set(_koalesce_kokkos_end 6)
set(_koalesce_kokkos_range "Kokkos ${_koalesce_kokkos_first} up to, not including, ${_koalesce_kokkos_end}")

# Two tries, because a config file with "same major version" semantics accepts no range over two majors. The first, when
# it fails, forgets the folder that the user gave.
macro(_koalesce_find_kokkos)
  set(_koalesce_kokkos_dir "${Kokkos_DIR}")
  find_package(Kokkos 5...<${_koalesce_kokkos_end} CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    if(_koalesce_kokkos_dir)
      set(Kokkos_DIR "${_koalesce_kokkos_dir}" CACHE PATH "Folder of KokkosConfig.cmake" FORCE)
    endif()
    find_package(Kokkos ${_koalesce_kokkos_first}...<5 CONFIG QUIET)
  endif()
endmacro()

# Sets <result> to what is wrong with the Kokkos that is there, or to nothing. A project that builds Kokkos as a
# subdirectory may have the target and no version: nothing can be said then.
function(_koalesce_check_kokkos result)
  set(problem "")
  if(NOT TARGET Kokkos::kokkos)
    set(problem "no Kokkos was found")
    list(JOIN Kokkos_CONSIDERED_VERSIONS ", " versions)
    if(versions)
      list(JOIN Kokkos_CONSIDERED_CONFIGS ", " configs)
      set(problem "found ${versions} (${configs})")
    endif()
  elseif(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS _koalesce_kokkos_first
                             OR Kokkos_VERSION VERSION_GREATER_EQUAL _koalesce_kokkos_end))
    set(problem "the project has ${Kokkos_VERSION}")
  endif()
  set(${result} "${problem}" PARENT_SCOPE)
endfunction()
