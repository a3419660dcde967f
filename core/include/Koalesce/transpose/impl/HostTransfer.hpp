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

/// Memory through which the pieces of a transfer pass: pinned on the host, which copies at full speed, and on the
/// device, where kernels reorder elements. It is kept from call to call, because to pin memory takes longer than to
/// fill it.
template <class Exec>
class TransferBuffers {
 public:
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
  using PinnedSpace = std::conditional_t<Backend::on_host<Exec>, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
#else
  using PinnedSpace = Kokkos::HostSpace;
#endif

  static constexpr std::size_t max_bytes = std::size_t(32) << 20;

  class Buffer {
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
      if (m_used) m_used->wait();
      m_used.reset();
    }

    /// \return whether there was enough memory.
    bool reserve(std::size_t bytes) {
      if (m_on_host.extent(0) >= bytes) return true;
      wait();
      *this       = {};  // first, or there would have to be room for both
      m_on_host   = try_allocate<View<PinnedSpace>>("Koalesce::copy_layout (host)", bytes);
      m_on_device = try_allocate<View<typename Exec::memory_space>>("Koalesce::copy_layout (device)", bytes);
      if (m_on_host.data() != nullptr && m_on_device.data() != nullptr) return true;
      *this = {};
      return false;
    }

   private:
    template <class Space>
    using View = Kokkos::View<std::byte*, Space>;

    static void copy(Exec const& exec, auto const& to, auto const& from, std::size_t bytes) {
      auto const part = std::make_pair(std::size_t(0), bytes);
      Kokkos::deep_copy(exec, Kokkos::subview(to, part), Kokkos::subview(from, part));
    }

    View<PinnedSpace> m_on_host;
    View<typename Exec::memory_space> m_on_device;
    std::unique_ptr<Completion> m_used;
  };

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

  /// \throws Error where there is no memory.
  void reserve(std::size_t bytes, std::string const& where) {
    for (auto& buffer : m_buffers)
      if (!buffer.reserve(bytes))
        fail(where, "the two pieces of ", bytes, " bytes that pass between ", PinnedSpace::name(), " and ",
             Exec::memory_space::name(), " cannot be allocated in both; free some memory");
  }

  Buffer& operator[](std::int64_t piece) { return m_buffers[piece % 2]; }

 private:
  void release() {
    for (auto& buffer : m_buffers) buffer = {};
  }

  std::size_t m_piece_bytes;
  std::mutex m_mutex;
  Buffer m_buffers[2];
};

/// to = from, one of them in host memory: while a piece is on its way, the host packs or unpacks the other one.
///
/// Returns when the host's memory has been read or written; a device may still be writing its own.
template <class BackendTag, class T, class Exec>
class HostTransfer {
 public:
  HostTransfer(Exec const& exec, std::string const& label, T const* from, T* to, std::vector<TransposeDim> dims,
               HostSide host, TransferBuffers<Exec>& buffers)
      : m_exec(exec),
        m_label(label),
        m_from(from),
        m_to(to),
        m_pieces(std::move(dims), host, std::int64_t(buffers.piece_bytes() / sizeof(T))),
        m_buffers(buffers) {}

  void from_host() const {
    auto const lock = reserve();
    for (std::int64_t i = 0; i < m_pieces.count(); ++i) {
      auto const piece = m_pieces[i];
      auto& buffer     = m_buffers[i];
      buffer.wait();
      pack(HostTag{}, m_host, piece, buffer.template on_host<T>());
      m_host.fence("Koalesce::" + m_label + ": a piece is packed");
      buffer.copy_to_device(m_exec, bytes(piece));
      unpack(BackendTag{}, m_exec, piece, buffer.template on_device<T>());
      buffer.in_use(m_exec);
    }
  }

  void to_host() const {
    auto const lock = reserve();
    for (std::int64_t i = 0; i <= m_pieces.count(); ++i) {
      if (i < m_pieces.count()) send_to_host(m_pieces[i], m_buffers[i]);
      if (i == 0) continue;
      m_buffers[i - 1].wait();
      unpack(HostTag{}, m_host, m_pieces[i - 1], m_buffers[i - 1].template on_host<T>());
      m_host.fence("Koalesce::" + m_label + ": a piece is unpacked");
    }
  }

 private:
  using HostExec = Kokkos::DefaultHostExecutionSpace;
  using HostTag  = Backend::Default<HostExec>;
  using Piece    = TransferPieces::Piece;
  using Buffer   = typename TransferBuffers<Exec>::Buffer;

  std::unique_lock<std::mutex> reserve() const {
    auto lock = m_buffers.lock();
    m_buffers.reserve(std::size_t(m_pieces.elements()) * sizeof(T), "Koalesce::" + m_label);
    return lock;
  }

  void send_to_host(Piece const& piece, Buffer& buffer) const {
    buffer.wait();
    pack(BackendTag{}, m_exec, piece, buffer.template on_device<T>());
    buffer.copy_to_host(m_exec, bytes(piece));
    buffer.in_use(m_exec);
  }

  static std::size_t bytes(Piece const& piece) { return std::size_t(piece.elements) * sizeof(T); }

  void pack(auto tag, auto const& space, Piece const& piece, T* packed) const {
    run_canonical(tag, space, m_label, m_from + piece.from, packed, canonical_dims(piece.to_packed, false));
  }
  void unpack(auto tag, auto const& space, Piece const& piece, T const* packed) const {
    run_canonical(tag, space, m_label, packed, m_to + piece.to, canonical_dims(piece.from_packed, false));
  }

  HostExec m_host;
  Exec m_exec;
  std::string m_label;
  T const* m_from;
  T* m_to;
  TransferPieces m_pieces;
  TransferBuffers<Exec>& m_buffers;
};

}  // namespace Koalesce::Impl

#endif
