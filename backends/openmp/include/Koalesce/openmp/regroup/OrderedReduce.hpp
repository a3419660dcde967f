// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_REGROUP_ORDERED_REDUCE_HPP
#define KOALESCE_OPENMP_REGROUP_ORDERED_REDUCE_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Loops over blocks whose reductions do not depend on the number of threads: every block has its own result, and the
/// results are joined in order.
namespace Koalesce::Impl::OpenMPBackend {

/// How the blocks' results are initialized and joined: by the reducer, or as a sum. Keeps no reference to the caller's
/// variables.
template <class Result, class Value>
struct BlockResult {
  explicit BlockResult(Result const&) {}

  void init(Value& value) const { value = Value(); }
  void join(Value& value, Value const& other) const { value += other; }
};
template <class Result, class Value>
  requires Kokkos::is_reducer<Result>::value
struct BlockResult<Result, Value> {
  Result reducer;

  explicit BlockResult(Result const& given) : reducer(given) {}

  void init(Value& value) const { reducer.init(value); }
  void join(Value& value, Value const& other) const { reducer.join(value, other); }
};

/// Computes each block's result on its thread's stack, because elements of neighboring blocks share cache lines.
template <class Body, class Join, class Value>
struct ReduceBlock {
  Body body;
  Join join;
  Kokkos::View<Value*, Kokkos::HostSpace> parts;

  void operator()(std::int64_t block) const {
    join.init(parts(block));
    Value mine = parts(block);
    body(block, mine);
    parts(block) = mine;
  }
};

/// Joins the results in order, on one thread.
template <class Join, class Value>
struct JoinBlocks {
  using value_type = Value;

  Join join;
  Kokkos::View<Value*, Kokkos::HostSpace> parts;

  void operator()(std::int64_t, Value& update) const {
    for (std::size_t block = 0; block < parts.extent(0); ++block) join.join(update, parts(block));
  }
};

/// Calls body(block, update) for every block. The kernels own their data, because a host execution space may be
/// asynchronous.
/// \tparam Schedule  which thread runs which block.
template <class Schedule = Kokkos::Schedule<Kokkos::Static>, class Exec, class Body, class Result>
void run_blocks(std::string const& label, Exec const& exec, std::int64_t blocks, Body const& body, Result& result) {
  using Policy = Kokkos::RangePolicy<Exec, Schedule, Kokkos::IndexType<std::int64_t>>;
  if constexpr (std::is_same_v<std::remove_const_t<Result>, NoResult>) {
    for_or_reduce(label, Policy(exec, 0, blocks), body, result);
  } else {
    using Given = std::remove_const_t<Result>;
    using Value = typename ResultValue<Given>::type;
    using Join  = BlockResult<Given, Value>;
    Kokkos::View<Value*, Kokkos::HostSpace> const parts(
        Kokkos::view_alloc("Koalesce: results of blocks", Kokkos::WithoutInitializing), std::size_t(blocks));
    Join const join(result);
    Kokkos::parallel_for(label, Policy(exec, 0, blocks), ReduceBlock<Body, Join, Value>{body, join, parts});
    Kokkos::parallel_reduce(label + " [join]", Policy(exec, 0, 1), JoinBlocks<Join, Value>{join, parts}, result);
  }
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
