# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DOPTIONS=... -P reinstall.cmake: a version over an earlier one, which had headers that it
# has not, and nothing of either after `uninstall`; what a user put beside them stays.

set(sources "${BINARY}/sources")
set(prefix "${BINARY}/prefix")
set(headers "${prefix}/include/Koalesce")
set(run COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(REMOVE_RECURSE "${BINARY}")
foreach(part IN ITEMS core backends cmake CMakeLists.txt CMakePresets.json CITATION.cff LICENSE)
  file(COPY "${SOURCE}/${part}" DESTINATION "${sources}")
endforeach()

file(WRITE "${sources}/core/include/Koalesce/Gone.hpp" "")
file(WRITE "${sources}/core/include/Koalesce/gone/Gone.hpp" "")
execute_process(COMMAND "${CMAKE_COMMAND}" --preset install -B "${BINARY}/build" --install-prefix "${prefix}" ${OPTIONS}
                WORKING_DIRECTORY "${sources}" ${run})
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target install ${run})
if(NOT EXISTS "${headers}/gone/Gone.hpp")
  message(FATAL_ERROR "The earlier version was not installed")
endif()

file(REMOVE_RECURSE "${sources}/core/include/Koalesce/Gone.hpp" "${sources}/core/include/Koalesce/gone")
file(WRITE "${headers}/Users.hpp" "")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target install ${run})
foreach(stale IN ITEMS Gone.hpp gone)
  if(EXISTS "${headers}/${stale}")
    message(FATAL_ERROR "${stale} is left of the earlier version")
  endif()
endforeach()
foreach(kept IN ITEMS Users.hpp Koalesce.hpp)
  if(NOT EXISTS "${headers}/${kept}")
    message(FATAL_ERROR "${kept} was removed")
  endif()
endforeach()

# An installation that was moved, to a name that is another as a pattern, by its own file; and this one, by the target.
file(COPY "${prefix}/" DESTINATION "${BINARY}/moved[1]")
file(GLOB_RECURSE uninstall "${BINARY}/moved?1?/*/KoalesceUninstall.cmake")
execute_process(COMMAND "${CMAKE_COMMAND}" -P "${uninstall}" ${run})
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target uninstall ${run})
foreach(where IN ITEMS "moved[1]" prefix)
  string(REPLACE "[" "[[]" pattern "${where}")
  file(GLOB_RECURSE left RELATIVE "${BINARY}/${where}" LIST_DIRECTORIES true "${BINARY}/${pattern}/*")
  list(FILTER left INCLUDE REGEX "Koalesce")
  list(SORT left)
  if(NOT left STREQUAL "include/Koalesce;include/Koalesce/Users.hpp")
    message(FATAL_ERROR "Uninstalled in ${where}, there is still: ${left}")
  endif()
endforeach()

# To a prefix that is relative to the working folder.
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BINARY}/build" --prefix relative WORKING_DIRECTORY "${BINARY}" ${run})
file(GLOB_RECURSE list "${BINARY}/relative/*/KoalesceInstalledFiles.txt")
if(NOT list)
  message(FATAL_ERROR "A relative prefix has no list of what is installed")
endif()

# Below DESTDIR, as packagers install.
set(ENV{DESTDIR} "${BINARY}/staged")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target install ${run})
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target uninstall ${run})
file(GLOB_RECURSE left "${BINARY}/staged/*")
if(left)
  message(FATAL_ERROR "Uninstalled below DESTDIR, there is still: ${left}")
endif()

# Nothing is there any more: an error, and not a success.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}/build" --target uninstall RESULT_VARIABLE status
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "Koalesce is not installed there")
  message(FATAL_ERROR "What is not installed was uninstalled: ${text}")
endif()
