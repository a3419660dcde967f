// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_WORK_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_WORK_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/PayloadSlots.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace Koalesce::Impl {

/// Where kernels report the first item whose predicted path is out of range, and that path: packed into one number, so
/// that an atomic minimum finds the first item.
struct PathFault {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  static constexpr std::int64_t span = std::int64_t(1) << 24, most = span / 2 - 1, least = -span / 2;
  static constexpr std::int64_t last = none / span - 1;  ///< item that is kept

  std::int64_t* first;

  KOKKOS_FUNCTION void report(std::int64_t item, std::int64_t path) const {
    Kokkos::atomic_min(first, Kokkos::min(item, +last) * span + Kokkos::clamp(path, +least, +most) - least);
  }

  /// As numbers beyond 39 bits are not kept, it may say "or a later one".
  static std::string item(std::int64_t reported) {
    std::int64_t const item = reported / span;
    return std::to_string(item) + (item == last ? " or a later one" : "");
  }
  /// As numbers beyond 24 bits are not kept, it may say "or more" or "or less".
  static std::string path(std::int64_t reported) {
    std::int64_t const path = reported % span + least;
    return std::to_string(path) + (path == most ? " or more" : path == least ? " or less" : "");
  }

  /// \param[in] paths  of the loop.
  static std::string text(std::int64_t reported, int paths) {
    return "the predictor gives item " + item(reported) + " the path " + path(reported) +
           ", but paths are numbered 0 to " + std::to_string(paths - 1) +
           "; that item has run no path, so make the predictor return one of them for every item";
  }
};

/// A path, or the highest number where that is higher.
template <class Path>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t path_number(Path path) {
  if constexpr (std::is_enum_v<Path>) return path_number(std::underlying_type_t<Path>(path));
  else if constexpr (std::is_unsigned_v<Path>)
    return std::int64_t(Kokkos::min(std::uint64_t(path), std::uint64_t(+PathFault::none)));
  else return std::int64_t(path);
}

/// Whether an execution space's kernels have run when their launch returns. Each call then has an error of its own, not
/// to get another thread's. A backend specializes it.
template <class Exec>
inline constexpr bool runs_in_launch = false;

/// A functor per path.
template <class... Functors>
struct PathFunctors {
  static constexpr int static_paths = sizeof...(Functors);

  Pack<Functors...> functors;

  /// Calls action(functor of the path); returns false if there is no such path.
  template <class Path, class Action>
  KOKKOS_FORCEINLINE_FUNCTION bool select(Path path, Action const& action) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
      return ((path == Path(I) && (action(get<I>(functors)), true)) || ...);
    }(std::index_sequence_for<Functors...>{});
  }
};

/// One functor for all paths, called with the path after the item.
template <class Functor>
struct PathFunctor {
  static constexpr int static_paths = 0;  // known at run time only

  Functor functor;
  int paths;

  struct Bound {
    Functor const& functor;
    int path;

    template <class... Args>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t item, Args&&... args) const {
      functor(item, path, args...);
    }
  };

  template <class Path, class Action>
  KOKKOS_FORCEINLINE_FUNCTION bool select(Path path, Action const& action) const {
    if (path < 0 || path >= Path(paths)) return false;
    action(Bound{functor, int(path)});
    return true;
  }
};

/// What key(i) returns.
template <class Key>
struct KeyValueOf {
  using type = std::decay_t<decltype(std::declval<Key const&>()(std::int64_t()))>;
};
template <>
struct KeyValueOf<NoKey> {
  using type = std::uint8_t;
};

/// A loop whose items take paths.
template <class Predict, class Body, class PayloadT, class Key>
struct RegroupWork {
  using Payload  = PayloadT;
  using KeyValue = typename KeyValueOf<Key>::type;

  static constexpr bool has_payload = Payload::size > 0;
  static constexpr bool has_key     = !std::is_same_v<Key, NoKey>;
  static constexpr int static_paths = Body::static_paths;

  std::int64_t begin, end;
  int paths;
  PathFault fault;
  Predict predict;
  Body body;
  Payload payload;
  Key key;

  std::int64_t items() const { return end - begin; }

  template <class Path>
  KOKKOS_FORCEINLINE_FUNCTION bool is_path(Path path) const {
    return path >= 0 && path < Path(paths);
  }

  /// The predicted path, in a type that can hold every path and values out of range.
  KOKKOS_FORCEINLINE_FUNCTION auto predicted(std::int64_t item) const {
    auto const path = predict(item);
    using Path      = std::decay_t<decltype(path)>;
    static_assert(is_path_number<Path>,
                  "Koalesce::parallel_regroup: the predictor must return the path of an item as an integer, an "
                  "enumerator or a bool");
    if constexpr (!is_path_number<Path>) return 0;
    else if constexpr (sizeof(Path) < 4 || (sizeof(Path) == 4 && std::is_signed_v<Path>)) return int(path);
    else return path_number(path);
  }

  /// The item's path, or `paths` if it has none. Such an item is counted and placed like one of path 0, and no functor
  /// runs.
  KOKKOS_FORCEINLINE_FUNCTION int path(std::int64_t item) const { return checked(predicted(item), item); }

  template <class Path>
  KOKKOS_FORCEINLINE_FUNCTION int checked(Path path, std::int64_t item) const {
    if (is_path(path)) return int(path);
    fault.report(item, path);
    return paths;
  }

  /// Runs an item with the payload's elements to which elements(part, number) refers.
  template <class Functor, class Update, class Elements>
  KOKKOS_FORCEINLINE_FUNCTION void call(Functor const& functor, std::int64_t item, Update& update,
                                        Elements const& elements) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
      if constexpr (std::is_same_v<Update, NoUpdate>)
        functor(item, elements(get<I>(payload), std::integral_constant<int, int(I)>{})...);
      else functor(item, elements(get<I>(payload), std::integral_constant<int, int(I)>{})..., update);
    }(std::make_index_sequence<Payload::size>{});
  }

  /// Runs an item with the elements in their Views; returns false if there is no such path.
  template <class Path, class Update>
  KOKKOS_FORCEINLINE_FUNCTION bool run(Path path, std::int64_t item, Update& update) const {
    return body.select(path, [&](auto const& functor) KOALESCE_INLINE_LAMBDA {
      call(functor, item, update,
           [&](auto const& part, auto) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return part.view(item); });
    });
  }

  /// Runs an item with the elements that were moved to a slot.
  template <class Update, class Slots>
  KOKKOS_FORCEINLINE_FUNCTION void run_moved(int path, std::int64_t item, Slots const& slots, std::int64_t slot,
                                             Update& update) const {
    body.select(path, [&](auto const& functor) KOALESCE_INLINE_LAMBDA {
      call(functor, item, update, [&](auto const& part, auto i) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
        return element_in_slot(part, i, slots, slot);
      });
    });
  }
};

template <class Work>
using Slots = SlotsOfPayload<typename Work::Payload>;

}  // namespace Koalesce::Impl

#endif
