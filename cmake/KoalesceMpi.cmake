# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The component mpi: <Koalesce/Distributed.hpp>, for which a program also needs MPI.

# Adds the target Koalesce::mpi, unless it is there, where MPI is found.
macro(_koalesce_add_mpi)
  if(NOT TARGET Koalesce::mpi)
    find_package(MPI QUIET COMPONENTS CXX)
    if(MPI_CXX_FOUND)
      add_library(Koalesce::mpi INTERFACE IMPORTED GLOBAL)
      target_link_libraries(Koalesce::mpi INTERFACE Koalesce::koalesce MPI::MPI_CXX)
      # MPI's C functions are all that is used.
      target_compile_definitions(Koalesce::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    endif()
  endif()
endmacro()
