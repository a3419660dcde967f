// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CAPTURED_GRAPH_HPP
#define KOALESCE_CAPTURED_GRAPH_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

/// Calls that a graph runs again and again.
namespace Koalesce::Test {

#ifdef KOKKOS_ENABLE_CUDA
/// What a stream captures, for releases of Kokkos whose graphs cannot.
class StreamGraph {
 public:
  template <class F>
  StreamGraph(Kokkos::Cuda const& exec, F const& f) {
    EXPECT_EQ(cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    f(exec);
    EXPECT_EQ(cudaStreamEndCapture(exec.cuda_stream(), &m_graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&m_exec, m_graph, 0), cudaSuccess);
  }
  ~StreamGraph() {
    if (m_exec != nullptr) EXPECT_EQ(cudaGraphExecDestroy(m_exec), cudaSuccess);
    if (m_graph != nullptr) EXPECT_EQ(cudaGraphDestroy(m_graph), cudaSuccess);
  }
  StreamGraph(StreamGraph const&)            = delete;
  StreamGraph& operator=(StreamGraph const&) = delete;

  void submit(Kokkos::Cuda const& exec) const { EXPECT_EQ(cudaGraphLaunch(m_exec, exec.cuda_stream()), cudaSuccess); }

 private:
  cudaGraph_t m_graph    = nullptr;
  cudaGraphExec_t m_exec = nullptr;
};
#endif

/// Adds a node that runs f(exec). \return whether Kokkos' graphs have one for that.
template <class Exec, class Root, class F>
bool add_node(Root const& root, Exec const& exec, F const& f) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    if constexpr (requires { root.cuda_capture(exec, f); }) {
      root.cuda_capture(exec, f);
      return true;
    }
    return false;
  }
#endif
  auto const run = [exec, f] { f(exec); };
  if constexpr (requires { root.then_host("steps", run); }) {
    root.then_host("steps", run);
    return true;
  }
  return false;
}

/// Puts f(exec) into a graph. \return what submits it, or nothing.
template <class Exec, class F>
std::function<void()> captured(Exec const& exec, F const& f) {
  bool has_node = false;
  auto graph =
      Kokkos::Experimental::create_graph<Exec>([&](auto const& root) { has_node = add_node<Exec>(root, exec, f); });
  if (has_node) return [graph, exec]() mutable { graph.submit(exec); };
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    auto const stream_graph = std::make_shared<StreamGraph>(exec, f);
    return [stream_graph, exec] { stream_graph->submit(exec); };
  }
#endif
  return nullptr;
}

/// Captures call(exec), and submits it several times. change() is called before each submission, check() after it.
template <class Exec, class Call, class Change, class Check>
void check_submissions(Exec const& exec, Call const& call, Change const& change, Check const& check) {
  call(exec);  // with its first launch Kokkos copies what it keeps on the device
  exec.fence();
  auto const submit = captured(exec, call);
  if (!submit) GTEST_SKIP() << "this Kokkos' graphs have no nodes for host functions";
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE("submission " + std::to_string(i));
    change();
    submit();
    exec.fence();
    check();
  }
}

/// What call(exec) throws while it is captured on a device.
template <class Exec, class Call>
std::string error_in_capture(Exec const& exec, Call const& call) {
  std::string text       = "none";
  auto const with_errors = [&](Exec const& space) {
    try {
      call(space);
    } catch (std::exception const& error) {
      text = error.what();
    }
  };
  (void)captured(exec, with_errors);
  exec.fence();
  return text;
}

}  // namespace Koalesce::Test

#endif
