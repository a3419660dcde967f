// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_ORDERED_REDUCE_HPP
#define KOALESCE_OPENMP_ORDERED_REDUCE_HPP

#include <Koalesce/impl/RunBody.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

/// Loops over blocks whose reductions do not depend on the number of threads: every block has a result of its own, and
/// those are joined in order.
namespace Koalesce::Impl {

/// How results of blocks begin and join: as the reducer says, or as a sum.
template <class Result, class Value>
struct BlockResult {
  static void init(Result const&, Value& value) { value = Value(); }
  static void join(Result const&, Value& value, Value const& other) { value += other; }
};
template <class Result, class Value>
requires Kokkos::is_reducer<Result>::value struct BlockResult<Result, Value> {
  static void init(Result const& reducer, Value& value) { reducer.init(value); }
  static void join(Result const& reducer, Value& value, Value const& other) { reducer.join(value, other); }
};

/// body(block, update) for every block.
template <class Exec, class Body, class Result>
void run_blocks(std::string const& label, Exec const& exec, std::int64_t blocks, Body const& body, Result& result) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  if constexpr (std::is_same_v<std::remove_const_t<Result>, NoResult>) {
    run_body(label, Policy(exec, 0, blocks), body, result);
  } else {
    using Given = std::remove_const_t<Result>;
    using Value = typename ResultValue<Given>::type;
    using Join  = BlockResult<Given, Value>;
    Kokkos::View<Value*, Kokkos::HostSpace> const parts(
        Kokkos::view_alloc("Koalesce: results of blocks", Kokkos::WithoutInitializing), std::size_t(blocks));
    Kokkos::parallel_for(label, Policy(exec, 0, blocks), [&, parts](std::int64_t block) {
      Join::init(result, parts(block));
      body(block, parts(block));
    });
    auto const join_all = [&, parts](std::int64_t, Value& update) {
      for (std::int64_t block = 0; block < blocks; ++block) Join::join(result, update, parts(block));
    };
    Kokkos::parallel_reduce(label + " [join]", Policy(exec, 0, 1), join_all, result);
  }
}

}  // namespace Koalesce::Impl

#endif
