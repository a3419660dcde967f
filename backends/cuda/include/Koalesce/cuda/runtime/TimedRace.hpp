// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_TIMED_RACE_HPP
#define KOALESCE_CUDA_RUNTIME_TIMED_RACE_HPP

#include <Koalesce/cuda/runtime/Stopwatch.hpp>
#include <Koalesce/tuning/impl/KernelRace.hpp>

#include <memory>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// Runs the faster of two kernels, which it finds out in the first calls: events in the stream time them, nothing
/// waits, and until a time has arrived calls run what is known to be the faster one. Not for several host threads.
class TimedRace {
 public:
  template <class First, class Second>
  void run(Kokkos::Cuda const& exec, First const& first, Second const& second) {
    auto const run_kernel = [&](int kernel) { kernel == 0 ? first() : second(); };
    if (m_race.over() || is_captured(exec)) return run_kernel(m_race.leader());
    if (m_running) {
      auto running       = std::move(m_running);  // a time that cannot be read is not asked for again
      auto const seconds = running->seconds();
      if (!seconds) {
        m_running = std::move(running);
        return run_kernel(m_race.leader());
      }
      m_race.ran(*seconds);
    }
    if (!m_race.is_timed()) {
      run_kernel(m_race.next());
      if (!m_race.over()) m_race.ran();
    } else {
      auto stopwatch = std::make_unique<Stopwatch<Kokkos::Cuda>>(exec);
      run_kernel(m_race.next());
      stopwatch->stop(exec);
      m_running = std::move(stopwatch);  // only now: a launch that throws has no time
    }
  }

 private:
  /// A graph keeps what is launched; nothing can be timed meanwhile.
  static bool is_captured(Kokkos::Cuda const& exec) {
    auto status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(exec.cuda_stream(), &status) == cudaSuccess) return status != cudaStreamCaptureStatusNone;
    (void)cudaGetLastError();
    return true;
  }

  KernelRace m_race;
  std::unique_ptr<Stopwatch<Kokkos::Cuda>> m_running;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
