// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_MEMBER_LIST_HPP
#define KOALESCE_TRANSPOSE_IMPL_MEMBER_LIST_HPP

#include <Koalesce/transpose/Members.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

/// What the compiler knows of Members.
namespace Koalesce::Impl {

template <class Pointer>
struct MemberPointer {
  static_assert(std::is_member_object_pointer_v<Pointer>,
                "Koalesce: Members takes pointers to data members, as in Members<&Particle::x, &Particle::v>");
};
template <class S, class M>
  requires std::is_object_v<M>
struct MemberPointer<M S::*> {
  using struct_type = S;
  using member_type = M;
};

template <auto Pointer>
struct PointerConstant {};

/// The number of the pointer that is equal to `Key`, or how many there are.
template <auto Key, auto... Pointers>
constexpr int index_in() {
  constexpr bool same[] = {std::is_same_v<PointerConstant<Pointers>, PointerConstant<Key>>...};
  int k                 = 0;
  while (k < int(sizeof...(Pointers)) && !same[k]) ++k;
  return k;
}

template <auto... Pointers>
constexpr bool are_different() {
  int k = 0;
  return ((index_in<Pointers, Pointers...>() == k++) && ...);
}

/// What an initializer of any member converts to.
struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, class... Ms>
inline constexpr bool is_listed = (std::is_same_v<T, std::remove_extent_t<Ms>> || ...);

/// What an initializer of a listed member converts to, and not to an anonymous struct that holds it: that has as many
/// initializers as members. To another union, such as an anonymous one, it converts in a way that may throw.
template <class... Ms>
struct ListedMember {
  template <class T>
    requires is_listed<T, Ms...>
  operator T() const noexcept;
  template <class T>
    requires(std::is_union_v<T> && !is_listed<T, Ms...>)
  operator T() const;
};

/// Whether an aggregate takes so many initializers, none of them for a union that is not listed, and none more: neither
/// an AnyMember, which converts to some types in two ways, nor an empty one.
template <class S, class Listed, std::size_t... K>
constexpr bool takes_exactly(std::index_sequence<K...>) {
  constexpr bool all   = requires { requires noexcept(S{(void(K), Listed())...}); };
  constexpr bool more  = requires { S{(void(K), Listed())..., AnyMember()}; };
  constexpr bool empty = requires { S{(void(K), Listed())..., {}}; };
  return all && !more && !empty;
}

/// Initializers of a member without braces around an array's.
template <class M>
inline constexpr std::size_t initializers_of = std::rank_v<M> == 0 ? 1 : std::extent_v<M>;

/// Whether a struct takes the initializers of members of these types and no more: then it has no others. False where
/// counting would take the compiler long, and of an anonymous union: the rest of it may be larger than the member
/// listed.
template <class S, class... Ms>
constexpr bool has_members() {
  constexpr std::size_t count = (initializers_of<Ms> + ...);
  if constexpr (std::is_aggregate_v<S> && count <= 256)
    return takes_exactly<S, ListedMember<Ms...>>(std::make_index_sequence<count>());
  else return false;
}

/// The data type of a View of many members: `M*`, or `T*[N]` for an array.
template <class M>
struct ArrayOf {
  using type = M*;
};
template <class T, std::size_t N>
struct ArrayOf<T[N]> {
  using type = T* [N];
};

/// Views of different types, which kernels can capture.
template <class... Views>
struct ViewPack {};
template <class View, class... Views>
struct ViewPack<View, Views...> {
  View first;
  ViewPack<Views...> rest;
};

/// Member by member, as C arrays cannot be assigned.
template <class M>
KOKKOS_FORCEINLINE_FUNCTION void assign(M& to, M const& from) {
  to = from;
}
template <class T, std::size_t N>
KOKKOS_FORCEINLINE_FUNCTION void assign(T (&to)[N], T const (&from)[N]) {
  for (std::size_t i = 0; i < N; ++i) to[i] = from[i];
}

template <class>
struct MemberList {
  static_assert(sizeof(MemberList*) == 0, "Koalesce::StructView: the first argument must be Members<...>");
};

template <auto First, auto... Rest>
struct MemberList<Members<First, Rest...>> {
  template <auto Pointer>
  using type = typename MemberPointer<std::remove_const_t<decltype(Pointer)>>::member_type;

  using struct_type          = typename MemberPointer<std::remove_const_t<decltype(First)>>::struct_type;
  static constexpr int count = 1 + sizeof...(Rest);

  static_assert(count >= 2 && count <= 16, "Koalesce: Members takes 2 to 16 members");
  static_assert(
      (std::is_same_v<typename MemberPointer<std::remove_const_t<decltype(Rest)>>::struct_type, struct_type> && ...),
      "Koalesce: Members takes members of one struct");
  static_assert(std::is_standard_layout_v<struct_type> && std::is_trivially_copyable_v<struct_type>,
                "Koalesce: members are moved as bytes, so their struct must have standard layout and be trivially "
                "copyable");
  static_assert(std::is_default_constructible_v<struct_type>,
                "Koalesce: members that are not listed get their default values, so their struct must have a default "
                "constructor");
  static_assert(!(std::is_const_v<type<First>> || ... || std::is_const_v<type<Rest>>),
                "Koalesce: a const member cannot be written");
  static_assert(std::rank_v<type<First>> <= 1 && ((std::rank_v<type<Rest>> <= 1) && ...),
                "Koalesce: an array that is a member must have one dimension");

  static constexpr int bytes[count] = {int(sizeof(type<First>)), int(sizeof(type<Rest>))...};

  /// The size that all members have, or 0.
  static constexpr int common_bytes =
      ((sizeof(type<Rest>) == sizeof(type<First>)) && ...) ? int(sizeof(type<First>)) : 0;

  static_assert(are_different<First, Rest...>(), "Koalesce: Members takes every member once");

  /// Whether the struct is known to have no other members: what lies between them is padding.
  static constexpr bool are_all = has_members<struct_type, type<First>, type<Rest>...>();

  /// The number of a member, given by its pointer or by that number.
  template <auto Key>
  static constexpr int index_of() {
    if constexpr (std::is_integral_v<decltype(Key)>) {
      static_assert(Key >= 0 && Key < count, "Koalesce::StructView: Members has no member of this number");
      return int(Key);
    } else {
      constexpr int k = index_in<Key, First, Rest...>();
      static_assert(k < count, "Koalesce::StructView: this member is not in the list of Members");
      return k < count ? k : 0;
    }
  }

  /// The same as a constant, which device code can use.
  template <auto Key>
  static constexpr int index = index_of<Key>();

  template <int K, auto Pointer, auto... Others>
  static auto constant_at(PointerConstant<Pointer>, PointerConstant<Others>... others) {
    if constexpr (K == 0) return PointerConstant<Pointer>();
    else return constant_at<K - 1>(others...);
  }
  template <auto Pointer>
  static std::type_identity<type<Pointer>> type_of(PointerConstant<Pointer>);

  /// The type of member K.
  template <int K>
  using member_type =
      typename decltype(type_of(constant_at<K>(PointerConstant<First>(), PointerConstant<Rest>()...)))::type;

  /// The bytes of the struct before each member.
  static Kokkos::Array<int, count> offsets() {
    static struct_type const object{};
    auto const address = [](auto const& part) { return reinterpret_cast<unsigned char const*>(std::addressof(part)); };
    auto const base    = address(object);
    return {{int(address(object.*First) - base), int(address(object.*Rest) - base)...}};
  }

  /// One View per member.
  template <class MemorySpace>
  using arrays = ViewPack<Kokkos::View<typename ArrayOf<type<First>>::type, Kokkos::LayoutRight, MemorySpace>,
                          Kokkos::View<typename ArrayOf<type<Rest>>::type, Kokkos::LayoutRight, MemorySpace>...>;

  template <class View, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void load(View const& view, Index i, struct_type& value) {
    assign(value.*First, view.template get<First>(i));
    (assign(value.*Rest, view.template get<Rest>(i)), ...);
  }

  template <class View, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static void store(View const& view, Index i, struct_type const& value) {
    assign(view.template get<First>(i), value.*First);
    (assign(view.template get<Rest>(i), value.*Rest), ...);
  }
};

}  // namespace Koalesce::Impl

#endif
