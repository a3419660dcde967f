# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines the target Koalesce::debian_runtime for the Debian prefix _koalesce_debian_prefix: the link
# options that an executable needs to run with the libraries unpacked there. They are newer than the
# machine's, and so are the libc and the libstdc++ that they ask for; the prefix has those, and the
# executable must start with the loader that belongs to that libc. DT_RPATH instead of DT_RUNPATH,
# because only the former also serves the libraries that the libraries load; and --no-as-needed, because
# a library with a DT_RUNPATH of its own is not served even so, unless the executable loads what it needs.

include_guard(DIRECTORY)

if(NOT TARGET Koalesce::debian_runtime)
  add_library(Koalesce::debian_runtime INTERFACE IMPORTED)
  file(GLOB _koalesce_debian_loader "${_koalesce_debian_prefix}/usr/lib/*/ld-linux*.so.*")
  if(_koalesce_debian_loader)
    list(GET _koalesce_debian_loader 0 _koalesce_debian_loader)
    get_filename_component(_koalesce_debian_libdir "${_koalesce_debian_loader}" DIRECTORY)
    set(_koalesce_debian_rpath "-Wl,-rpath,${_koalesce_debian_libdir}")
    file(GLOB _koalesce_debian_libs "${_koalesce_debian_libdir}/*/lib*.so.*")
    foreach(_koalesce_debian_lib IN LISTS _koalesce_debian_libs)
      get_filename_component(_koalesce_debian_dir "${_koalesce_debian_lib}" DIRECTORY)
      list(APPEND _koalesce_debian_rpath "-Wl,-rpath,${_koalesce_debian_dir}")
    endforeach()
    list(REMOVE_DUPLICATES _koalesce_debian_rpath)
    target_link_options(Koalesce::debian_runtime INTERFACE
      "-Wl,--dynamic-linker=${_koalesce_debian_loader}" -Wl,--disable-new-dtags -Wl,--no-as-needed
      -Wl,--allow-shlib-undefined ${_koalesce_debian_rpath})
  endif()
endif()
