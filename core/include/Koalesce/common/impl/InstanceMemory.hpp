// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_INSTANCE_MEMORY_HPP
#define KOALESCE_COMMON_IMPL_INSTANCE_MEMORY_HPP

#include <Koalesce/common/impl/TryAllocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// Memory for kernels, kept from call to call. A piece serves one call at a time, then the next call on the same
/// instance: nothing waits for its kernels.
template <class Exec>
class InstanceMemory {
 public:
  struct Piece {
    using View = Kokkos::View<char*, typename Exec::memory_space>;

    Exec exec;
    View bytes;
    unsigned long long graph = 0;  // that uses it
  };

  /// A piece that a call has, or none. It keeps the list's node, so that giving it back cannot fail.
  class Taken {
   public:
    Taken() = default;
    explicit Taken(Piece piece) { m_list.push_front(std::move(piece)); }
    Taken(Taken&&) noexcept            = default;
    Taken& operator=(Taken&&) noexcept = default;

    explicit operator bool() const { return !m_list.empty(); }
    Piece* operator->() { return &m_list.front(); }
    Piece const* operator->() const { return &m_list.front(); }

   private:
    friend InstanceMemory;
    std::list<Piece> m_list;  // of one piece at most
  };

  /// \param[in] label  of what it is used for, in tools.
  explicit InstanceMemory(std::string label) : m_label(std::move(label)) {}

  /// None, if there is not enough memory.
  /// \param[in] graph  into which the call's kernels are captured, or 0. Nothing can be allocated then: the call gets a
  ///                   piece that an earlier call of the same capture, or one outside, has left.
  Taken take(Exec const& exec, std::size_t bytes, unsigned long long graph = 0) {
    Taken piece;
    {
      std::lock_guard const lock(m_mutex);
      if (graph != 0)
        piece = take_from(
            m_kept, [&](Piece const& p) { return p.exec == exec && p.graph == graph && p.bytes.extent(0) >= bytes; });
      if (!piece)
        piece = take_from(m_pieces,
                          [&](Piece const& p) { return p.exec == exec && (graph == 0 || p.bytes.extent(0) >= bytes); });
    }
    if (graph != 0) return piece;
    if (!piece) piece = Taken(Piece{exec, {}});
    if (piece->bytes.extent(0) < bytes) {
      piece->bytes = {};  // first, or there would have to be room for both
      piece->bytes = try_allocate<typename Piece::View>(m_label, bytes);
      if (piece->bytes.data() == nullptr) {
        release();  // for the next call
        return {};
      }
    }
    return piece;
  }

  /// \param[in] graph  as for take(). The piece is kept for the graph, which may run the kernels at any time.
  void give_back(Taken&& piece, unsigned long long graph = 0) {
    Pieces oldest;  // freed after the lock is released, because freeing may wait
    std::lock_guard const lock(m_mutex);
    piece->graph = graph;
    auto& pieces = graph != 0 ? m_kept : m_pieces;
    pieces.splice(pieces.begin(), piece.m_list);
    if (graph != 0) return;
    std::size_t of_instance = 0;
    auto last               = m_pieces.end();
    for (auto p = m_pieces.begin(); p != m_pieces.end(); ++p)
      if (p->exec == m_pieces.front().exec) ++of_instance, last = p;
    if (of_instance <= max_of_instance) {
      if (m_pieces.size() <= max_pieces) return;
      last = std::prev(m_pieces.end());
    }
    oldest.splice(oldest.begin(), m_pieces, last);
  }

  void release() {
    Pieces pieces;  // freed after the lock is released
    std::lock_guard const lock(m_mutex);
    pieces.swap(m_pieces);
  }

  /// Frees all pieces, those of graphs included.
  void release_all() {
    release();
    Pieces pieces;
    std::lock_guard const lock(m_mutex);
    pieces.swap(m_kept);
  }

 private:
  using Pieces = std::list<Piece>;

  static constexpr std::size_t max_of_instance = 8;
  static constexpr std::size_t max_pieces      = 64;  // a piece keeps its instance, which may be in use no more

  template <class Fits>
  static Taken take_from(Pieces& pieces, Fits const& fits) {
    Taken piece;
    auto const found = std::find_if(pieces.begin(), pieces.end(), fits);
    if (found != pieces.end()) piece.m_list.splice(piece.m_list.begin(), pieces, found);
    return piece;
  }

  std::string m_label;
  std::mutex m_mutex;
  Pieces m_pieces, m_kept;
};

}  // namespace Koalesce::Impl

#endif
