// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_BOX_KERNEL_HPP
#define KOALESCE_CUDA_TRANSPOSE_BOX_KERNEL_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/BoxPlan.hpp>
#include <Koalesce/cuda/transpose/BoxWork.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// A thread moves the same elements of every gridDim.x-th box, so that it computes their offsets once. While a box is
/// written, the next one is on its way to the other half of shared memory.
/// \param[in] half elements of one half.
template <int ElementBytes>
__global__ __launch_bounds__(
    box_numbers(ElementBytes).threads,
    box_numbers(ElementBytes).blocks) void transpose_box_kernel(Word<ElementBytes> const* const from,
                                                                Word<ElementBytes>* const to, BoxPlan const plan,
                                                                std::uint32_t const boxes, std::uint32_t const half) {
  using Element         = Word<ElementBytes>;
  constexpr int threads = BoxTuning<ElementBytes>::threads, count = BoxTuning<ElementBytes>::elements;
  extern __shared__ __align__(16) unsigned char koalesce_transpose_box[];
  auto* const shared = reinterpret_cast<Element*>(koalesce_transpose_box);

  auto const source = plan.from<count>(int(threadIdx.x), threads), target = plan.to<count>(int(threadIdx.x), threads);
  std::uint32_t places[count];  // in the order of the source and, in the upper half, of the destination
#pragma unroll
  for (int k = 0; k < count; ++k) places[k] = source.place[k] | target.place[k] << 16;

  auto const for_each = [](BoxPlan::Box const& box, std::uint32_t beyond, auto const& body) {
    std::uint32_t const outside = beyond & (box.ends * 0x11111111u);
#pragma unroll
    for (int k = 0; k < count; ++k)
      if ((outside & (0xfu << (4 * k))) == 0) body(k);
  };
  auto const load = [&](BoxPlan::Box const& box, Element* buffer) {
    auto const* const base = reinterpret_cast<char const*>(from + box.from);
    if constexpr (is_async_size(ElementBytes)) {
      for_each(box, source.beyond,
               [&](int k) { async_copy<ElementBytes>(buffer + (places[k] & 0xffff), base + source.offset[k]); });
    } else {
      Element loaded[count];
      for_each(box, source.beyond, [&](int k) { loaded[k] = load_once<Element>(base + source.offset[k]); });
      for_each(box, source.beyond, [&](int k) { buffer[places[k] & 0xffff] = loaded[k]; });
    }
  };

  auto box = plan.box(blockIdx.x);
  load(box, shared);
  commit_copies();
  std::uint32_t used = 0;
#pragma unroll 1
  for (std::uint32_t b = blockIdx.x; b < boxes; b += gridDim.x) {
    bool const more = b + gridDim.x < boxes;
    auto const next = plan.box(more ? b + gridDim.x : b);
    if (more) load(next, shared + (half - used));
    commit_copies();
    wait_for_copies<1>();
    __syncthreads();
    Element read[count];  // all at once: the compiler does not move a read of shared memory before a write
#pragma unroll
    for (int k = 0; k < count; ++k) read[k] = shared[used + (places[k] >> 16)];
    auto* const base = reinterpret_cast<char*>(to + box.to);
    for_each(box, target.beyond, [&](int k) { store_once(base + target.offset[k], read[k]); });
    __syncthreads();
    box  = next;
    used = half - used;
  }
}

/// A plan, and how many blocks run at a time.
struct BoxLaunch {
  std::optional<BoxPlan> plan;
  std::int64_t blocks = 0;
};

template <int ElementBytes>
auto box_kernel(Kokkos::Cuda const& exec, std::string const& label, BoxPlan const& plan) {
  int const half = (plan.places() + 15) / 16 * 16;
  return std::pair(CudaKernel(exec, kernel_label(Tag{}, label), transpose_box_kernel<ElementBytes>,
                              BoxTuning<ElementBytes>::threads, 2 * half * ElementBytes),
                   half);
}

/// Plans take tens of microseconds, so that each host thread keeps some.
template <int ElementBytes>
BoxLaunch const& plan_boxes(Kokkos::Cuda const& exec, BoxDims const& dims) {
  thread_local RecentValues<std::tuple<int, BoxDims>, BoxLaunch, 16> recent;
  return recent.get(std::tuple(device_of(exec), dims), [&] {
    constexpr int max_elements = BoxTuning<ElementBytes>::threads * BoxTuning<ElementBytes>::elements;
    BoxLaunch launch{BoxPlan::make(dims, cheapest_box(dims, ElementBytes, max_elements), ElementBytes)};
    if (launch.plan && launch.plan->boxes() >= std::int64_t(1) << 31) launch.plan.reset();
    if (!launch.plan) return launch;
    auto const kernel = box_kernel<ElementBytes>(exec, "transpose", *launch.plan).first;
    launch.blocks     = std::int64_t(kernel.blocks_per_processor()) * CudaDevice::of(exec).processors;
    return launch;
  });
}

/// Runs the transposition in boxes if there is a plan for it.
/// \return whether there is.
template <int ElementBytes>
bool launch_boxes(Kokkos::Cuda const& exec, std::string const& label, BoxWork<ElementBytes> const& work) {
  auto const& [plan, blocks] = plan_boxes<ElementBytes>(exec, work.dims);
  if (!plan) return false;
  auto const [kernel, half] = box_kernel<ElementBytes>(exec, label, *plan);
  kernel.launch(exec, unsigned(std::min(blocks, plan->boxes())), work.from, work.to, *plan,
                std::uint32_t(plan->boxes()), std::uint32_t(half));
  return true;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
