// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_CALL_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_CALL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupBackend.hpp>
#include <Koalesce/regroup/impl/RegroupLoop.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// One call: what it runs on and with.
template <class Tag, class Exec, class Work, class Result>
struct RegroupCall {
  Exec const& exec;
  std::string const& label;
  Work const& work;
  Result& result;
  RegroupLoop<Exec>& loop;

  std::string named(char const* way) const { return kernel_label(Tag{}, label + " [" + way + "]"); }

  /// Whether it had the memory.
  bool run(RegroupWay way) const {
    auto const kernel = [&](char const* step) { return named(step); };
    static_assert(RegroupBackend<Tag, Exec, decltype(kernel), Work, Result>,
                  "Koalesce: the execution space's backend was not included, or lacks what RegroupBackend asks for; "
                  "include <Koalesce/Regroup.hpp>, or write it");
    std::size_t const bytes = regroup_memory(Tag{}, work, way);
    auto const run_with     = [&](char* memory) { run_regroup(Tag{}, exec, kernel, work, way, memory, result); };
    if (bytes == 0) {
      run_with(nullptr);
      return true;
    }
    auto memory = RegroupLoops<Exec>::memory().take(exec, bytes);
    if (!memory) return false;
    run_with(memory->bytes.data());
    if (Stopwatch<Exec>::can_measure(exec)) RegroupLoops<Exec>::memory().give_back(std::move(memory));
    else RegroupLoops<Exec>::memory().keep(std::move(memory));
    return true;
  }

  /// The way, or the plain loop where there is no memory for it.
  bool run_or_plain(RegroupWay way) const { return run(way) || (run(RegroupWay::plain), false); }
};

}  // namespace Koalesce::Impl

#endif
