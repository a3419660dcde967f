// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/placement/OnChip.hpp>

int main() {
  auto const stated =
#include "placement/estimate.inc"
      ;
  return stated.stated_accesses() == 4. ? 0 : 1;
}
