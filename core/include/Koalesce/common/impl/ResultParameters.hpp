// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_RESULT_PARAMETERS_HPP
#define KOALESCE_COMMON_IMPL_RESULT_PARAMETERS_HPP

#include <concepts>
#include <type_traits>
#include <utility>

/// How functors take what they reduce into. One that is callable may still get a copy, to which it adds in vain.
namespace Koalesce::Impl {

template <class... Ts>
struct TypeList {};

/// Converts to T alone.
template <class T>
struct OnlyAs {
  template <std::same_as<T> U>
  operator U() const;
};

/// Whether a functor has one call operator, and that is no template.
template <class F>
inline constexpr bool has_one_call = requires { typename std::type_identity_t<decltype(&F::operator())>; };

/// Whether a functor, which can be called with a T&, has a parameter there that changes no T: T or T const&. `{}` is
/// taken by these, and not by T&; nothing is deduced from it, so that calls of templates, as of auto&, instantiate
/// nothing new. Of several call operators another one may take `{}`, but hardly what converts to T alone.
/// \tparam Before, After  the arguments before and after it, as references.
template <class F, class T, class... Before, class... After>
constexpr bool drops_result(TypeList<Before...>, TypeList<After...>) {
  if constexpr (requires(F const& f) { f(std::declval<Before>()..., {}, std::declval<After>()...); })
    return has_one_call<F> || std::is_invocable_v<F const&, Before..., OnlyAs<T>, After...>;
  else return false;
}

template <class F, class... Arguments>
constexpr bool takes_references(TypeList<Arguments...>, TypeList<>) {
  return true;
}
template <class F, class... Arguments, class T, class... Results>
constexpr bool takes_references(TypeList<Arguments...> arguments, TypeList<T, Results...>) {
  if constexpr (drops_result<F, T>(arguments, TypeList<Results&...>())) return false;
  else return takes_references<F>(TypeList<Arguments..., T&>(), TypeList<Results...>());
}

/// Fails a static_assert and returns false if a functor takes a result by value.
/// \tparam F          can be called with the arguments, then a reference for every result.
/// \tparam Arguments  as references.
/// \tparam Results    their types.
template <class F, class... Arguments, class... Results>
constexpr bool check_results(TypeList<Arguments...> arguments, TypeList<Results...> results) {
  constexpr bool references = takes_references<F>(arguments, results);
  static_assert(references,
                "Koalesce: the functor must take every result that it reduces into as a reference that is not const, "
                "as in double& sum; what it adds to a copy is lost");
  return references;
}

}  // namespace Koalesce::Impl

#endif
