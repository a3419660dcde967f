// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_HPP
#define KOALESCE_REGROUP_HPP

/// \file
/// Branches: parallel_regroup and parallel_regroup_until for loops, team_regroup and TeamRegroup in a team's kernel.

#include <Koalesce/enabled/Regroup.hpp>
#include <Koalesce/regroup/ParallelRegroup.hpp>
#include <Koalesce/regroup/ParallelRegroupUntil.hpp>
#include <Koalesce/regroup/TeamRegroup.hpp>

#endif
