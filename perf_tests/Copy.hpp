// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_COPY_HPP
#define KOALESCE_PERF_COPY_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/// The ways to copy a field, of which the fastest is the bound of everything that reads and writes as much.
namespace perf {

struct Copy {
  std::string name;
  std::function<void()> run;
};

#ifdef KOKKOS_ENABLE_CUDA
/// 16 bytes per thread, several of them in flight.
template <int InFlight>
__global__ void __launch_bounds__(512) cuda_copy(int4* to, int4 const* from, std::int64_t count) {
  std::int64_t const first = std::int64_t(blockIdx.x) * blockDim.x * InFlight + threadIdx.x;
  int4 value[InFlight];
#pragma unroll
  for (int k = 0; k < InFlight; ++k)
    if (first + k * blockDim.x < count) value[k] = __ldcs(from + first + k * blockDim.x);
#pragma unroll
  for (int k = 0; k < InFlight; ++k)
    if (first + k * blockDim.x < count) __stcs(to + first + k * blockDim.x, value[k]);
}

template <int InFlight>
void add_cuda_copies(std::vector<Copy>& copies, void* to, void const* from, std::size_t bytes) {
  auto const stream = Kokkos::Cuda().cuda_stream();
  for (int const block : {256, 512})
    copies.push_back(
        {"kernel, 16 bytes x " + std::to_string(InFlight) + " a thread, block " + std::to_string(block), [=] {
           std::int64_t const count = bytes / sizeof(int4), a_block = InFlight * block;
           if (count > 0)
             cuda_copy<InFlight><<<unsigned((count + a_block - 1) / a_block), block, 0, stream>>>(
                 static_cast<int4*>(to), static_cast<int4 const*>(from), count);
           if (std::size_t const rest = bytes % sizeof(int4); rest > 0)
             cudaMemcpyAsync(static_cast<char*>(to) + bytes - rest, static_cast<char const*>(from) + bytes - rest, rest,
                             cudaMemcpyDeviceToDevice, stream);
         }});
}
#endif

/// As an ordinary loop.
template <class View>
struct CopyItems {
  View to, from;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

/// A thread's share by memcpy.
template <class View>
struct CopyShares {
  View to, from;
  std::int64_t threads;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const count = from.extent(0), begin = count * i / threads, end = count * (i + 1) / threads;
    memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(*to.data()));
  }
};

/// Ways to copy a field of one dimension. On a CPU memcpy takes what a thread owns, and writes past the caches.
template <class View>
std::vector<Copy> copies(View const& to, View const& from) {
  using Space = typename View::execution_space;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  std::vector<Copy> all;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible) {
    std::int64_t const threads = Space().concurrency();
    all.push_back({"loop", [=] { Kokkos::parallel_for("copy", Range(0, from.extent(0)), CopyItems<View>{to, from}); }});
    all.push_back({"memcpy", [=] {
                     Kokkos::parallel_for("copy", Range(0, threads), CopyShares<View>{to, from, threads});
                   }});
  } else {
    all.push_back({"memcpy", [=] { Kokkos::deep_copy(Space(), to, from); }});
#ifdef KOKKOS_ENABLE_CUDA
    auto const aligned = [](void const* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(int4) == 0; };
    if (aligned(to.data()) && aligned(from.data())) {
      std::size_t const bytes = from.extent(0) * sizeof(*from.data());
      add_cuda_copies<1>(all, to.data(), from.data(), bytes);
      add_cuda_copies<4>(all, to.data(), from.data(), bytes);
    }
#endif
  }
  return all;
}

}  // namespace perf

#endif
