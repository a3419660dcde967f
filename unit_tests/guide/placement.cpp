// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/OnChip.hpp>

int main() {
  auto const stated =
#include "placement/estimate.inc"
      ;
  return stated.stated_accesses() == 4. ? 0 : 1;
}
