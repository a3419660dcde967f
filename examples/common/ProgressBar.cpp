// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgressBar.hpp"

#include <unistd.h>

#include <cstdio>

namespace examples {

Progress progress_bar(std::string const& what) {
  if (isatty(STDERR_FILENO) == 0) return [](double) {};
  return [what, shown = -1](double done) mutable {
    constexpr int width = 40;
    if (int(100 * done) == shown) return;
    shown = int(100 * done);
    std::string bar(std::size_t(done * width), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r%-14s [%s] %3d %%", what.c_str(), bar.c_str(), shown);
    if (done >= 1) std::fprintf(stderr, "\r\033[K");
  };
}

}  // namespace examples
