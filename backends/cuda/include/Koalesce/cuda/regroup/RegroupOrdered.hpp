// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_REGROUP_ORDERED_HPP
#define KOALESCE_CUDA_REGROUP_REGROUP_ORDERED_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/portable/regroup/GridPlan.hpp>
#include <Koalesce/portable/regroup/KeyOrder.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <string>

/// Regrouping over the grid in order of keys, sorted by CUB, once or for a plan.
namespace Koalesce::Impl::CudaBackend {

using PortableBackend::GridKeyOrder;

/// Sorts, or sets `bytes` to what it needs if `scratch` is null. Leaves what is sorted in `order`'s first arrays.
/// A template, so that a file compiles CUB's kernels for its own ordered loops alone.
template <class Order>
cudaError_t sort_by_number(void* scratch, std::size_t& bytes, Order& order, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> numbers(order.number, order.next_number);
  cub::DoubleBuffer<int> items(order.item, order.next_item);
  auto const status =
      cub::DeviceRadixSort::SortPairs(scratch, bytes, numbers, items, order.items, 0, order.bits.total, stream);
  if (numbers.Current() != order.number) order.swap();
  return status;
}

/// Bytes that a loop in order of keys needs on the instance's device.
template <class Order = GridKeyOrder>
std::size_t ordered_memory(Kokkos::Cuda const& exec, std::int64_t items) {
  std::size_t bytes = 0;
  choose_device("Koalesce::parallel_regroup", exec);
  Order order{int(items), {0, 32}, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  check_cuda("Koalesce::parallel_regroup", sort_by_number(nullptr, bytes, order, nullptr), "asking how CUB sorts");
  return Order::bytes(items, bytes);
}

template <class Named>
void sort_numbers(Kokkos::Cuda const& exec, Named const& named, GridKeyOrder& order) {
  auto const label = named("grid: sort");
  Kokkos::Profiling::ScopedRegion const region(label);
  std::size_t bytes = ordered_memory(exec, order.items) - GridKeyOrder::bytes(order.items, 0);
  check_cuda(label, sort_by_number(order.scratch, bytes, order, exec.cuda_stream()), "CUB's sort");
}

template <bool Moves, class Named, class Work, class Result>
void run_ordered(Kokkos::Cuda const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                 Result& result) {
  if constexpr (Work::has_key) {
    auto const [elements, rest] = PortableBackend::take_elements<Moves>(work, memory);
    auto order                  = GridKeyOrder::in(rest, work.items(), PortableBackend::sort_bits(work, variant));
    PortableBackend::order_items(exec, named, work, order,
                                 [&](GridKeyOrder& numbered) { sort_numbers(exec, named, numbered); });
    if constexpr (Moves) PortableBackend::run_moved_loop(exec, named, work, order, elements, result);
    else PortableBackend::run_grid_loop<false>(exec, named(to_string(variant)), work, order, elements, result);
  }
}

template <class Named, class Work>
void make_plan(Tag, Kokkos::Cuda const& exec, Named const& named, Work const& work, SortBits bits, char* plan,
               char* memory) {
  PortableBackend::make_grid_plan(exec, named, work, PortableBackend::GridPlan::in(plan, work.items(), work.paths),
                                  GridKeyOrder::in(memory, work.items(), bits),
                                  [&](GridKeyOrder& order) { sort_numbers(exec, named, order); });
}

template <class Named, class Work, class Result>
void run_planned(Tag, Kokkos::Cuda const& exec, Named const& named, Work const& work, char* plan, Result& result) {
  PortableBackend::run_grid_loop<false>(exec, named(to_string(RegroupVariant::planned)), work,
                                        PortableBackend::GridPlan::in(plan, work.items(), work.paths), {}, result);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
