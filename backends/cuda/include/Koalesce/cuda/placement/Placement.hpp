// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_PLACEMENT_PLACEMENT_HPP
#define KOALESCE_CUDA_PLACEMENT_PLACEMENT_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/placement/impl/PlacedLaunch.hpp>
#include <Koalesce/portable/placement/Placement.hpp>

#include <Kokkos_Graph.hpp>

#include <string>
#include <vector>

namespace Koalesce::Impl::CudaBackend {

/// The graph's CUDA handle; Kokkos 5 renamed the function.
template <class Graph>
cudaGraph_t cuda_graph_of(Graph& graph) {
  if constexpr (requires { graph.cuda_graph(); }) return graph.cuda_graph();
  else return graph.native_graph();
}

/// A graph on the instance's device, which make() fills. Kokkos 5 takes a handle of the device.
template <class Exec, class Make>
auto graph_on(Exec const& exec, Make const& make) {
  using namespace Kokkos::Experimental;  // which has no get_device_handle() in Kokkos 4
  if constexpr (requires { create_graph(exec, make); }) return create_graph(exec, make);
  else return create_graph(get_device_handle(exec), make);
}

/// The only kernel of a graph.
inline cudaKernelNodeParams only_kernel(std::string const& where, cudaGraph_t graph) {
  std::size_t count = 0;
  check_cuda(where, cudaGraphGetNodes(graph, nullptr, &count), "counting the nodes of a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check_cuda(where, cudaGraphGetNodes(graph, nodes.data(), &count), "reading a graph");
  for (auto const& node : nodes) {
    cudaGraphNodeType type;
    check_cuda(where, cudaGraphNodeGetType(node, &type), "reading a graph");
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams kernel{};
    check_cuda(where, cudaGraphKernelNodeGetParams(node, &kernel), "reading a kernel of a graph");
    return kernel;
  }
  return {};
}

/// The resources of the compiled kernel. Kokkos offers no other public access to its kernel and launch parameters than
/// a graph, which is never run.
template <class Policy, class Placed>
KernelResources kernel_resources(Tag, std::string const& where, Policy const& policy, Placed const& placed) {
  auto const& exec = policy.space();
  auto graph       = graph_on(
      exec, [&](auto const& root) { root.then_parallel_for("kernel", placement_teams(policy, placed), placed); });
  auto const kernel = only_kernel(where, cuda_graph_of(graph));
  if (!kernel.func) return {};
  choose_device(where, exec);
  cudaFuncAttributes attributes{};
  check_cuda(where, cudaFuncGetAttributes(&attributes, kernel.func), "asking for a kernel's registers");
  int const threads = int(kernel.blockDim.x * kernel.blockDim.y * kernel.blockDim.z);
  int blocks        = 0;
  check_cuda(where, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.func, threads, kernel.sharedMemBytes),
             "the occupancy query");
  KernelResources resources;
  resources.registers    = attributes.numRegs;
  resources.local_bytes  = int(attributes.localSizeBytes);
  resources.shared_bytes = int(attributes.sharedSizeBytes + kernel.sharedMemBytes);
  resources.occupancy    = double(blocks) * threads / exec.cuda_device_prop().maxThreadsPerMultiProcessor;
  return resources;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
