# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DBINARY=... -DPREFIX=... -P install.cmake: installs a build into a folder that holds nothing of earlier ones.

file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
