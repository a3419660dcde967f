# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=<executable> -DBINARY=<folder> -P run.cmake: what processes that follow each other, or run at once, make of
# the same calls.

file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}")
set(file "${BINARY}/tuning.txt")

# run(<name> <environment>...) sets <name>, what it printed, <name>_said, on the standard error output, <name>_status, and
# <name>_choices, <name>_remembered, <name>_timed.
function(run name)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=KOALESCE_TUNING --unset=KOALESCE_TUNING_FILE OMP_NUM_THREADS=2 ${ARGN}
    "${PROGRAM}" OUTPUT_VARIABLE output ERROR_VARIABLE said RESULT_VARIABLE status)
  if(output MATCHES "\n([0-9]+) choices, ([0-9]+) remembered, ([0-9]+) timed calls\n")
    set(${name}_choices ${CMAKE_MATCH_1} PARENT_SCOPE)
    set(${name}_remembered ${CMAKE_MATCH_2} PARENT_SCOPE)
    set(${name}_timed ${CMAKE_MATCH_3} PARENT_SCOPE)
  elseif(status EQUAL 0)
    message(FATAL_ERROR "${name} did not end: ${output}")
  endif()
  set(${name} "${output}" PARENT_SCOPE)
  string(REPLACE ";" "," said "${said}")
  string(REGEX MATCHALL "Koalesce: [^\n]*" said "${said}")  # Kokkos has warnings of its own
  set(${name}_said "${said}" PARENT_SCOPE)
  set(${name}_status "${status}" PARENT_SCOPE)
endfunction()

function(expect_equal what a b)
  if(NOT a STREQUAL b)
    message(FATAL_ERROR "${what}: '${a}' is not '${b}'")
  endif()
endfunction()

# By extents alone, two processes do the same to the last bit, and nothing is timed.
run(once KOALESCE_TUNING=by_extents "KOALESCE_TUNING_FILE=${file}")
run(again KOALESCE_TUNING=by_extents "KOALESCE_TUNING_FILE=${file}")
expect_equal("two runs by extents" "${once}" "${again}")
expect_equal("choices by extents" "${once_choices}" 0)
if(EXISTS "${file}")
  message(FATAL_ERROR "choices by extents were kept")
endif()

# By time, the first process tries, and the second one knows.
run(first "KOALESCE_TUNING_FILE=${file}")
if(first_choices LESS 2 OR first_timed EQUAL 0)
  message(FATAL_ERROR "nothing was tried: ${first}")
endif()
expect_equal("remembered by the first process" "${first_remembered}" 0)
run(second "KOALESCE_TUNING_FILE=${file}")
expect_equal("choices of the second process" "${second_choices}" "${first_choices}")
expect_equal("remembered by the second process" "${second_remembered}" "${first_choices}")
expect_equal("timed by the second process" "${second_timed}" 0)
expect_equal("said" "${first_said}${second_said}" "")

# A damaged file, another file, a folder, one that cannot be written: time is lost, and it is said once.
file(READ "${file}" whole)
string(REPLACE "\t" "\t " damaged "${whole}")
file(WRITE "${BINARY}/damaged.txt" "${damaged}")
file(WRITE "${BINARY}/other.txt" "My notes\n")
string(REPLACE "version 1" "version 2" newer "${whole}")
file(WRITE "${BINARY}/newer.txt" "${newer}")
foreach(bad IN ITEMS damaged.txt other.txt newer.txt . other.txt/below)
  run(bad "KOALESCE_TUNING_FILE=${BINARY}/${bad}")
  expect_equal("status with ${bad}" "${bad_status}" 0)
  expect_equal("remembered with ${bad}" "${bad_remembered}" 0)
  list(LENGTH bad_said count)
  expect_equal("messages with ${bad}: ${bad_said}" "${count}" 1)
endforeach()
file(READ "${BINARY}/other.txt" other)
expect_equal("another file" "${other}" "My notes\n")

# Two processes at once leave a file that a third one reads.
file(REMOVE "${file}")
set(ENV{KOALESCE_TUNING_FILE} "${file}")
set(ENV{OMP_NUM_THREADS} 1)
execute_process(COMMAND sh -c "\"$0\" & other=$!; \"$0\" && wait $other" "${PROGRAM}" RESULT_VARIABLE status OUTPUT_QUIET
  ERROR_QUIET)
expect_equal("status of two at once" "${status}" 0)
run(third "KOALESCE_TUNING_FILE=${file}" OMP_NUM_THREADS=1)
expect_equal("remembered after two at once" "${third_remembered}" "${third_choices}")
expect_equal("timed after two at once" "${third_timed}" 0)
expect_equal("said after two at once" "${third_said}" "")

# A mode that there is not is one error.
run(wrong KOALESCE_TUNING=fast)
expect_equal("status of a wrong mode" "${wrong_status}" 3)

# What the program says counts, whatever the environment says.
run(said KOALESCE_TUNING=by_extents KOALESCE_TEST_MODE=by_time)
if(said_timed EQUAL 0)
  message(FATAL_ERROR "nothing was tried: ${said}")
endif()
run(said KOALESCE_TUNING=fast KOALESCE_TEST_MODE=by_extents)
expect_equal("status of a wrong mode that does not count" "${said_status}" 0)
expect_equal("choices by extents, as the program says" "${said_choices}" 0)
if(NOT said MATCHES "choices go: by_extents\n  tuning file: none\n")
  message(FATAL_ERROR "the configuration is another: ${said}")
endif()
