# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include(CMakePackageConfigHelpers)

option(Koalesce_ENABLE_INSTALL "Install Koalesce" ${PROJECT_IS_TOP_LEVEL})
if(NOT Koalesce_ENABLE_INSTALL)
  return()
endif()

set(_koalesce_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Koalesce")
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
        DESTINATION "${_koalesce_config_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/Koalesce")
