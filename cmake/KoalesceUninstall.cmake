# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -P <prefix>/lib/cmake/Koalesce/KoalesceUninstall.cmake: removes the Koalesce that this file was installed with. The
# target `uninstall` says with -DFOLDER, below DESTDIR, where the file would be.

# Removes files, which are relative to <folder>, and those of Koalesce's folders that are then empty.
function(_koalesce_remove_files folder)
  set(folders "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${folder}" NORMALIZE)
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
      message(STATUS "Removing: ${file}")
      file(REMOVE "${file}")
    endif()
    cmake_path(GET file PARENT_PATH parent)
    while(parent MATCHES "/Koalesce(/|$)")
      list(APPEND folders "${parent}")
      cmake_path(GET parent PARENT_PATH parent)
    endwhile()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(SORT folders ORDER DESCENDING)  # what is inside comes first
  foreach(parent IN LISTS folders)
    string(REGEX REPLACE "([[*?])" "[\\1]" pattern "${parent}")  # as they are
    file(GLOB content "${pattern}/*")
    if(NOT content AND IS_DIRECTORY "${parent}")
      file(REMOVE_RECURSE "${parent}")
    endif()
  endforeach()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(_koalesce_folder "${CMAKE_CURRENT_LIST_DIR}")
  if(FOLDER)
    set(_koalesce_folder "$ENV{DESTDIR}${FOLDER}")
  endif()
  if(NOT EXISTS "${_koalesce_folder}/KoalesceInstalledFiles.txt")
    message(FATAL_ERROR "Koalesce is not installed there: ${_koalesce_folder} has no KoalesceInstalledFiles.txt; where it is \
installed, run cmake -P <where>/lib/cmake/Koalesce/KoalesceUninstall.cmake")
  endif()
  file(STRINGS "${_koalesce_folder}/KoalesceInstalledFiles.txt" _koalesce_files)
  _koalesce_remove_files("${_koalesce_folder}" ${_koalesce_files})
endif()
