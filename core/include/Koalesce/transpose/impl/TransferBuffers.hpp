// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSFER_BUFFERS_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSFER_BUFFERS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/common/impl/TryAllocate.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

/// Memory through which the pieces of a transfer pass: pinned on the host, which copies at full speed, and on the
/// device, where kernels reorder elements. It is kept from call to call, because to pin memory takes longer than to
/// fill it.
namespace Koalesce::Impl {

#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
template <class Exec>
using PinnedSpace = std::conditional_t<Backend::on_host<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
#else
template <class Exec>
using PinnedSpace = Kokkos::HostSpace;
#endif

/// As much memory on the host as on the device.
template <class Exec>
class TransferBuffer {
 public:
  template <class T>
  T* on_host() const {
    return reinterpret_cast<T*>(m_on_host.data());
  }
  template <class T>
  T* on_device() const {
    return reinterpret_cast<T*>(m_on_device.data());
  }

  void copy_to_host(Exec const& exec, std::size_t bytes) { copy(exec, m_on_host, m_on_device, bytes); }
  void copy_to_device(Exec const& exec, std::size_t bytes) { copy(exec, m_on_device, m_on_host, bytes); }

  /// Until wait(), the work that `exec` has been given so far uses the buffer.
  void in_use(Exec const& exec) { m_used = std::make_unique<CompletionOf<Exec>>(exec); }
  void wait() {
    if (auto const used = std::exchange(m_used, nullptr)) used->wait();
  }

  /// \return whether there was enough memory.
  bool reserve(Exec const& exec, std::size_t bytes) {
    if (m_on_host.extent(0) >= bytes) return true;
    release();  // first, or there would have to be room for both
    std::size_t const rounded = bytes <= max_rounded ? std::bit_ceil(bytes) : bytes;
    m_on_host                 = try_allocate<View<PinnedSpace<Exec>>>("Koalesce::copy_layout (host)", rounded);
    if (m_on_host.data() != nullptr)
      m_on_device = try_allocate_on<DeviceView>(exec, "Koalesce::copy_layout (device)", rounded);
    if (m_on_device.data() != nullptr) return true;
    release();
    return false;
  }

  void release() { m_on_host = {}, m_on_device = {}; }

 private:
  template <class Space>
  using View       = Kokkos::View<std::byte*, Space>;
  using DeviceView = View<typename Exec::memory_space>;

  static constexpr std::size_t max_rounded = std::size_t(1) << 40;

  static void copy(Exec const& exec, auto const& to, auto const& from, std::size_t bytes) {
    auto const part = std::make_pair(std::size_t(0), bytes);
    Kokkos::deep_copy(exec, Kokkos::subview(to, part), Kokkos::subview(from, part));
  }

  View<PinnedSpace<Exec>> m_on_host;
  DeviceView m_on_device;
  std::unique_ptr<Completion> m_used;
};

/// The two buffers of a device.
template <class Exec>
class TransferBuffers {
 public:
  static constexpr std::size_t max_bytes = std::size_t(32) << 20;

  explicit TransferBuffers(std::size_t piece_bytes = max_bytes) : m_piece_bytes(piece_bytes) {}

  /// Those of the instance's device.
  static TransferBuffers& of(Exec const& exec) {
    // Never destroyed: Kokkos may end after static objects.
    static auto& devices     = *new std::map<int, TransferBuffers>;
    static auto& mutex       = *new std::mutex;
    static bool const hooked = (push_finalize_hook([] {
                                  std::lock_guard const lock(mutex);
                                  for (auto& device : devices) device.second.release();
                                }),
                                true);
    (void)hooked;
    std::lock_guard const lock(mutex);
    return devices[device_of(exec)];
  }

  std::size_t piece_bytes() const { return m_piece_bytes; }

 private:
  template <class>
  friend class BorrowedBuffers;

  void release() {
    for (auto& buffer : m_buffers) buffer.release();
  }

  std::size_t m_piece_bytes;
  std::mutex m_mutex;
  TransferBuffer<Exec> m_buffers[2];
};

/// The buffers for one transfer: no other one uses them meanwhile, and no work uses them afterwards.
template <class Exec>
class BorrowedBuffers {
 public:
  /// \param[in] pieces how many pass through the buffers.
  /// \throws Error where there is no memory.
  BorrowedBuffers(TransferBuffers<Exec>& buffers, Exec const& exec, std::string const& label, std::size_t bytes,
                  std::int64_t pieces)
      : m_lock(buffers.m_mutex), m_buffers(buffers.m_buffers), m_exec(exec) {
    for (int b = 0; b < (pieces > 1 ? 2 : 1); ++b)
      if (!m_buffers[b].reserve(exec, bytes))
        fail("Koalesce::" + label, "the pieces of ", bytes, " bytes that pass between ", PinnedSpace<Exec>::name(),
             " and ", Exec::memory_space::name(), " cannot be allocated in both; free some memory");
  }

  ~BorrowedBuffers() {
    if (m_finished) return;
    try {
      m_exec.fence("Koalesce::copy_layout: an error ends it");
      for (int b = 0; b < 2; ++b) m_buffers[b].wait();
    } catch (std::exception const&) {  // the first error is on its way
    }
  }
  BorrowedBuffers(BorrowedBuffers const&)            = delete;
  BorrowedBuffers& operator=(BorrowedBuffers const&) = delete;

  TransferBuffer<Exec>& operator[](std::int64_t piece) { return m_buffers[piece % 2]; }

  void finish() {
    for (int b = 0; b < 2; ++b) m_buffers[b].wait();
    m_finished = true;
  }

 private:
  std::unique_lock<std::mutex> m_lock;
  TransferBuffer<Exec>* m_buffers;
  Exec m_exec;
  bool m_finished = false;
};

}  // namespace Koalesce::Impl

#endif
