// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACED_ARRAY_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACED_ARRAY_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/placement/OnChip.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

/// What a kernel gets for each array: the same access, wherever the elements lie.
namespace Koalesce::Impl {

/// Kernels take arrays by reference: a copy would lie elsewhere.
struct NotCopied {
  NotCopied()                            = default;
  NotCopied(NotCopied const&)            = delete;
  NotCopied& operator=(NotCopied const&) = delete;
};

/// a[i], where a takes one index.
template <class Self, class T>
struct ArrayAccess : NotCopied {
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION T& operator[](Index i) {
    return static_cast<Self&>(*this)(i);
  }
};

/// A TeamArray, in memory that the threads share.
template <class Shape>
class TeamElements : public ArrayAccess<TeamElements<Shape>, typename Shape::value_type> {
 public:
  using value_type = typename Shape::value_type;

  KOKKOS_FORCEINLINE_FUNCTION TeamElements(void* memory, Shape const& shape, int)
      : m_data(static_cast<value_type*>(memory)), m_shape(shape) {}

  /// Bytes per team.
  static std::size_t bytes(Shape const& shape, int) { return sizeof(value_type) * std::size_t(shape.size()); }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(Index... index) {
    return m_data[m_shape.offset(index...)];
  }

 private:
  value_type* m_data;
  Shape m_shape;
};

/// A ThreadArray in memory that the threads share. Elements of neighboring threads are adjacent.
template <class Shape>
class ThreadElements : public ArrayAccess<ThreadElements<Shape>, typename Shape::value_type> {
 public:
  using value_type = typename Shape::value_type;

  KOKKOS_FORCEINLINE_FUNCTION ThreadElements(void* memory, Shape const& shape, int team_size)
      : m_data(static_cast<value_type*>(memory)), m_team_size(team_size), m_shape(shape) {}

  static std::size_t bytes(Shape const& shape, int team_size) {
    return sizeof(value_type) * std::size_t(shape.size()) * std::size_t(team_size);
  }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(int thread, Index... index) {
    return m_data[m_shape.offset(index...) * m_team_size + thread];
  }

 private:
  value_type* m_data;
  int m_team_size;
  Shape m_shape;
};

/// A ThreadArray in local variables of the calling thread: in registers, if the compiler knows every index.
template <class Shape>
class LocalElements : public ArrayAccess<LocalElements<Shape>, typename Shape::value_type> {
 public:
  using value_type = typename Shape::value_type;

  KOKKOS_FORCEINLINE_FUNCTION LocalElements(void*, Shape const&, int) {}

  static std::size_t bytes(Shape const&, int) { return 0; }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(int, Index... index) {
    return m_data[Shape().offset(index...)];
  }

 private:
  value_type m_data[Shape().size() > 0 ? Shape().size() : 1];
};

/// A ThreadArray in local variables that the compiler keeps in memory.
template <class Shape>
class StackElements : public ArrayAccess<StackElements<Shape>, typename Shape::value_type> {
 public:
  using value_type = typename Shape::value_type;

  KOKKOS_FORCEINLINE_FUNCTION StackElements(void*, Shape const&, int) : m_pointer(in_memory(&m_data[0])) {}

  static std::size_t bytes(Shape const&, int) { return 0; }

  template <class... Index>
  KOKKOS_FORCEINLINE_FUNCTION value_type& operator()(int, Index... index) {
    return m_pointer[Shape().offset(index...)];
  }

 private:
  value_type m_data[Shape().size() > 0 ? Shape().size() : 1];
  value_type* m_pointer;
};

/// The class that implements a declared array in a place. An impossible place does not compile.
template <class Array, Place P>
struct Placed {
  using Shape = typename Array::shape_type;

  static_assert(Array::own || P != Place::registers,
                "Koalesce: a TeamArray cannot lie in registers; its threads share elements, and a register belongs to "
                "one thread; place it in scratch or global memory, or declare it a ThreadArray if no thread touches "
                "another thread's elements");
  static_assert(Array::own || P != Place::thread_memory,
                "Koalesce: a TeamArray cannot lie in thread memory; its threads share elements; place it in scratch or "
                "global memory, or declare it a ThreadArray if no thread touches another thread's elements");
  static_assert(Shape::constant || P != Place::registers,
                "Koalesce: a ThreadArray with extents known at run time cannot lie in registers; registers are "
                "assigned at compile time; declare it as T[N], or place it in thread memory");
  static_assert(
      !Shape::constant || Shape::fits_in_thread() || P != Place::registers,
      "Koalesce: a ThreadArray of more than 32 KiB cannot lie in registers; what finds none of them goes to the "
      "thread's stack; place it in scratch, thread or global memory");

  static constexpr bool is_local =
      Array::own && (P == Place::registers || (P == Place::thread_memory && Shape::fits_in_thread()));

  using Memory = std::conditional_t<Array::own, ThreadElements<Shape>, TeamElements<Shape>>;
  using Local  = std::conditional_t<P == Place::registers, LocalElements<Shape>, StackElements<Shape>>;
  using type   = std::conditional_t<is_local, Local, Memory>;
};

}  // namespace Koalesce::Impl

#endif
