# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The last step of an installation. Headers that an earlier version left would be found by users and by nobody else, so what
# it installed, and this one did not, is removed. KoalesceInstalledFiles.txt, beside the package's other files, says what that
# is, relative to its folder: an installation can be moved.
#
# _koalesce_config_dir is that folder, without DESTDIR; _koalesce_others is how many files were installed before Koalesce's.

include("${CMAKE_CURRENT_LIST_DIR}/KoalesceUninstall.cmake")

# A prefix may be relative: to this script's working folder, as for all else that is installed.
cmake_path(ABSOLUTE_PATH _koalesce_config_dir BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
set(_koalesce_list "${_koalesce_config_dir}/KoalesceInstalledFiles.txt")
list(SUBLIST CMAKE_INSTALL_MANIFEST_FILES ${_koalesce_others} -1 _koalesce_installed)
list(APPEND _koalesce_installed "${_koalesce_list}")
set(_koalesce_files "")
foreach(_koalesce_file IN LISTS _koalesce_installed)
  file(RELATIVE_PATH _koalesce_file "${_koalesce_config_dir}" "${_koalesce_file}")
  list(APPEND _koalesce_files "${_koalesce_file}")
endforeach()
list(SORT _koalesce_files)

if(EXISTS "$ENV{DESTDIR}${_koalesce_list}")
  file(STRINGS "$ENV{DESTDIR}${_koalesce_list}" _koalesce_stale)
  list(REMOVE_ITEM _koalesce_stale ${_koalesce_files})
  _koalesce_remove_files("$ENV{DESTDIR}${_koalesce_config_dir}" ${_koalesce_stale})
endif()
list(JOIN _koalesce_files "\n" _koalesce_files)
file(WRITE "$ENV{DESTDIR}${_koalesce_list}" "${_koalesce_files}\n")
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${_koalesce_list}")
