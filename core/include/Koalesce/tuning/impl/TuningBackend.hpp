// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_BACKEND_HPP
#define KOALESCE_TUNING_IMPL_TUNING_BACKEND_HPP

#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <concepts>

namespace Koalesce::Impl {

/// What a backend must have for choices by time, found by argument-dependent lookup through its tag:
///
///     tuning_machine(tag, exec)  for what machine and software a measurement holds
template <class Tag, class Exec>
concept TuningBackend = requires(Tag tag, Exec const& exec) {
  { tuning_machine(tag, exec) } -> std::same_as<TuningMachine>;
};

}  // namespace Koalesce::Impl

#endif
