// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_SHADOW_VIEW_HPP
#define KOALESCE_SHADOW_SHADOW_VIEW_HPP

#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/shadow/impl/ShadowState.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <limits>

namespace Koalesce {

namespace Impl {
template <class View>
struct ShadowAccess;
}

/// \brief The flag of a ShadowView.
enum class ShadowStatus {
  untransposed,       ///< there is no shadow: reads go to the original
  partly_transposed,  ///< there is one of a part: where reads by column went, or memory allows
  transposed,         ///< there is one
  no_memory           ///< the allocation of a shadow failed or exceeded the limit: reads go to the original
};

/// \brief When reads by column build the shadow of what they read.
///
/// The second read is never far behind the better choice: until then the original has cost about what the transposition
/// would have, and if there is no second one, nothing was lost.
enum class ShadowBuild {
  automatic,   ///< on GPUs the first, which hardly costs more than reading the original; on CPUs the second
  first_read,  ///< the first time that a part is read by column
  second_read  ///< the second time
};

/// \brief A read-only matrix and, once needed, a transposed copy of it, its shadow: coalesced access along rows and
/// along columns.
///
/// The method is transposed-view shadowing (L. Wang, X. Shi, Y. Chang, Huawei and Beihang University:
/// "Method and device for accessing global memory", Chinese patent application, 2016). The first read by column
/// transposes what it reads of the matrix, in parallel_read while it reads; later ones read the shadow. On CPUs the
/// second does (ShadowBuild).
///
/// Copies share the shadow; it is freed with the last of them and of the Views that by_row and by_column returned.
/// Several host threads may call member functions at once. Work on another instance starts after the shadow is built;
/// on CUDA the host does not wait for that.
///
/// \tparam View a Kokkos::View of rank 2, elements (i, j), or of rank 3, a batch of matrices with elements
///              (b, i, j), of any layout. Elements are trivially copyable.
template <class View>
class ShadowView {
  static_assert(Kokkos::is_view_v<View>, "Koalesce::ShadowView: the matrix must be a Kokkos::View");
  static_assert(View::rank() == 2 || View::rank() == 3,
                "Koalesce::ShadowView: the View must have rank 2 (a matrix) or 3 (a batch of matrices)");
  static_assert(std::is_trivially_copyable_v<typename View::value_type>,
                "Koalesce::ShadowView: elements are moved as bytes, so they must be trivially copyable");

 public:
  using base_type    = View;                                 ///< type of the original
  using value_type   = typename View::non_const_value_type;  ///< element type
  using memory_space = typename View::memory_space;          ///< of the original and of the shadow
  /// What by_row and by_column return. Which strides are 1 is known at run time.
  using view_type = Kokkos::View<typename View::const_data_type, Kokkos::LayoutStride, typename View::device_type>;

  static constexpr std::size_t rank = View::rank();  ///< 2, or 3 for a batch of matrices

  /// Copies nothing and allocates nothing.
  /// \param[in] matrix     the original, which this keeps alive.
  /// \param[in] max_bytes memory that shadows may take. Where that is too little, parallel_read keeps as many columns
  ///                      as it allows (rows of a column-major matrix), from the first one on that is read; other reads
  ///                      go to the original.
  /// \param[in] build     when parallel_read builds a shadow.
  explicit ShadowView(View const& matrix, std::size_t max_bytes = std::numeric_limits<std::size_t>::max(),
                      ShadowBuild build = ShadowBuild::automatic)
      : m_base(matrix), m_state(std::make_shared<State>()) {
    m_state->max_bytes = max_bytes;
    m_state->build     = build;
  }
  /// The same, without a limit of memory.
  ShadowView(View const& matrix, ShadowBuild build)
      : ShadowView(matrix, std::numeric_limits<std::size_t>::max(), build) {}

  /// The original.
  View const& base() const { return m_base; }

  /// Number of elements in dimension d of the original.
  std::size_t extent(int d) const { return m_base.extent(d); }
  /// Number of elements.
  std::size_t size() const { return m_base.size(); }

  /// \brief The matrix for threads that go along rows: elements (i, j), (i, j + 1), ... lie next to each other.
  ///
  /// Returns the original if its elements already lie in this order. Otherwise returns a shadow; if there is none, a
  /// kernel on `exec` builds it. If there is no memory for a shadow, returns the original (status() tells). While a
  /// graph is captured, returns a shadow that is up to date, or the original.
  ///
  /// \throws Error if the original has no memory or memory that the execution space cannot access.
  template <class BackendTag = Backend::Native, class Exec>
  view_type by_row(Exec const& exec) const {
    return along<BackendTag>(exec, Impl::Along::rows);
  }

  /// \brief The same for threads that go down columns: elements (i, j), (i + 1, j), ... lie next to each other.
  template <class BackendTag = Backend::Native, class Exec>
  view_type by_column(Exec const& exec) const {
    return along<BackendTag>(exec, Impl::Along::columns);
  }

  /// \brief To be called when the original has been modified: later reads build the shadow anew.
  ///
  /// Reads by column count again as ShadowBuild says: on CPUs, and with second_read, the second one builds it. Its
  /// memory is kept and will be written again, so work that reads it must be over by then, or on the instance of the
  /// read that builds it. Where there was no memory, it will be asked for again.
  void invalidate() const {
    std::lock_guard const lock(m_state->mutex);
    for (auto& shadow : m_state->along) shadow.invalidate();
  }

  /// \brief To be called when a part of the original has been modified: the next read transposes that part anew.
  ///
  /// Parts may overlap. More than 32 of them count as one box that holds them all. The next read writes these parts of
  /// the shadow, so work that reads it must be over by then, or on the instance of the next read.
  ///
  /// \param[in] slices one per dimension, as Kokkos::subview takes them: an index, a pair of the first index and the
  ///                   end, or Kokkos::ALL. So invalidate(i, Kokkos::ALL) marks a row.
  /// \throws Error if a slice is not within the matrix.
  template <class... Slices>
    requires(sizeof...(Slices) == rank)
  void invalidate(Slices const&... slices) const {
    int d            = 0;
    auto const range = [&](auto const& slice) {
      int const dim = d++;
      return Impl::range_of("Koalesce::ShadowView::invalidate", slice, dim, std::int64_t(m_base.extent(dim)));
    };
    typename Impl::StaleBoxes<int(rank)>::Box const box{{range(slices)...}};
    std::lock_guard const lock(m_state->mutex);
    for (auto const direction : {Impl::Along::rows, Impl::Along::columns})
      Impl::mark_stale((*m_state)[direction], lines_along(direction), box);
  }

  /// \brief Forgets what parallel_read found of index maps: the next read by each classifies it anew.
  ///
  /// A map is classified once per type. To be called when a map of a type that was seen reads in another order than the
  /// one before it, as two tables may. Only speed depends on it.
  void forget_classifications() const {
    std::lock_guard const lock(m_state->mutex);
    m_state->traversals.clear();
  }

  /// Whether there is a shadow, or no memory for one.
  ShadowStatus status() const {
    std::lock_guard const lock(m_state->mutex);
    auto const& [rows, columns] = m_state->along;
    for (auto const direction : {Impl::Along::rows, Impl::Along::columns})
      if (is_complete(direction)) return ShadowStatus::transposed;
    if (!rows.built.empty() || !columns.built.empty()) return ShadowStatus::partly_transposed;
    bool const lacks = rows.no_memory || rows.no_room || columns.no_memory || columns.no_room;
    return lacks ? ShadowStatus::no_memory : ShadowStatus::untransposed;
  }

  /// Whether there is a shadow of the whole matrix. Parts of it may have to be transposed anew by the next read.
  bool has_shadow() const { return status() == ShadowStatus::transposed; }

  /// Memory that shadows hold, valid or not, in bytes.
  std::size_t shadow_bytes() const {
    std::lock_guard const lock(m_state->mutex);
    return m_state->bytes();
  }

 private:
  using ShadowMemory =
      Kokkos::View<typename View::non_const_data_type, Kokkos::LayoutStride, typename View::device_type>;
  using State = Impl::ShadowState<ShadowMemory>;

  template <class V>
  friend struct Impl::ShadowAccess;

  template <class BackendTag, class Exec>
  view_type along(Exec const& exec, Impl::Along direction) const {
    std::string const where =
        direction == Impl::Along::rows ? "Koalesce::ShadowView::by_row" : "Koalesce::ShadowView::by_column";
    Impl::check_access<Exec>(where, m_base, "the matrix");
    constexpr int row = int(rank) - 2;
    int const d       = direction == Impl::Along::rows ? row + 1 : row;
    if (m_base.size() == 0 || m_base.stride(d) == 1 || m_base.extent(d) <= 1) return m_base;

    std::lock_guard const lock(m_state->mutex);
    auto& shadow     = (*m_state)[direction];
    auto const lines = lines_along(direction);
    bool const built = is_complete(direction) && shadow.stale.empty();
    // What is built while a graph is captured would be there only when the graph has run.
    if (!built && !Impl::Stopwatch<Exec>::can_measure(exec)) return m_base;
    if (!Impl::allocate_shadow(*m_state, lines, 0, true)) return m_base;
    Impl::begin_after(exec, shadow.ready.get());
    if (built) return shadow.view;
    Kokkos::Profiling::ScopedRegion const region(where);
    Impl::build_lines<BackendTag>(exec, shadow, lines, lines.all());
    Impl::update_shadow<BackendTag>(exec, shadow, m_base);
    return shadow.view;
  }

  Impl::ShadowLines<View> lines_along(Impl::Along direction) const { return {m_base, direction}; }

  /// Of a locked state.
  bool is_complete(Impl::Along direction) const {
    auto const& shadow = (*m_state)[direction];
    return !shadow.built.empty() && shadow.built.contains(lines_along(direction).all());
  }

  View m_base;
  std::shared_ptr<State> m_state;
};

}  // namespace Koalesce

#endif
