// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_LARGE_SUPPORT_HPP
#define KOALESCE_TEST_LARGE_SUPPORT_HPP

#include "TestSupport.hpp"

#include <fstream>

namespace Koalesce::Test {

/// Whether the host has `gib` GiB to spare; not known is no.
inline bool host_has_gib(std::int64_t gib) {
  std::ifstream info("/proc/meminfo");
  for (std::string key, unit; info >> key;) {
    std::int64_t kib = 0;
    if (key == "MemAvailable:" && info >> kib) return kib >= (gib << 20);
    std::getline(info, unit);
  }
  return false;
}

}  // namespace Koalesce::Test

#endif
