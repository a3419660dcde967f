# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A header that users include, directly below Koalesce/, brings with each template or set of functions what backends
# specialize or overload of it: otherwise two files of a program, with different headers of Koalesce, could disagree on what the
# template is. backends/<backend>/include/Koalesce/<backend>/<folder>/<Name>.hpp adds to portable/<folder>/<Name>.hpp or to core's
# <folder>/impl/<Name>.hpp.
# What headers include is read, not compiled: this tells of backends that are not compiled in, as well. Nor does it
# matter here that inner headers are compiled after Kokkos: each must include what it uses of it.

cmake_minimum_required(VERSION 3.25)

# `headers`, as they are below Koalesce/, and what each of them includes.
file(GLOB folders RELATIVE "${SOURCE}" "${SOURCE}/core/include" "${SOURCE}/backends/*/include")
set(headers "")
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE found RELATIVE "${SOURCE}/${folder}/Koalesce" "${SOURCE}/${folder}/Koalesce/*.hpp")
  foreach(header IN LISTS found)
    list(APPEND headers "${header}")
    file(STRINGS "${SOURCE}/${folder}/Koalesce/${header}" kokkos_in_${header} REGEX "Kokkos::|KOKKOS_")
    file(STRINGS "${SOURCE}/${folder}/Koalesce/${header}" lines REGEX "^ *# *include <(Koalesce/|Kokkos_Core.hpp)")
    set(includes_of_${header} "")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<(Koalesce/)?([^>]*)>.*" "\\2" included "${line}")
      list(APPEND includes_of_${header} "${included}")
    endforeach()
  endforeach()
endforeach()

set(pairs "")
foreach(header IN LISTS headers)
  if(header MATCHES "^(openmp|cuda)/([a-z0-9_]+/([^/]*))$")
    set(in_folder "${CMAKE_MATCH_2}")
    set(name "${CMAKE_MATCH_3}")
    set(bases "${headers}")
    list(FILTER bases INCLUDE REGEX "^(portable/${in_folder}|[a-z0-9_]+/impl/${name})$")
    foreach(base IN LISTS bases)
      list(APPEND pairs "${base}>${header}")
    endforeach()
  endif()
endforeach()

set(problems "")
foreach(header IN LISTS headers)
  set(reached "${header}")
  set(next "${header}")
  while(next)
    list(POP_FRONT next from)
    foreach(included IN LISTS includes_of_${from})
      if(NOT included IN_LIST reached)
        list(APPEND reached "${included}")
        list(APPEND next "${included}")
      endif()
    endforeach()
  endwhile()
  if(kokkos_in_${header} AND NOT "Kokkos_Core.hpp" IN_LIST reached)
    string(APPEND problems "${header} uses Kokkos, but does not include it\n")
  endif()
  if(header MATCHES "/")
    continue()  # no public header
  endif()
  foreach(pair IN LISTS pairs)
    string(REGEX MATCH "^(.*)>(.*)$" ignored "${pair}")
    if(CMAKE_MATCH_1 IN_LIST reached AND NOT CMAKE_MATCH_2 IN_LIST reached)
      string(APPEND problems "${header} includes ${CMAKE_MATCH_1}, but not ${CMAKE_MATCH_2}\n")
    endif()
  endforeach()
endforeach()

list(LENGTH pairs count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers of backends that add to others were found in ${SOURCE}")
endif()
if(problems)
  message(FATAL_ERROR "${problems}")
endif()
