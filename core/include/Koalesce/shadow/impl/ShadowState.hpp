// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_SHADOW_STATE_HPP
#define KOALESCE_SHADOW_IMPL_SHADOW_STATE_HPP

#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/common/impl/TryAllocate.hpp>
#include <Koalesce/shadow/impl/ReadWork.hpp>
#include <Koalesce/shadow/impl/StaleBoxes.hpp>
#include <Koalesce/transpose/impl/TransposeDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <typeindex>

namespace Koalesce {
enum class ShadowBuild;
}

namespace Koalesce::Impl {

/// The direction along which threads read consecutive elements.
enum class Along { rows, columns };

/// A matrix, or a batch of them, laid out so that access along one direction coalesces; or some of its lines, one after
/// the other.
template <class View>
struct Shadow {
  View view;
  IndexRange room{0, 0};   // the lines that there is memory for
  LineSet built;           // those that are there
  LineSet read;            // those that were read from the original
  bool no_memory = false;  // for any line
  bool no_room   = false;  // for all that were asked for at once
  std::unique_ptr<Completion> ready;
  StaleBoxes<int(View::rank())> stale;  // of a complete one: what has changed since

  void invalidate() {
    no_memory = no_room = false;
    built.clear();
    read.clear();
    stale.clear();
  }
};

/// Lines along a direction: of all matrices of a batch, one matrix after the other.
template <class Base>
struct ShadowLines {
  static constexpr int row = int(Base::rank()) - 2;

  Base const& base;
  Along along;

  /// The dimension that counts them.
  int dim() const { return along == Along::columns ? row + 1 : row; }
  std::int64_t in_matrix() const { return std::int64_t(base.extent(dim())); }
  std::int64_t length() const { return std::int64_t(base.extent(along == Along::columns ? row : row + 1)); }
  IndexRange all() const { return {0, in_matrix() * (row == 0 ? 1 : std::int64_t(base.extent(0)))}; }

  /// Strides of memory that has `count` lines of each matrix.
  Kokkos::LayoutStride layout(std::int64_t matrices, std::int64_t count) const {
    Kokkos::LayoutStride layout;
    for (int d = 0; d < int(Base::rank()); ++d) layout.dimension[d] = base.extent(d);
    layout.dimension[dim()] = std::size_t(count);
    layout.stride[row]      = along == Along::columns ? 1 : std::size_t(length());
    layout.stride[row + 1]  = along == Along::columns ? std::size_t(length()) : 1;
    if constexpr (row == 1) {
      layout.dimension[0] = std::size_t(matrices);
      layout.stride[0]    = std::size_t(length() * count);
    }
    return layout;
  }
};

/// The state that copies of a ShadowView share. Lock `mutex` to use it.
template <class View>
struct ShadowState {
  std::mutex mutex;
  Shadow<View> along[2];
  std::map<std::type_index, Traversal> traversals;  // of the index maps seen
  std::size_t max_bytes;
  ShadowBuild build;

  Shadow<View>& operator[](Along a) { return along[a == Along::columns]; }

  std::size_t bytes() const {
    std::size_t total = 0;
    for (auto const& shadow : along) total += shadow.view.span() * sizeof(typename View::value_type);
    return total;
  }
};

/// Allocates memory for a shadow if it has none: for all lines, or else for as many from `first` on as the limit
/// allows. Returns whether there is room for any; if `needs_all`, for all.
template <class View, class Base>
bool allocate_shadow(ShadowState<View>& state, ShadowLines<Base> const& lines, std::int64_t first, bool needs_all) {
  constexpr std::int64_t fewest = 16;  // a half-warp's
  auto& shadow                  = state[lines.along];
  if (shadow.view.data() != nullptr) {
    if (shadow.built.empty() && shadow.room.size() < lines.all().size())
      shadow.room = {first, first + shadow.room.size()};
    shadow.no_room = needs_all && shadow.view.size() != lines.base.size();
    return !shadow.no_room;
  }
  if (shadow.no_memory) return false;
  using T                = typename View::value_type;
  std::size_t const size = lines.base.size(), bytes = size * sizeof(T), taken = state.bytes();
  std::size_t const limit    = state.max_bytes - std::min(state.max_bytes, taken);
  std::string const label    = lines.base.label() + " (shadow)";
  bool const overflows       = bytes / sizeof(T) != size;
  std::int64_t const limited = std::int64_t(limit / sizeof(T)) / std::max<std::int64_t>(lines.length(), 1);
  if (!overflows && bytes <= limit) {
    shadow.view =
        try_allocate<View>(label, lines.layout(Base::rank() == 2 ? 1 : lines.base.extent(0), lines.in_matrix()));
    shadow.room = lines.all();
  } else if (needs_all) {
    shadow.no_room = true;
    return false;
  } else if (View::rank_dynamic == View::rank && limited >= fewest) {  // extents in the type cannot be fewer
    shadow.view = try_allocate<View>(label, lines.layout(1, limited));
    shadow.room = {first, first + limited};
  }
  shadow.no_memory = shadow.view.data() == nullptr;
  return !shadow.no_memory;
}

/// Copies the original, or a part of it, into its shadow.
template <class BackendTag, class Exec, class Dst, class Src>
void copy_to_shadow(Exec const& exec, Dst const& shadow, Src const& base) {
  Permutation<Src::rank()> identity{};
  for (int d = 0; d < int(Src::rank()); ++d) identity[d] = d;
  dispatch_transpose<BackendTag>(exec, "shadow", shadow, base, identity);
}

/// Transposes a run of lines of the original into the shadow.
template <class BackendTag, class Exec, class View, class Base>
void copy_lines(Exec const& exec, Shadow<View>& shadow, ShadowLines<Base> const& lines, IndexRange run) {
  using T                      = typename View::value_type;
  using Part                   = Kokkos::View<std::conditional_t<View::rank() == 2, T**, T***>, Kokkos::LayoutStride,
                            typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::int64_t const in_matrix = lines.in_matrix();
  while (!run.empty()) {
    // Whole matrices at once, else what is left of one.
    std::int64_t const matrix = run.first / in_matrix, line = run.first % in_matrix;
    bool const whole            = line == 0 && run.size() >= in_matrix;
    std::int64_t const matrices = whole ? run.size() / in_matrix : 1;
    std::int64_t const count    = whole ? in_matrix : std::min(in_matrix - line, run.size());
    typename StaleBoxes<int(View::rank())>::Box box;
    for (int d = 0; d < int(View::rank()); ++d) box.range[d] = {0, std::int64_t(lines.base.extent(d))};
    box.range[lines.dim()] = {line, line + count};
    if constexpr (View::rank() == 3) box.range[0] = {matrix, matrix + matrices};
    auto* const to = shadow.view.data() + (run.first - shadow.room.first) * lines.length();
    copy_to_shadow<BackendTag>(exec, Part(to, lines.layout(matrices, count)), part_of(lines.base, box));
    run.first += matrices * count;
  }
}

/// Builds what the shadow lacks of a run of lines, as far as there is room. Earlier work on the shadow is over, or on
/// `exec`.
template <class BackendTag, class Exec, class View, class Base>
void build_lines(Exec const& exec, Shadow<View>& shadow, ShadowLines<Base> const& lines, IndexRange const& run) {
  IndexRange const wanted = intersection(run, shadow.room);
  auto const missing      = shadow.built.missing(wanted);
  if (missing.empty()) return;
  for (auto const& part : missing) copy_lines<BackendTag>(exec, shadow, lines, part);
  shadow.ready = std::make_unique<CompletionOf<Exec>>(exec);  // may throw: then nothing counts as built
  shadow.built.add(wanted);
}

/// Marks a box of the original as changed: of a complete shadow it is copied anew, of others its lines are; or all, if
/// so many runs would be left that reads add no more.
template <class View, class Base, class Box>
void mark_stale(Shadow<View>& shadow, ShadowLines<Base> const& lines, Box const& box) {
  if (shadow.built.empty()) return;
  if (shadow.built.contains(lines.all())) return shadow.stale.add(box);
  IndexRange matrices{0, 1}, changed = box.range[lines.dim()];
  if constexpr (View::rank() == 3) matrices = box.range[0];
  for (const auto& range : box.range)
    if (range.empty()) return;
  for (std::int64_t b = matrices.first; b < matrices.end; ++b) {
    auto const runs = shadow.built.runs();
    shadow.built.remove({b * lines.in_matrix() + changed.first, b * lines.in_matrix() + changed.end});
    if (shadow.built.runs() > std::max(runs, LineSet::max_runs - 1)) return shadow.built.clear();
  }
}

/// Copies what has changed of the original since its shadow was built. Earlier work on the shadow is over, or on
/// `exec`.
template <class BackendTag, class Exec, class View, class Base>
void update_shadow(Exec const& exec, Shadow<View>& shadow, Base const& base) {
  if (shadow.stale.empty()) return;
  for (auto const& box : shadow.stale.boxes())
    copy_to_shadow<BackendTag>(exec, part_of(shadow.view, box), part_of(base, box));
  shadow.ready = std::make_unique<CompletionOf<Exec>>(exec);
  shadow.stale.clear();
}

}  // namespace Koalesce::Impl

#endif
