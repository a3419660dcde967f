// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CHECKPOINT_HPP
#define KOALESCE_CHECKPOINT_HPP

/// \file
/// The state of a run over several processes in a file, to go on from with any number of them. It needs MPI, a parallel
/// HDF5, and the target Koalesce::checkpoint.

#include <Koalesce/Distributed.hpp>
#include <Koalesce/distributed/Checkpoint.hpp>

#endif
