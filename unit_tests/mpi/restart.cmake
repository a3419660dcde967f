# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DMPIEXEC=... -DPREFLAGS=... -DPROGRAM=... -DBINARY=... -P restart.cmake: a run that loses a process, and goes on
# from its checkpoint with others, ends with the bits of one that does not.

file(REMOVE_RECURSE "${BINARY}")
file(MAKE_DIRECTORY "${BINARY}/whole" "${BINARY}/broken")

function(run ranks folder last status_wanted words)
  execute_process(COMMAND ${MPIEXEC} ${ranks} ${PREFLAGS} "${PROGRAM}" "${BINARY}/${folder}" 18 ${last}
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if((status EQUAL 0) STREQUAL (status_wanted STREQUAL "dies") OR NOT text MATCHES "${words}")
    message(FATAL_ERROR "${ranks} ranks in ${folder} to step ${last}: status ${status}\n${text}")
  endif()
endfunction()

run(3 whole 99 ends "from step 0")
run(4 broken 7 dies "from step 0")
run(2 broken 14 dies "from step 4")
run(6 broken 99 ends "from step 12")
file(SHA256 "${BINARY}/whole/final" whole)
file(SHA256 "${BINARY}/broken/final" broken)
if(NOT whole STREQUAL broken)
  message(FATAL_ERROR "the final fields differ")
endif()
