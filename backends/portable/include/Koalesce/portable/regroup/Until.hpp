// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_UNTIL_HPP
#define KOALESCE_PORTABLE_REGROUP_UNTIL_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/regroup/impl/UntilBackend.hpp>
#include <Koalesce/regroup/impl/UntilWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Loops of different lengths, in Kokkos alone.
namespace Koalesce::Impl::PortableBackend {

template <class Work>
struct PlainUntil {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    work.run(item, update);
  }
};

template <class Exec, class Work, class Result>
void run_plain_until(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  for_or_reduce(label, argument_range<std::int64_t>(exec, work.begin, work.end), PlainUntil<Work>{work}, result);
}

/// Threads that take a few items at a time from those that are left.
template <class Work>
struct SharedItems {
  Work work;
  std::int64_t* taken;
  std::int64_t at_a_time;

  /// A thread's next item; the loops over items and over their steps are one, so that the threads of a warp whose items
  /// are done go on with others.
  struct Next {
    std::int64_t item = 0, end = 0;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool take(Next& next) const {
    if (++next.item < next.end) return true;
    next.item = work.begin + Kokkos::atomic_fetch_add(taken, at_a_time);
    next.end  = Kokkos::min(next.item + at_a_time, work.end);
    return next.item < work.end;
  }

  template <class Update>
  KOKKOS_FUNCTION void operator()(int, Update& update) const {
    Next next;
    if (!take(next)) return;
    auto state = work.steps.init(next.item);
    for (;;) {
      if (!work.steps.step(next.item, state, update)) continue;
      work.steps.finish(next.item, state, update);
      if (!take(next)) return;
      state = work.steps.init(next.item);
    }
  }
};

/// Sets the counter of items that are taken to 0.
struct TakeNone {
  std::int64_t* taken;

  KOKKOS_FUNCTION void operator()(int) const { *taken = 0; }
};

template <class Exec, class Work, class Result>
void run_shared_until(Exec const& exec, std::string const& label, Work const& work, char* memory, Result& result) {
  auto* const taken         = reinterpret_cast<std::int64_t*>(memory);
  std::int64_t const thread = std::max(1, threads_of(exec));
  std::int64_t const each   = std::clamp<std::int64_t>(work.items() / (16 * thread), 1, 64);
  Kokkos::parallel_for(label + " begin", argument_range<int>(exec, 0, 1), TakeNone{taken});
  for_or_reduce(label, argument_range<int>(exec, 0, int(std::min(thread, work.items()))),
                SharedItems<Work>{work, taken, each}, result);
}

template <RunsPortable Tag, class Exec, class Work>
std::vector<UntilVariant> until_variants(Tag, Exec const&, Work const&) {
  return {{"plain"}, {"shared"}};
}

/// All variants but the plain loop count the items that have been taken.
template <class Tag>
std::size_t until_memory(Tag, UntilVariant const& variant) {
  return variant.is_plain() ? 0 : sizeof(std::int64_t);
}

template <RunsPortable Tag, class Exec, class Work, class Result>
void run_until(Tag, Exec const& exec, std::string const& label, Work const& work, UntilVariant const& variant,
               char* memory, Result& result) {
  if (variant.is_plain()) run_plain_until(exec, label, work, result);
  else run_shared_until(exec, label, work, memory, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
