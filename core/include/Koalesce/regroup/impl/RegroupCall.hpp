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

  std::string named(char const* variant) const { return kernel_label(Tag{}, label + " [" + variant + "]"); }

  /// Runs a variant; returns false if there was no memory for it.
  bool run(RegroupVariant variant) const {
    auto const kernel = [&](char const* step) { return named(step); };
    static_assert(RegroupBackend<Tag, Exec, decltype(kernel), Work, Result>,
                  "Koalesce: the execution space's backend was not included, or lacks a function that RegroupBackend "
                  "requires; include <Koalesce/Regroup.hpp>, or write that function");
    std::size_t const bytes = regroup_memory(Tag{}, work, variant);
    auto const run_with     = [&](char* memory) { run_regroup(Tag{}, exec, kernel, work, variant, memory, result); };
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

  /// Runs the variant, or the plain loop if there is no memory for it.
  bool run_or_plain(RegroupVariant variant) const { return run(variant) || (run(RegroupVariant::plain), false); }
};

}  // namespace Koalesce::Impl

#endif
