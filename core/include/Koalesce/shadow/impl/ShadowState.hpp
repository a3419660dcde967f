// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_SHADOW_STATE_HPP
#define KOALESCE_SHADOW_IMPL_SHADOW_STATE_HPP

#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/common/impl/TryAllocate.hpp>
#include <Koalesce/shadow/impl/ReadWork.hpp>
#include <Koalesce/shadow/impl/StaleBoxes.hpp>
#include <Koalesce/transpose/impl/TransposeDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>

namespace Koalesce::Impl {

/// The direction along which threads read consecutive elements.
enum class Along { rows, columns };

/// A matrix, or a batch of them, laid out so that access along one direction coalesces.
template <class View>
struct Shadow {
  View view;
  bool valid     = false;
  bool no_memory = false;
  std::unique_ptr<Completion> built;
  StaleBoxes<int(View::rank())> stale;  // of a valid one: what has changed since

  void invalidate() {
    valid = no_memory = false;
    stale.clear();
  }
};

/// The state that copies of a ShadowView share. Lock `mutex` to use it.
template <class View>
struct ShadowState {
  std::mutex mutex;
  Shadow<View> along[2];
  std::map<std::type_index, Traversal> traversals;  // of the index maps seen
  std::size_t max_bytes;

  Shadow<View>& operator[](Along a) { return along[a == Along::columns]; }

  std::size_t bytes() const {
    std::size_t total = 0;
    for (auto const& shadow : along) total += shadow.view.span() * sizeof(typename View::value_type);
    return total;
  }
};

/// The strides of a dense matrix, or batch, that is contiguous along the given direction.
template <class Base>
Kokkos::LayoutStride shadow_layout(Base const& base, Along along) {
  constexpr int row = int(Base::rank()) - 2, column = row + 1;
  Kokkos::LayoutStride layout;
  for (int d = 0; d < int(Base::rank()); ++d) layout.dimension[d] = base.extent(d);
  bool const down       = along == Along::columns;
  layout.stride[row]    = down ? 1 : base.extent(column);
  layout.stride[column] = down ? base.extent(row) : 1;
  if constexpr (Base::rank() == 3) layout.stride[0] = base.extent(row) * base.extent(column);
  return layout;
}

/// Allocates the shadow's memory if it has none. Returns whether it has memory.
template <class View, class Base>
bool allocate_shadow(ShadowState<View>& state, Along along, Base const& base) {
  auto& shadow = state[along];
  if (shadow.view.data() != nullptr) return true;
  if (shadow.no_memory) return false;
  std::size_t const bytes = base.size() * sizeof(typename View::value_type);
  bool const overflows    = base.size() > 0 && bytes / sizeof(typename View::value_type) != base.size();
  if (!overflows && bytes + state.bytes() <= state.max_bytes)
    shadow.view = try_allocate<View>(base.label() + " (shadow)", shadow_layout(base, along));
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

/// Copies what has changed of the original since its shadow was built. Earlier work on the shadow is over, or on
/// `exec`.
template <class BackendTag, class Exec, class View, class Base>
void update_shadow(Exec const& exec, Shadow<View>& shadow, Base const& base) {
  if (shadow.stale.empty()) return;
  for (auto const& box : shadow.stale.boxes())
    copy_to_shadow<BackendTag>(exec, part_of(shadow.view, box), part_of(base, box));
  shadow.stale.clear();
  shadow.built = std::make_unique<CompletionOf<Exec>>(exec);
}

}  // namespace Koalesce::Impl

#endif
