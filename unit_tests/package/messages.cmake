# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DOPTIONS=... -DKOKKOS_DIR=... -DBENCHMARK_DIR=... -DHAS_CUDA=... -DPYTHON=...
# -P messages.cmake: what the presets say of what is missing, when they are configured and not an hour later.

# expect(<REFUSED or CONFIGURED> <preset> <what it must say> <options>...)
function(expect outcome preset words)
  file(REMOVE_RECURSE "${BINARY}")
  execute_process(COMMAND "${CMAKE_COMMAND}" --preset ${preset} -B "${BINARY}" ${OPTIONS} ${ARGN}
    WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " line "${text}")  # CMake breaks lines
  string(FIND "${line}" "${words}" at)
  if((status EQUAL 0 AND outcome STREQUAL "REFUSED") OR (NOT status EQUAL 0 AND outcome STREQUAL "CONFIGURED") OR at EQUAL -1)
    message(FATAL_ERROR "cmake --preset ${preset} ${ARGN}: status ${status}, not ${outcome} with \"${words}\":\n${text}")
  endif()
  if(EXISTS "${BINARY}/debian" AND outcome STREQUAL "REFUSED")
    message(FATAL_ERROR "cmake --preset ${preset} ${ARGN}: packages were unpacked")
  endif()
endfunction()

set(no_kokkos -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
set(needs "Koalesce needs a Kokkos that was built for CUDA here (Koalesce_KOKKOS_DEVICE);")
expect(REFUSED cuda "${needs} no Kokkos was found, and Debian's was built for CPUs alone; give another with -DKokkos_ROOT="
  ${no_kokkos} -DKoalesce_DEBIAN_PACKAGES=ON)
expect(REFUSED cuda "${needs} no Kokkos was found, and Debian's was built for CPUs alone; give another with -DKokkos_ROOT="
  ${no_kokkos} -DKoalesce_DEBIAN_PACKAGES=ONLY)
if(NOT HAS_CUDA)
  expect(REFUSED cuda "from ${KOKKOS_DIR} was built for" "-DKokkos_DIR=${KOKKOS_DIR}")
  expect(REFUSED cuda "${needs} Kokkos " "-DKokkos_DIR=${KOKKOS_DIR}" -DKoalesce_DEBIAN_PACKAGES=ON)
endif()

set(perf "-DKokkos_DIR=${KOKKOS_DIR}" -DKoalesce_DEBIAN_PACKAGES=OFF "-Dbenchmark_DIR=${BENCHMARK_DIR}")
expect(CONFIGURED perf "Koalesce: Python 3 was not found: target perf_report will measure, but make no page of the results. \
First apt install python3-matplotlib" ${perf} -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON)
if(PYTHON)
  file(WRITE "${BINARY}_python" "#!/bin/sh\ncase \"$*\" in *matplotlib*) exit 1 ;; esac\nexec '${PYTHON}' \"$@\"\n")
  file(CHMOD "${BINARY}_python" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  expect(CONFIGURED perf "has no matplotlib: the page of target perf_report will have no pictures. \
First apt install python3-matplotlib" ${perf} "-DPython3_EXECUTABLE=${BINARY}_python")
endif()
