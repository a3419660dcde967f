// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_PARTIAL_RESULTS_HPP
#define KOALESCE_TUNING_IMPL_PARTIAL_RESULTS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/common/impl/InstanceMemory.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// Memory for partial results, of any type, on an execution space's instances.
template <class Exec>
InstanceMemory<Exec>& memory_of_partial_results() {
  static InstanceMemory<Exec> pieces("Koalesce: partial results");
  static bool const hooked = (push_finalize_hook([] { pieces.release_all(); }), true);
  (void)hooked;
  return pieces;
}

/// Memory for `count` partial results until the kernels that the caller starts have read them.
template <class Exec, class Update>
class PartialResults {
 public:
  /// \param[in] exec      the instance.
  /// \param[in] function  that was called.
  /// \param[in] kernel    the name of the kernel that leaves them.
  /// \param[in] count     how many.
  /// \throws Error if there is not enough.
  PartialResults(Exec const& exec, char const* function, std::string const& kernel, std::int64_t count)
      : m_graph(Stopwatch<Exec>::graph(exec)),
        m_piece(memory_of_partial_results<Exec>().take(exec, std::size_t(count) * sizeof(Update), m_graph)) {
    if (!m_piece && m_graph != 0)
      fail(call_text(function, label_of_kernel(kernel)), "its ", count,
           " partial results need memory, and none can be allocated while a graph is captured; ",
           "call it once before each capture, on the same instance");
    if (!m_piece)
      fail(call_text(function, label_of_kernel(kernel)), "its ", count, " partial results need ",
           std::size_t(count) * sizeof(Update), " bytes of ", Exec::memory_space::name(),
           ", which are not free; free some memory");
  }
  ~PartialResults() { memory_of_partial_results<Exec>().give_back(std::move(m_piece), m_graph); }
  PartialResults(PartialResults const&)            = delete;
  PartialResults& operator=(PartialResults const&) = delete;

  Update* data() const { return reinterpret_cast<Update*>(m_piece->bytes.data()); }

 private:
  unsigned long long m_graph;
  typename InstanceMemory<Exec>::Taken m_piece;
};

}  // namespace Koalesce::Impl

#endif
