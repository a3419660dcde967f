# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -DARGUMENTS=<list> -DRESULTS=<directory> -DOUTPUT=<directory> -P <build folder>/perf_tests/RunAll.cmake
# Runs every performance test, one after the other, then makes one page of their results. What is included from there
# sets EXECUTABLES, PIN_OPENMP, PYTHON (empty: none) and REPORT (tools/perf_report).

# Threads that move spoil a measurement; whoever set either variable knows better.
if(PIN_OPENMP AND NOT DEFINED ENV{OMP_PROC_BIND} AND NOT DEFINED ENV{OMP_PLACES})
  set(ENV{OMP_PROC_BIND} spread)
  set(ENV{OMP_PLACES} threads)
endif()

# What an earlier run left is not of this run.
file(GLOB earlier "${RESULTS}/koalesce_perf_*.json")
if(earlier)
  file(REMOVE ${earlier})
endif()
file(MAKE_DIRECTORY "${RESULTS}")

list(LENGTH EXECUTABLES count)
set(failed "")
set(number 0)
foreach(executable IN LISTS EXECUTABLES)
  math(EXPR number "${number} + 1")
  cmake_path(GET executable STEM name)
  string(TIMESTAMP now "%H:%M:%S")
  message("== ${number} of ${count}: ${name}, ${now}")
  set(json "${RESULTS}/${name}.json")
  execute_process(COMMAND "${executable}" ${ARGUMENTS} "--benchmark_out=${json}" --benchmark_out_format=json
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(APPEND failed "${name} (${status})")
    file(REMOVE "${json}")
  elseif(EXISTS "${json}")
    # A filter that fits none of its benchmarks leaves an empty file.
    file(SIZE "${json}" size)
    if(size EQUAL 0)
      file(REMOVE "${json}")
    endif()
  endif()
endforeach()
message("== Results are in ${RESULTS}")

file(GLOB results "${RESULTS}/koalesce_perf_*.json")
if(NOT results)
  message(FATAL_ERROR "Koalesce: no performance test left a result. Failed: ${failed}")
endif()
if(PYTHON)
  execute_process(COMMAND "${PYTHON}" "${REPORT}" "${RESULTS}" -o "${OUTPUT}" RESULT_VARIABLE status)
  if(NOT status MATCHES "^(0|3)$")  # 3: it has said what it misses for the pictures
    list(APPEND failed "perf_report (${status})")
  endif()
else()
  message("Koalesce: no page, because Python 3 is missing. Where there is one: ${REPORT} ${RESULTS} -o ${OUTPUT}")
endif()
if(failed)
  message(FATAL_ERROR "Koalesce: failed: ${failed}")
endif()
