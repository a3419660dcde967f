// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_MPI_ON_DEVICE_HPP
#define KOALESCE_CUDA_DISTRIBUTED_MPI_ON_DEVICE_HPP

#include <Koalesce/distributed/impl/transport/DeviceMessages.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace Koalesce::Impl {

/// What Open MPI, or MPICH, says of itself.
template <>
struct MpiOnDevice<Kokkos::Cuda> {
  static bool works() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int supported = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#else
    return false;
#endif
  }
};

}  // namespace Koalesce::Impl

#endif
