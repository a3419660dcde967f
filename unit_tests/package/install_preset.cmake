# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DPREFIX=... -DOPTIONS=... -P install_preset.cmake: installs as README.md says.

file(REMOVE_RECURSE "${BINARY}" "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --preset install -B "${BINARY}" --install-prefix "${PREFIX}" ${OPTIONS}
                WORKING_DIRECTORY "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BINARY}" --target install COMMAND_ERROR_IS_FATAL ANY)
