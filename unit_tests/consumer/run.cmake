# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DOPTIONS=... -DRUN=... -P run.cmake: configures, builds and runs a project;
# with an empty RUN, only configures it.

file(REMOVE_RECURSE "${BINARY}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BINARY}" ${OPTIONS}
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT RUN)
  return()
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${RUN} WORKING_DIRECTORY "${BINARY}" COMMAND_ERROR_IS_FATAL ANY)
