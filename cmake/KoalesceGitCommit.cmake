# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -DSOURCE=<repository> -DOUTPUT=<file.cpp> -P KoalesceGitCommit.cmake
# Writes the commit into a C++ source, which changes only when the commit does; runs at every build.
set(commit unknown)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS "${SOURCE}/.git")  # and not of a project that has Koalesce's sources in it
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE}" rev-parse HEAD
    OUTPUT_VARIABLE head ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit "${head}")
    execute_process(COMMAND "${GIT_EXECUTABLE}" --no-optional-locks -C "${SOURCE}" status --porcelain
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Provenance.hpp"

char const* Provenance::git_commit() { return "@commit@"; }
]] @ONLY)
