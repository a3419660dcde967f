// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_FOR_OR_REDUCE_HPP
#define KOALESCE_COMMON_IMPL_FOR_OR_REDUCE_HPP

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

/// Loops and reductions from one body.
namespace Koalesce::Impl {

/// Takes the place of the variable to reduce into, in loops that reduce nothing.
struct NoUpdate {};

/// Adapts body(item, update) to parallel_for, whose functors take no update.
template <class Body>
struct WithoutUpdate {
  Body body;

  template <class Item>
  KOKKOS_FUNCTION void operator()(Item const& item) const {
    NoUpdate update;
    body(item, update);
  }
};

/// Adapts body(item, update) to parallel_reduce.
template <class Body, class Value>
struct WithUpdate {
  using value_type = Value;

  Body body;

  template <class Item>
  KOKKOS_FUNCTION void operator()(Item const& item, Value& update) const {
    body(item, update);
  }
};

/// Takes the place of the result in loops that reduce nothing.
struct NoResult {};

template <class Result>
struct ResultValue {
  using type = Result;
};
template <class Result>
  requires Kokkos::is_reducer<Result>::value
struct ResultValue<Result> {
  using type = typename Result::value_type;
};
template <class Result>
  requires Kokkos::is_view_v<Result>
struct ResultValue<Result> {
  using type = typename Result::non_const_value_type;
};

/// Calls body(item, update) for every item of the policy, and reduces into `result` unless that is NoResult.
template <class Policy, class Body, class Result>
void for_or_reduce(std::string const& label, Policy const& policy, Body const& body, Result& result) {
  if constexpr (std::is_same_v<std::remove_const_t<Result>, NoResult>)
    Kokkos::parallel_for(label, policy, WithoutUpdate<Body>{body});
  else
    Kokkos::parallel_reduce(label, policy,
                            WithUpdate<Body, typename ResultValue<std::remove_const_t<Result>>::type>{body}, result);
}

}  // namespace Koalesce::Impl

#endif
