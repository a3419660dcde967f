// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_ENABLED_DISTRIBUTED_HPP
#define KOALESCE_ENABLED_DISTRIBUTED_HPP

#include <Koalesce/enabled/Backends.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/distributed/MpiOnDevice.hpp>
#include <Koalesce/cuda/distributed/PeerMemory.hpp>
#include <Koalesce/cuda/distributed/SideInstance.hpp>
// Koalesce::mpi defines it where NCCL is.
#ifdef KOALESCE_HAS_NCCL
#include <Koalesce/cuda/distributed/NcclMessages.hpp>
#endif
#endif

#endif
