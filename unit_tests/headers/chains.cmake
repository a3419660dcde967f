# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Whether every header compiles alone, from fewer compilations than there are headers. The headers are put into chains, in
# which each includes, itself or through others, the one before it. A source includes one chain in its order: what the earlier
# headers of it bring, the next would have brought itself. The chains are those of the includes at configuration.

# Sets <result> to the inner headers in an include folder of the sources, as they are included, without those that need MPI.
function(koalesce_headers_in folder result)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${folder}"
    "${PROJECT_SOURCE_DIR}/${folder}/Koalesce/*/*.hpp")
  list(FILTER headers EXCLUDE REGEX "/distributed/")
  set(${result} "${headers}" PARENT_SCOPE)
endfunction()

# Sets <result> to the headers of Koalesce that <header>, a path below an include folder, includes, itself or through others.
function(koalesce_headers_below header result)
  get_property(known GLOBAL PROPERTY "koalesce_headers_below_${header}" SET)
  if(NOT known)
    set_property(GLOBAL PROPERTY "koalesce_headers_below_${header}" "")  # two headers may include each other
    set(below "")
    set(lines "")
    file(GLOB path "${PROJECT_SOURCE_DIR}/core/include/${header}" "${PROJECT_SOURCE_DIR}/backends/*/include/${header}")
    if(path)  # what is not there, the compiler tells
      file(STRINGS "${path}" lines REGEX "^ *# *include <Koalesce/")
    endif()
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<([^>]*)>.*" "\\1" included "${line}")
      koalesce_headers_below("${included}" further)
      list(APPEND below "${included}" ${further})
    endforeach()
    list(REMOVE_DUPLICATES below)
    set_property(GLOBAL PROPERTY "koalesce_headers_below_${header}" "${below}")
  endif()
  get_property(below GLOBAL PROPERTY "koalesce_headers_below_${header}")
  set(${result} "${below}" PARENT_SCOPE)
endfunction()

# Writes a source for each chain of these headers into <folder>, and sets <result> to the sources.
function(koalesce_header_sources result folder)
  set(by_size "")
  foreach(header IN LISTS ARGN)
    koalesce_headers_below("${header}" below)
    list(LENGTH below size)
    math(EXPR size "${size} + 100000")  # all have as many digits
    list(APPEND by_size "${size} ${header}")
  endforeach()
  list(SORT by_size)

  # Each goes to the end of the chain whose end includes most.
  set(ends "")
  foreach(header IN LISTS by_size)
    string(REGEX REPLACE "^[0-9]* " "" header "${header}")
    koalesce_headers_below("${header}" below)
    set(before "")
    foreach(end IN LISTS ends)
      koalesce_headers_below("${end}" below_end)
      if(end IN_LIST below AND NOT header IN_LIST below_end)
        set(before "${end}")
      endif()
    endforeach()
    list(REMOVE_ITEM ends "${before}")
    list(APPEND ends "${header}")
    string(CONCAT chain_to_${header} "${chain_to_${before}}" "#include <${header}>\n")
  endforeach()

  set(sources "")
  foreach(end IN LISTS ends)
    string(MAKE_C_IDENTIFIER "${end}" name)
    # Twice, because headers may be included twice.
    file(CONFIGURE OUTPUT "${folder}/${name}.cpp" CONTENT "${chain_to_${end}}${chain_to_${end}}" @ONLY)
    list(APPEND sources "${folder}/${name}.cpp")
  endforeach()
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()
