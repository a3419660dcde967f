// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_DOMAIN_STENCIL_BLOCKS_HPP
#define KOALESCE_STENCIL_IMPL_DOMAIN_STENCIL_BLOCKS_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/Inputs.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce {
template <class Exec, int Rank>
class ActivePoints;
template <class View>
class FieldList;
}  // namespace Koalesce

/// Many equal blocks in one sweep: fields have one index more, the first, which is the block's.
namespace Koalesce::Impl {

/// Of policies and works whose fields are one block, with all of its points.
struct WholeDomain {
  static constexpr int indices = 0;  ///< that fields and functors have for the block

  KOKKOS_FUNCTION std::int64_t blocks() const { return 1; }
};

/// Of a policy with many blocks.
struct EqualBlocks {
  static constexpr int indices = 1;

  std::int64_t count = 1;

  std::int64_t blocks() const { return count; }
};

template <class View>
inline constexpr bool is_field_list = false;
template <class View>
inline constexpr bool is_field_list<FieldList<View>> = true;

/// A View, or several as one field.
template <class T>
inline constexpr bool is_field_type = Kokkos::is_view_v<T> || is_field_list<T>;

/// A View of the first block. (Constness and the other indices stay.)
template <class View>
auto first_block(View const& view) {
  if constexpr (is_field_list<View>) return view.first();
  else
    return [&]<int... D>(std::integer_sequence<int, D...>) {
      return Kokkos::subview(view, 0, ((void)D, Kokkos::ALL)...);
    }(std::make_integer_sequence<int, int(View::rank()) - 1>{});
}
template <class View>
auto first_block(AtPoint<View> const& in) {
  return at_point(first_block(in.view));
}
template <class Shape, class View, class Boundary>
auto first_block(Around<Shape, View, Boundary> const& in) {
  return around(Shape{}, first_block(in.view));
}

/// Where a field's blocks begin: so many elements apart.
struct BlockStride {
  std::int64_t elements;
  static constexpr bool whole = true;

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* origin(T* of_first, std::int64_t block) const {
    return of_first + block * elements;
  }
};

/// The same for blocks anywhere: so many bytes after the first one, which are multiples of `elements`.
struct BlockTable {
  std::uintptr_t const* bytes;
  std::int64_t elements;
  bool whole;  ///< elements lie between them, no part of one

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T* origin(T* of_first, std::int64_t block) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(of_first) + bytes[block]);
  }
};

template <class View>
auto places_of_blocks(View const& view) {
  if constexpr (is_field_list<View>) return view.places();
  else return BlockStride{std::int64_t(view.stride(0))};
}

/// Of a work with many blocks: where those of its fields begin.
template <class Ins, class Points, class Outs>
struct WorkBlocks {
  std::int64_t number;
  Ins in;
  Points points;
  Outs out;

  KOKKOS_FUNCTION std::int64_t blocks() const { return number; }
};
template <class Ins, class Points, class Outs>
WorkBlocks(std::int64_t, Ins, Points, Outs) -> WorkBlocks<Ins, Points, Outs>;

template <class Domain>
inline constexpr bool is_blocks = false;
template <class Ins, class Points, class Outs>
inline constexpr bool is_blocks<WorkBlocks<Ins, Points, Outs>> = true;

/// The caller's functor, with the number of the block.
template <class F>
struct BlockFunctor {
  F functor;
  std::int64_t block = 0;
};

/// A functor as wrap(functor), of known weights the one after them; those alone as they are.
template <class F, class Wrap>
auto wrap_functor(F const& functor, Wrap const& wrap) {
  if constexpr (is_linear_then<F>) {
    using Then = decltype(wrap(functor.then));
    return LinearThen<std::decay_t<decltype(functor.weights)>, Then>{functor.weights, wrap(functor.then)};
  } else if constexpr (is_linear<F>) {
    return functor;
  } else {
    return wrap(functor);
  }
}

template <class F>
auto with_block(F const& functor) {
  return wrap_functor(functor, [](auto const& f) { return BlockFunctor<std::decay_t<decltype(f)>>{f}; });
}

/// Makes a functor that of a block.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void set_block(F&, std::int64_t) {}
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void set_block(BlockFunctor<F>& functor, std::int64_t block) {
  functor.block = block;
}
template <class Weights, class F>
KOKKOS_FORCEINLINE_FUNCTION void set_block(LinearThen<Weights, BlockFunctor<F>>& functor, std::int64_t block) {
  functor.then.block = block;
}

}  // namespace Koalesce::Impl

#endif
