// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_HOST_TRANSFER_HPP
#define KOALESCE_TRANSPOSE_IMPL_HOST_TRANSFER_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/common/impl/TryAllocate.hpp>
#include <Koalesce/transpose/impl/RunCanonical.hpp>
#include <Koalesce/transpose/impl/TransferPieces.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Host memory that kernels of Exec reach: pieces of a transfer pass through it. It is kept from call to call, because
/// to pin memory takes longer than to fill it.
template <class Exec>
class TransferBuffers {
 public:
  static constexpr std::size_t max_bytes = std::size_t(32) << 20;  ///< of one, measured by perf_tests/TransposeHost.cpp

  explicit TransferBuffers(std::size_t piece_bytes = max_bytes) : m_piece_bytes(piece_bytes) {}

  static TransferBuffers& kept() {
    static TransferBuffers buffers;
    static bool const hooked = (Kokkos::push_finalize_hook([] { buffers.release(); }), true);
    (void)hooked;
    return buffers;
  }

  /// One transfer at a time.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(m_mutex); }

  std::size_t piece_bytes() const { return m_piece_bytes; }

  /// \throws Error where there is no memory for both.
  void reserve(std::size_t bytes, std::string const& where) {
    for (auto& buffer : m_buffers) {
      if (buffer.bytes.extent(0) >= bytes) continue;
      buffer.wait();
      buffer.bytes = {};  // first, or there would have to be room for both
      buffer.bytes = try_allocate<Bytes>("Koalesce::copy_layout (piece)", bytes);
      if (buffer.bytes.data() == nullptr)
        fail(where, "two pieces of ", bytes, " bytes of ", Bytes::memory_space::name(),
             ", through which host and device exchange elements, cannot be allocated; free some memory");
    }
  }

  /// Buffer i % 2, once the kernels that were told to use it have ended.
  template <class T>
  T* take(std::int64_t i) {
    m_buffers[i % 2].wait();
    return reinterpret_cast<T*>(m_buffers[i % 2].bytes.data());
  }

  /// The kernels on `exec` so far use it.
  void in_use(std::int64_t i, Exec const& exec) { m_buffers[i % 2].used = std::make_unique<CompletionOf<Exec>>(exec); }

 private:
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using Memory = std::conditional_t<Backend::on_host<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
#else
  using Memory = Kokkos::HostSpace;
#endif
  using Bytes = Kokkos::View<std::byte*, Memory>;

  struct Buffer {
    Bytes bytes;
    std::unique_ptr<Completion> used;

    void wait() {
      if (used) used->wait();
      used.reset();
    }
  };

  void release() {
    for (auto& buffer : m_buffers) buffer = {};
  }

  std::size_t m_piece_bytes;
  std::mutex m_mutex;
  Buffer m_buffers[2];
};

/// dst = src, one of them in host memory: while a piece is on its way, the host packs or unpacks the other one.
///
/// Returns when the host's memory has been read or written; a device may still be writing its own.
template <class BackendTag, class T, class Exec>
void transfer(Exec const& exec, std::string const& label, T const* from, T* to, std::vector<TransposeDim> dims,
              HostSide host, TransferBuffers<Exec>& buffers) {
  using HostExec = Kokkos::DefaultHostExecutionSpace;
  using HostTag  = Backend::Default<HostExec>;
  HostExec const host_exec;
  TransferPieces const pieces(std::move(dims), host, std::int64_t(buffers.piece_bytes() / sizeof(T)));
  auto const lock = buffers.lock();
  buffers.reserve(std::size_t(pieces.elements()) * sizeof(T), "Koalesce::" + label);

  auto const pack = [&](auto tag, auto const& space, auto const& piece, std::int64_t i) {
    run_canonical(tag, space, label, from + piece.from, buffers.template take<T>(i),
                  canonical_dims(piece.to_packed, false));
  };
  auto const unpack = [&](auto tag, auto const& space, auto const& piece, std::int64_t i) {
    run_canonical(tag, space, label, static_cast<T const*>(buffers.template take<T>(i)), to + piece.to,
                  canonical_dims(piece.from_packed, false));
  };
  if (host == HostSide::source) {
    for (std::int64_t i = 0; i < pieces.count(); ++i) {
      auto const piece = pieces[i];
      pack(HostTag{}, host_exec, piece, i);
      host_exec.fence("Koalesce::copy_layout: a piece is packed");
      unpack(BackendTag{}, exec, piece, i);
      buffers.in_use(i, exec);
    }
    return;
  }
  for (std::int64_t i = 0; i <= pieces.count(); ++i) {
    if (i < pieces.count()) {
      pack(BackendTag{}, exec, pieces[i], i);
      buffers.in_use(i, exec);
    }
    if (i == 0) continue;
    unpack(HostTag{}, host_exec, pieces[i - 1], i - 1);
    host_exec.fence("Koalesce::copy_layout: a piece is unpacked");
  }
}

}  // namespace Koalesce::Impl

#endif
