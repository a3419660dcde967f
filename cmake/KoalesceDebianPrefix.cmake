# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# koalesce_debian_prefix(<result>
#   SUITES <suite>...        Debian suites to read; the last one is preferred
#   PACKAGES <package>...)   binary packages to unpack, with their run-time closure
#
# Unpacks Debian packages into a folder of the build tree and sets <result> to it. Needs no root and
# changes nothing on the system: apt works on private lists with an empty package database, so it
# resolves the whole closure, downloads it from the machine's own mirror and checks the signatures
# with the machine's own keyring. The folder appears only when it is complete, and is made again only
# when the suites or packages change.
#
# On failure <result> is set to <result>-NOTFOUND and <result>_REASON says why in one sentence.

include_guard(GLOBAL)

# Increase when prefixes made by an earlier version of this file must not be used any more.
set(_koalesce_debian_prefix_version 1)
set(_koalesce_debian_config_dir "${CMAKE_CURRENT_LIST_DIR}/debian")

function(koalesce_debian_prefix result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SUITES;PACKAGES")
  set(${result} "${result}-NOTFOUND" PARENT_SCOPE)
  set(${result}_REASON "" PARENT_SCOPE)

  if(NOT arg_SUITES)
    set(${result}_REASON "no Debian suite is named" PARENT_SCOPE)
    return()
  endif()
  list(SORT arg_PACKAGES)
  string(SHA256 key "${_koalesce_debian_prefix_version};${arg_SUITES};${arg_PACKAGES}")
  string(SUBSTRING "${key}" 0 10 key)
  set(prefix "${PROJECT_BINARY_DIR}/debian/${key}")
  if(EXISTS "${prefix}")
    _koalesce_debian_install_configs("${prefix}")
    set(${result} "${prefix}" PARENT_SCOPE)
    return()
  endif()

  find_program(Koalesce_APT_GET apt-get)
  find_program(Koalesce_DPKG_DEB dpkg-deb)
  mark_as_advanced(Koalesce_APT_GET Koalesce_DPKG_DEB)
  if(NOT Koalesce_APT_GET OR NOT Koalesce_DPKG_DEB)
    set(${result}_REASON "this machine has no apt-get and dpkg-deb" PARENT_SCOPE)
    return()
  endif()
  _koalesce_debian_mirror(mirror keyring)
  if(NOT mirror)
    set(${result}_REASON "apt's sources on this machine name no Debian mirror" PARENT_SCOPE)
    return()
  endif()

  list(JOIN arg_PACKAGES " " names)
  message(STATUS "Koalesce: unpacking Debian packages into ${prefix}: ${names}")

  set(work "${prefix}.part")
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}/apt/lists/partial" "${work}/apt/cache/archives/partial"
       "${work}/root")
  file(TOUCH "${work}/apt/status")
  set(sources "")
  foreach(suite IN LISTS arg_SUITES)
    if(keyring)
      string(APPEND sources "deb [signed-by=${keyring}] ${mirror} ${suite} main\n")
    else()
      string(APPEND sources "deb ${mirror} ${suite} main\n")
    endif()
  endforeach()
  file(WRITE "${work}/apt/sources.list" "${sources}")
  # Hooks of the machine would act on the machine's own apt; and an empty sandbox user keeps the
  # downloads readable when root runs apt in a folder that the user `_apt` cannot enter.
  file(WRITE "${work}/apt/apt.conf" "\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
Dir::State \"${work}/apt\";
Dir::State::Lists \"${work}/apt/lists\";
Dir::State::status \"${work}/apt/status\";
Dir::Cache \"${work}/apt/cache\";
Dir::Etc::sourcelist \"${work}/apt/sources.list\";
Dir::Etc::sourceparts \"/dev/null\";
Dir::Etc::preferences \"/dev/null\";
Dir::Etc::preferencesparts \"/dev/null\";
Dir::Log \"${work}/apt\";
APT::Sandbox::User \"\";
APT::Install-Recommends \"false\";
APT::Keep-Downloaded-Packages \"true\";
APT::Get::Assume-Yes \"true\";
Acquire::Languages \"none\";
Acquire::Retries \"3\";
")
  set(apt "${CMAKE_COMMAND}" -E env DEBIAN_FRONTEND=noninteractive LC_ALL=C "${Koalesce_APT_GET}"
          -q -c "${work}/apt/apt.conf")
  list(GET arg_SUITES -1 target_release)

  foreach(step IN ITEMS update download)
    if(step STREQUAL "update")
      set(command ${apt} update --error-on=any)
    else()
      set(command ${apt} install --download-only -t ${target_release} ${arg_PACKAGES})
    endif()
    foreach(attempt RANGE 1 3)
      execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE log
                      ERROR_VARIABLE log INPUT_FILE /dev/null)
      if(status EQUAL 0)
        break()
      endif()
      execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep ${attempt})
    endforeach()
    if(NOT status EQUAL 0)
      string(REGEX MATCHALL "(E|Err|W): ?[^\n]+" lines "${log}")
      list(JOIN lines "\n    " lines)
      file(REMOVE_RECURSE "${work}")
      set(${result}_REASON "apt-get ${step} failed (${mirror}):\n    ${lines}" PARENT_SCOPE)
      return()
    endif()
  endforeach()

  file(GLOB archives "${work}/apt/cache/archives/*.deb")
  # The compiler has its own libc headers; another libc's in front of them would not fit its libc.
  list(FILTER archives EXCLUDE REGEX "/(libc6?-dev|linux-libc-dev|libc-dev-bin|libcrypt-dev)_[^/]*$")
  foreach(archive IN LISTS archives)
    execute_process(COMMAND "${Koalesce_DPKG_DEB}" -x "${archive}" "${work}/root"
                    RESULT_VARIABLE status ERROR_VARIABLE log)
    if(NOT status EQUAL 0)
      file(REMOVE_RECURSE "${work}")
      set(${result}_REASON "cannot unpack ${archive}: ${log}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  _koalesce_debian_install_configs("${work}/root")
  file(RENAME "${work}/root" "${prefix}")
  file(REMOVE_RECURSE "${work}")
  set(${result} "${prefix}" PARENT_SCOPE)
endfunction()

# The URI of the machine's Debian mirror, and the keyring that its sources name for it. apt itself
# reads the sources (one-line and deb822 files); it does not print the keyring, hence the second part.
function(_koalesce_debian_mirror mirror_result keyring_result)
  set(${mirror_result} "" PARENT_SCOPE)
  set(${keyring_result} "" PARENT_SCOPE)
  set(codename "stable")
  if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release codename REGEX "^VERSION_CODENAME=")
    string(REGEX REPLACE "^VERSION_CODENAME=\"?([a-z]*)\"?.*" "\\1" codename "${codename}")
  endif()
  execute_process(COMMAND "${Koalesce_APT_GET}" update --print-uris -o Debug::NoLocking=true
                  OUTPUT_VARIABLE uris ERROR_QUIET)
  string(REGEX MATCHALL
    "'[^'\n]+/dists/(${codename}|stable|oldstable|testing|unstable|sid)/InRelease'" uris "${uris}")
  set(mirror "")
  foreach(uri IN LISTS uris)
    string(REGEX REPLACE "^'(.+)/dists/[^/]+/InRelease'$" "\\1" uri "${uri}")
    # Other archives may use Debian's code names; Debian's own end in /debian on every mirror.
    if(uri MATCHES "/debian/?$")
      set(mirror "${uri}")
      break()
    endif()
  endforeach()
  if(NOT mirror)
    return()
  endif()
  string(REGEX REPLACE "/$" "" mirror "${mirror}")

  set(keyring "")
  file(GLOB files /etc/apt/sources.list /etc/apt/sources.list.d/*.list
       /etc/apt/sources.list.d/*.sources)
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REGEX REPLACE "(^|\n)[ \t]*#[^\n]*" "" text "${text}")
    string(REGEX REPLACE "[][;]" " " text "${text}")
    if(file MATCHES "\\.sources$")
      string(REGEX REPLACE "\n[ \t]*\n" ";" entries "${text}")
    else()
      string(REPLACE "\n" ";" entries "${text}")
    endif()
    foreach(entry IN LISTS entries)
      # Whole: another archive's URI may begin with it.
      string(REGEX REPLACE "/?[ \t\n]+" " " words "${entry} ")
      string(FIND "${words}" "${mirror} " at)
      if(NOT at EQUAL -1 AND words MATCHES "[Ss]igned-[Bb]y[=:] ?(/[^ ]+)")
        set(keyring "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endforeach()
  # Sources without Signed-By trust every key that apt knows, which include Debian's own.
  set(${mirror_result} "${mirror}" PARENT_SCOPE)
  set(${keyring_result} "${keyring}" PARENT_SCOPE)
endfunction()

# Puts package configurations that work from any folder where Debian's own name /usr.
function(_koalesce_debian_install_configs root)
  foreach(package IN ITEMS Kokkos KokkosKernels)
    file(GLOB dirs "${root}/usr/lib/*/cmake/${package}")
    foreach(dir IN LISTS dirs)
      file(COPY "${_koalesce_debian_config_dir}/KoalesceDebianRuntime.cmake"
                "${_koalesce_debian_config_dir}/${package}Config.cmake"
           DESTINATION "${dir}")
    endforeach()
  endforeach()
endfunction()
