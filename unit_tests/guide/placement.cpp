// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/placement/OnChip.hpp>
#include <Koalesce/placement/Place.hpp>

int main() {
  auto const stated =
#include "placement/estimate.inc"
      ;
#include "placement/written.inc"
  bool const right = placement.size() == 2 && placement[1] == Koalesce::Place::registers;
  return stated.stated_accesses() == 4. && right ? 0 : 1;
}
