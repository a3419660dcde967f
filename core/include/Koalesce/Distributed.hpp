// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_HPP
#define KOALESCE_DISTRIBUTED_HPP

/// \file
/// Stencils over several processes: a Domain in place of extents, exchange_halo for other kernels, gather and scatter.
/// It needs MPI and the target Koalesce::mpi.

#include <Koalesce/Stencil.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/ExchangeHalo.hpp>
#include <Koalesce/distributed/Gather.hpp>
#include <Koalesce/distributed/impl/RankStencil.hpp>
#include <Koalesce/distributed/impl/RankSteps.hpp>
#include <Koalesce/enabled/Distributed.hpp>

#endif
