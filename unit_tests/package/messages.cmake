# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DOPTIONS=... -DKOKKOS_DIR=... -DBENCHMARK_DIR=... -DHAS_CUDA=... -DPYTHON=...
# -P messages.cmake: what the presets say of what is missing, when they are configured and not an hour later.

# expect(<REFUSED or CONFIGURED>[_AGAIN] <preset> <what it must say> <options>...); AGAIN: in the build folder that there is
function(expect outcome preset words)
  if(NOT outcome MATCHES "_AGAIN$")
    file(REMOVE_RECURSE "${BINARY}")
  endif()
  string(REPLACE "_AGAIN" "" outcome "${outcome}")
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

unset(ENV{Kokkos_ROOT})
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

# Kokkos that are only a version. The Kokkos_ROOT that is given last counts, whatever is in the cache.
foreach(name IN ITEMS one other)
  file(WRITE "${BINARY}_${name}/KokkosConfig.cmake" "set(Kokkos_DEVICES SERIAL)\nadd_library(Kokkos::kokkos INTERFACE IMPORTED)\n")
  file(WRITE "${BINARY}_${name}/KokkosConfigVersion.cmake" "set(PACKAGE_VERSION 5.0.0)\nset(PACKAGE_VERSION_COMPATIBLE ON)\n")
endforeach()
expect(CONFIGURED install "Kokkos 5.0.0 (SERIAL) from ${BINARY}_one" "-DKokkos_ROOT=${BINARY}_one")
expect(CONFIGURED_AGAIN install "Kokkos 5.0.0 (SERIAL) from ${BINARY}_other" "-DKokkos_ROOT=${BINARY}_other")
expect(REFUSED cuda "from ${BINARY}_one was built for SERIAL alone; give another with -DKokkos_ROOT=" "-DCMAKE_PREFIX_PATH=${BINARY}_one")
expect(REFUSED_AGAIN cuda "from ${BINARY}_other was built for SERIAL alone; give another with -DKokkos_ROOT=" "-DKokkos_ROOT=${BINARY}_other")
expect(REFUSED cuda "from ${BINARY}_one was built for SERIAL alone; give another with -DKokkos_DIR=" "-DKokkos_DIR=${BINARY}_one")
# Where there is another than the user says, nothing is unpacked either; nor is a Kokkos taken that the user does not want.
expect(REFUSED test "Kokkos_ROOT is ${BINARY}_none, but no Kokkos is there (CMake found one in ${BINARY}_one); correct it, or leave \
it out (-UKokkos_ROOT) to take that one" "-DKokkos_ROOT=${BINARY}_none" "-DCMAKE_PREFIX_PATH=${BINARY}_one")
expect(REFUSED serial-kernels "Koalesce_DEBIAN_PACKAGES is ONLY, but Kokkos_ROOT is ${BINARY}_one; leave it out" "-DKokkos_ROOT=${BINARY}_one")

set(perf "-DKokkos_DIR=${KOKKOS_DIR}" -DKoalesce_DEBIAN_PACKAGES=OFF "-Dbenchmark_DIR=${BENCHMARK_DIR}")
expect(CONFIGURED perf "Koalesce: Python 3 was not found: target perf_report will measure, but make no page of the results. \
First apt install python3-matplotlib" ${perf} -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON)
if(PYTHON)
  file(WRITE "${BINARY}_python" "#!/bin/sh\ncase \"$*\" in *matplotlib*) exit 1 ;; esac\nexec '${PYTHON}' \"$@\"\n")
  file(CHMOD "${BINARY}_python" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  expect(CONFIGURED perf "has no matplotlib: the page of target perf_report will have no pictures. \
First apt install python3-matplotlib" ${perf} "-DPython3_EXECUTABLE=${BINARY}_python")
endif()
