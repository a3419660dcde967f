# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The components mpi, <Koalesce/Distributed.hpp>, for which a program also needs MPI, and checkpoint,
# <Koalesce/Checkpoint.hpp>, for which it also needs an HDF5 that was built for MPI.

# Lets Koalesce::mpi send halos by NCCL, where Kokkos has CUDA and NCCL is found. Koalesce_ENABLE_NCCL is ON, OFF, or
# AUTO, which is as if it were not set. OFF leaves it out; if it is ON and there is CUDA, but no NCCL, that is an
# error.
macro(_koalesce_add_nccl)
  _koalesce_kokkos_has(_koalesce_cuda CUDA)
  if(_koalesce_cuda AND (Koalesce_ENABLE_NCCL OR NOT DEFINED Koalesce_ENABLE_NCCL))
    find_path(Koalesce_NCCL_INCLUDE nccl.h HINTS "${NCCL_ROOT}" ENV NCCL_ROOT ENV CUDA_HOME /usr/local/cuda
      PATH_SUFFIXES include)
    find_library(Koalesce_NCCL_LIBRARY nccl HINTS "${NCCL_ROOT}" ENV NCCL_ROOT ENV CUDA_HOME /usr/local/cuda
      PATH_SUFFIXES lib lib64)
    mark_as_advanced(Koalesce_NCCL_INCLUDE Koalesce_NCCL_LIBRARY)
    if(Koalesce_NCCL_INCLUDE AND Koalesce_NCCL_LIBRARY)
      target_include_directories(Koalesce::mpi SYSTEM INTERFACE "${Koalesce_NCCL_INCLUDE}")
      target_link_libraries(Koalesce::mpi INTERFACE "${Koalesce_NCCL_LIBRARY}")
      target_compile_definitions(Koalesce::mpi INTERFACE KOALESCE_HAS_NCCL)
    elseif(DEFINED Koalesce_ENABLE_NCCL AND NOT Koalesce_ENABLE_NCCL STREQUAL "AUTO")
      message(FATAL_ERROR "Koalesce_ENABLE_NCCL is ${Koalesce_ENABLE_NCCL}, but no NCCL was found: give one with \
-DNCCL_ROOT=<where it is installed>, or do without it: -DKoalesce_ENABLE_NCCL=OFF")
    endif()
  endif()
endmacro()

# Adds the target Koalesce::mpi, unless it is there, where MPI is found.
macro(_koalesce_add_mpi)
  if(NOT TARGET Koalesce::mpi)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      add_library(Koalesce::mpi INTERFACE IMPORTED GLOBAL)
      target_link_libraries(Koalesce::mpi INTERFACE Koalesce::koalesce MPI::MPI_CXX)
      # MPI's C functions are all that is used.
      target_compile_definitions(Koalesce::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
      _koalesce_add_nccl()
    endif()
  endif()
endmacro()

# Adds the target Koalesce::checkpoint, unless it is there, where the former is and a parallel HDF5 is found. (CMake's own
# module needs C, or HDF5's C++ library, which is not parallel.)
macro(_koalesce_add_checkpoint)
  _koalesce_add_mpi()
  if(TARGET Koalesce::mpi AND NOT TARGET Koalesce::checkpoint)
    # Debian has one for each MPI; that of another would bring that into the program, too.
    set(_koalesce_suffixes hdf5/openmpi hdf5/mpich)
    if("${MPI_CXX_LIBRARIES}" MATCHES "mpich")
      set(_koalesce_suffixes hdf5/mpich)
    elseif("${MPI_CXX_LIBRARIES}" MATCHES "openmpi")
      set(_koalesce_suffixes hdf5/openmpi)
    endif()
    find_path(Koalesce_HDF5_INCLUDE hdf5.h HINTS "${HDF5_ROOT}" ENV HDF5_ROOT PATH_SUFFIXES include ${_koalesce_suffixes})
    find_library(Koalesce_HDF5_LIBRARY hdf5 HINTS "${HDF5_ROOT}" ENV HDF5_ROOT PATH_SUFFIXES lib ${_koalesce_suffixes})
    mark_as_advanced(Koalesce_HDF5_INCLUDE Koalesce_HDF5_LIBRARY)
    set(_koalesce_parallel "")
    foreach(_koalesce_header IN ITEMS H5pubconf.h H5pubconf-64.h)  # Fedora's first one includes another
      if(Koalesce_HDF5_INCLUDE AND Koalesce_HDF5_LIBRARY AND EXISTS "${Koalesce_HDF5_INCLUDE}/${_koalesce_header}")
        file(STRINGS "${Koalesce_HDF5_INCLUDE}/${_koalesce_header}" _koalesce_lines REGEX "define H5_HAVE_PARALLEL 1")
        string(APPEND _koalesce_parallel "${_koalesce_lines}")
      endif()
    endforeach()
    if(_koalesce_parallel)
      add_library(Koalesce::checkpoint INTERFACE IMPORTED GLOBAL)
      target_link_libraries(Koalesce::checkpoint INTERFACE Koalesce::mpi "${Koalesce_HDF5_LIBRARY}")
      target_include_directories(Koalesce::checkpoint INTERFACE "${Koalesce_HDF5_INCLUDE}")
    else()
      # Or an HDF5_ROOT that is given next would not count.
      unset(Koalesce_HDF5_INCLUDE CACHE)
      unset(Koalesce_HDF5_LIBRARY CACHE)
    endif()
  endif()
endmacro()
