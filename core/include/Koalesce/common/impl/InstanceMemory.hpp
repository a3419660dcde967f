// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_INSTANCE_MEMORY_HPP
#define KOALESCE_COMMON_IMPL_INSTANCE_MEMORY_HPP

#include <Koalesce/common/impl/TryAllocate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
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
  };

  /// \param[in] label  of what it is used for, in tools.
  explicit InstanceMemory(std::string label) : m_label(std::move(label)) {}

  /// Null, if there is not enough memory.
  /// \param[in] may_allocate  false where only a piece that is kept and large enough will do.
  std::unique_ptr<Piece> take(Exec const& exec, std::size_t bytes, bool may_allocate = true) {
    std::unique_ptr<Piece> piece;
    {
      std::lock_guard const lock(m_mutex);
      auto const found = std::find_if(m_pieces.begin(), m_pieces.end(), [&](auto const& p) {
        return p->exec == exec && (may_allocate || p->bytes.extent(0) >= bytes);
      });
      if (found != m_pieces.end()) {
        piece = std::move(*found);
        m_pieces.erase(found);
      }
    }
    if (!piece && !may_allocate) return nullptr;
    if (!piece) piece.reset(new Piece{exec, {}});
    if (piece->bytes.extent(0) < bytes) {
      piece->bytes = {};  // first, or there would have to be room for both
      piece->bytes = try_allocate<typename Piece::View>(m_label, bytes);
      if (piece->bytes.data() == nullptr) return nullptr;
    }
    return piece;
  }

  void give_back(std::unique_ptr<Piece> piece) {
    std::unique_ptr<Piece> oldest;  // freed after the lock is released, because freeing may wait
    std::lock_guard const lock(m_mutex);
    m_pieces.push_front(std::move(piece));
    if (m_pieces.size() <= max_pieces) return;
    oldest = std::move(m_pieces.back());
    m_pieces.pop_back();
  }

  /// Keeps a piece for a graph, which may run the kernels that use it at any time.
  void keep(std::unique_ptr<Piece> piece) {
    std::lock_guard const lock(m_mutex);
    m_kept.push_front(std::move(piece));
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
  using Pieces = std::list<std::unique_ptr<Piece>>;

  static constexpr std::size_t max_pieces = 8;

  std::string m_label;
  std::mutex m_mutex;
  Pieces m_pieces, m_kept;
};

}  // namespace Koalesce::Impl

#endif
