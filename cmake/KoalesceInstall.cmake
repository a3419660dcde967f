# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(CMakePackageConfigHelpers)

option(Koalesce_ENABLE_INSTALL "Install Koalesce" ${PROJECT_IS_TOP_LEVEL})
if(NOT Koalesce_ENABLE_INSTALL)
  return()
endif()

set(_koalesce_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Koalesce")
# In another project's installation, what comes before and after this is not ours.
install(CODE "list(LENGTH CMAKE_INSTALL_MANIFEST_FILES _koalesce_others)")
foreach(_koalesce_root IN LISTS _koalesce_include_roots)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${_koalesce_root}/"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(TARGETS koalesce EXPORT KoalesceTargets)
install(EXPORT KoalesceTargets NAMESPACE Koalesce:: DESTINATION "${_koalesce_config_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/KoalesceConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/KoalesceConfig.cmake" INSTALL_DESTINATION "${_koalesce_config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/KoalesceConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/KoalesceConfig.cmake"
              "${PROJECT_BINARY_DIR}/KoalesceConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/KoalesceKokkos.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/KoalesceMpi.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/KoalesceUninstall.cmake"
        DESTINATION "${_koalesce_config_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/Koalesce")

# Removes what an earlier version installed there and this one does not, and lists what is there now for the next.
cmake_path(ABSOLUTE_PATH _koalesce_config_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE _koalesce_absolute)
set(_koalesce_uninstall_dir "${_koalesce_absolute}")
cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${_koalesce_absolute}" NORMALIZE _koalesce_below)
if(_koalesce_below)
  # `cmake --install --prefix` may say otherwise later.
  cmake_path(RELATIVE_PATH _koalesce_absolute BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
  set(_koalesce_absolute "\${CMAKE_INSTALL_PREFIX}/${_koalesce_absolute}")
endif()
install(CODE "set(_koalesce_config_dir \"${_koalesce_absolute}\")")
install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/KoalesceInstalledFiles.cmake")

if(PROJECT_IS_TOP_LEVEL AND NOT TARGET uninstall)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${_koalesce_uninstall_dir}"
    -P "${CMAKE_CURRENT_LIST_DIR}/KoalesceUninstall.cmake" VERBATIM)
endif()
