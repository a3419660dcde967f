// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_HOST_TRANSFER_HPP
#define KOALESCE_TRANSPOSE_IMPL_HOST_TRANSFER_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/transpose/impl/RunCanonical.hpp>
#include <Koalesce/transpose/impl/TransferBuffers.hpp>
#include <Koalesce/transpose/impl/TransferPieces.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// to = from, one of them in host memory: while a piece is on its way, the host packs or unpacks the other one.
///
/// Begins when earlier work of `exec` is done, and returns when all is copied.
template <class BackendTag, class T, class Exec, class HostExec = Kokkos::DefaultHostExecutionSpace>
class HostTransfer {
 public:
  /// \throws Error if `exec` is being captured into a graph, or there is no memory for the pieces.
  HostTransfer(Exec const& exec, std::string const& label, T const* from, T* to, std::vector<TransposeDim> dims,
               HostSide host, TransferBuffers<Exec>& buffers)
      : m_exec(exec),
        m_label(label),
        m_from(from),
        m_to(to),
        m_pieces(std::move(dims), host, std::int64_t(buffers.piece_bytes() / sizeof(T))),
        m_buffers(check(exec, label, buffers), exec, label, std::size_t(m_pieces.elements()) * sizeof(T),
                  m_pieces.count()) {}

  void from_host() {
    // It may write the host's memory.
    m_exec.fence("Koalesce::" + m_label + ": earlier work");
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
    m_buffers.finish();
  }

  void to_host() {
    for (std::int64_t i = 0; i <= m_pieces.count(); ++i) {
      if (i < m_pieces.count()) {
        auto const piece = m_pieces[i];
        pack(BackendTag{}, m_exec, piece, m_buffers[i].template on_device<T>());
        m_buffers[i].copy_to_host(m_exec, bytes(piece));
        m_buffers[i].in_use(m_exec);
      }
      if (i == 0) continue;
      m_buffers[i - 1].wait();
      unpack(HostTag{}, m_host, m_pieces[i - 1], m_buffers[i - 1].template on_host<T>());
      m_host.fence("Koalesce::" + m_label + ": a piece is unpacked");
    }
    m_buffers.finish();
  }

 private:
  using HostTag = Backend::Default<HostExec>;
  using Piece   = TransferPieces::Piece;

  static TransferBuffers<Exec>& check(Exec const& exec, std::string const& label, TransferBuffers<Exec>& buffers) {
    if (!Stopwatch<Exec>::can_measure(exec))
      fail("Koalesce::" + label,
           "the instance is being captured into a graph, but one of the Views lies in host memory, which the host "
           "itself reads or writes during the call; copy between host and device outside of the graph");
    return buffers;
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
  BorrowedBuffers<Exec> m_buffers;
};

}  // namespace Koalesce::Impl

#endif
