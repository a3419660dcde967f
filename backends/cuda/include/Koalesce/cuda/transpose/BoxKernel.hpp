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

namespace Koalesce::Impl::CudaBackend {

/// A thread moves the same elements of every gridDim.x-th box, so that it computes their offsets once. While a box is
/// written, the next one is on its way to the other half of shared memory.
/// \param[in] half elements of one half.
template <int ElementBytes>
__global__ __launch_bounds__(
    BoxTuning<ElementBytes>::threads,
    BoxTuning<ElementBytes>::blocks) void transpose_box_kernel(Word<ElementBytes> const* const from,
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

/// A plan, the elements of shared memory from one box to the next, and how many blocks run at a time.
struct BoxLaunch {
  std::optional<BoxPlan> plan;
  int half            = 0;
  std::int64_t blocks = 0;

  int shared_bytes(int element_bytes) const { return 2 * half * element_bytes; }
};

template <int ElementBytes>
auto box_kernel(Kokkos::Cuda const& exec, std::string const& label, BoxLaunch const& launch) {
  return CudaKernel(exec, kernel_label(Tag{}, label), transpose_box_kernel<ElementBytes>,
                    BoxTuning<ElementBytes>::threads, launch.shared_bytes(ElementBytes), cudaSharedmemCarveoutDefault);
}

/// Plans take tens of microseconds, so that each host thread keeps some. There is none for boxes that do not fit into
/// shared memory, nor for more than 2^31 of them.
template <int ElementBytes>
BoxLaunch const& plan_boxes(Kokkos::Cuda const& exec, BoxDims const& dims) {
  thread_local RecentValues<std::tuple<int, BoxDims>, BoxLaunch, 16> recent;
  return recent.get(std::tuple(device_of(exec), dims), [&] {
    constexpr int max_elements = BoxTuning<ElementBytes>::threads * BoxTuning<ElementBytes>::elements;
    BoxLaunch launch{BoxPlan::make(dims, cheapest_box(dims, ElementBytes, max_elements), ElementBytes)};
    if (!launch.plan) return launch;
    launch.half       = (launch.plan->places() + 15) / 16 * 16;
    auto const device = CudaDevice::of(exec);
    if (launch.shared_bytes(ElementBytes) <= device.shared_bytes_per_block && launch.plan->boxes() < std::int64_t(1)
                                                                                                         << 31)
      launch.blocks =
          std::int64_t(box_kernel<ElementBytes>(exec, "transpose", launch).blocks_per_processor()) * device.processors;
    if (launch.blocks == 0) launch.plan.reset();
    return launch;
  });
}

/// Runs the transposition in boxes if there is a plan for it.
/// \return whether there is.
template <int ElementBytes>
bool launch_boxes(Kokkos::Cuda const& exec, std::string const& label, BoxWork<ElementBytes> const& work) {
  BoxLaunch const& launch = plan_boxes<ElementBytes>(exec, work.dims);
  if (!launch.plan) return false;
  auto const boxes = launch.plan->boxes();
  box_kernel<ElementBytes>(exec, label, launch)
      .launch(exec, unsigned(std::min(launch.blocks, boxes)), work.from, work.to, *launch.plan, std::uint32_t(boxes),
              std::uint32_t(launch.half));
  return true;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
