# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBINARY=... -DPREFIX=... -DCONFIG_DIR=... -DINCLUDE_DIR=... -DDATA_DIR=... -P installed_files.cmake:
# what is installed is all headers and the package's files, nothing else, and can be moved.

set(expected
  ${CONFIG_DIR}/KoalesceConfig.cmake ${CONFIG_DIR}/KoalesceConfigVersion.cmake ${CONFIG_DIR}/KoalesceKokkos.cmake ${CONFIG_DIR}/KoalesceMpi.cmake
  ${CONFIG_DIR}/KoalesceTargets.cmake ${CONFIG_DIR}/KoalesceUninstall.cmake ${CONFIG_DIR}/KoalesceInstalledFiles.txt
  ${DATA_DIR}/licenses/Koalesce/LICENSE)
file(GLOB roots "${SOURCE}/core/include" "${SOURCE}/backends/*/include")
foreach(root IN LISTS roots)
  file(GLOB_RECURSE headers RELATIVE "${root}" "${root}/*")
  list(TRANSFORM headers PREPEND "${INCLUDE_DIR}/")
  list(APPEND expected ${headers})
endforeach()
list(SORT expected)

file(GLOB_RECURSE installed RELATIVE "${PREFIX}" "${PREFIX}/*")
list(SORT installed)
if(NOT installed STREQUAL expected)
  set(missing ${expected})
  list(REMOVE_ITEM missing ${installed})
  list(REMOVE_ITEM installed ${expected})
  message(FATAL_ERROR "Not installed: ${missing}\nInstalled, but not of the package: ${installed}")
endif()

foreach(file IN LISTS installed)
  file(STRINGS "${PREFIX}/${file}" lines)
  foreach(folder IN ITEMS "${SOURCE}" "${BINARY}" "${PREFIX}")
    string(FIND "${lines}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()
