// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_REGROUP_UNTIL_HPP
#define KOALESCE_OPENMP_REGROUP_UNTIL_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/regroup/OrderedReduce.hpp>
#include <Koalesce/regroup/impl/UntilBackend.hpp>
#include <Koalesce/regroup/impl/UntilWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// All of this runs on the host, which nvcc cannot know: it would warn about calls of host functions.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20014, 20015
#endif

/// Loops of different lengths on CPU threads: blocks of items, as many for each thread, or for the next one that is
/// free.
namespace Koalesce::Impl::OpenMPBackend {

template <class Work>
struct UntilBlock {
  Work work;
  std::int64_t block;  // items

  template <class Update>
  void operator()(std::int64_t b, Update& update) const {
    Work const mine        = work;  // a local copy: functors cannot write to it, so it stays in registers
    std::int64_t const end = std::min(mine.begin + (b + 1) * block, mine.end);
    for (std::int64_t item = mine.begin + b * block; item < end; ++item) mine.run(item, update);
  }
};

template <class Exec, class Work>
std::vector<UntilVariant> until_variants(Tag, Exec const& exec, Work const&) {
  std::vector<UntilVariant> variants{{"plain"}};
  if (threads_of(exec) > 1) variants.push_back({"shared"});
  return variants;
}

template <class Tag>
std::size_t until_memory(Tag, UntilVariant const&) {
  return 0;
}

/// The blocks do not depend on the number of threads, and so results do not.
template <class Exec, class Work, class Result>
void run_until(Tag, Exec const& exec, std::string const& label, Work const& work, UntilVariant const& variant, char*,
               Result& result) {
  std::int64_t const block  = std::clamp<std::int64_t>(work.items() / 4096, 1, 1024);
  std::int64_t const blocks = (work.items() + block - 1) / block;
  UntilBlock<Work> const body{work, block};
  if (variant.is_plain()) run_blocks(label, exec, blocks, body, result);
  else run_blocks<Kokkos::Schedule<Kokkos::Dynamic>>(label, exec, blocks, body, result);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
