// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_REGROUP_ORACLE_HPP
#define KOALESCE_TEST_REGROUP_ORACLE_HPP

#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

#include <optional>

namespace Koalesce::Test {

// ---- Variants ----

/// A variant to ask for; none: Regroup::automatic.
using Variant = std::optional<RegroupVariant>;

inline std::vector<Variant> const index_variants{RegroupVariant::plain, RegroupVariant::team, RegroupVariant::grid,
                                                 std::nullopt};
inline std::vector<Variant> const all_variants{RegroupVariant::plain,      RegroupVariant::team,
                                               RegroupVariant::team_moved, RegroupVariant::grid,
                                               RegroupVariant::grid_moved, std::nullopt};

template <class Policy>
Policy ask(Policy const& policy, Variant variant) {
  if (!variant) return policy;
  if (variant == RegroupVariant::plain) return policy.with_regroup(Regroup::never);
  bool const team  = variant == RegroupVariant::team || variant == RegroupVariant::team_moved;
  bool const moved = variant == RegroupVariant::team_moved || variant == RegroupVariant::grid_moved;
  return policy.with_regroup(Regroup::always)
      .with_scope(team ? RegroupScope::team : RegroupScope::grid)
      .with_remap(moved ? RegroupRemap::data : RegroupRemap::index);
}

/// Calls body(variant); a failure tells which.
template <class Body>
void for_each_variant(std::vector<Variant> const& variants, Body const& body) {
  for (auto const variant : variants) {
    SCOPED_TRACE(std::string("variant: ") + (variant ? to_string(*variant) : "automatic"));
    body(variant);
  }
}

/// A kernel's name: "Koalesce::<backend>::<label> [<step>]".
template <class P>
std::string regroup_kernel(std::string const& label, std::string const& step) {
  return std::string("Koalesce::") + P::backend::name + "::" + label + " [" + step + "]";
}

/// Equal calls run equal kernels while it lives.
class ByExtents {
 public:
  ByExtents() { set_tuning_mode(TuningMode::by_extents); }
  ~ByExtents() { set_tuning_mode(m_before); }
  ByExtents(ByExtents const&)            = delete;
  ByExtents& operator=(ByExtents const&) = delete;

 private:
  TuningMode m_before = tuning_mode();
};

// ---- Items and their paths ----

using PathNumbers = std::vector<std::int64_t>;

struct Items {
  std::int64_t begin;
  int paths;
  PathNumbers path;  // of the items from `begin` on

  std::int64_t size() const { return std::int64_t(path.size()); }
  std::int64_t end() const { return begin + size(); }
  std::int64_t path_of(std::int64_t item) const { return path[std::size_t(item - begin)]; }
};

enum class Mix { equal, skewed, clustered, alternating, one, last };

inline constexpr Mix all_mixes[] = {Mix::equal, Mix::skewed, Mix::clustered, Mix::alternating, Mix::one, Mix::last};

inline PathNumbers make_paths(Rng& rng, Mix mix, int paths, std::int64_t items) {
  auto const any = [&] { return random_int(rng, 0, paths - 1); };
  PathNumbers path(std::size_t(items), mix == Mix::one ? any() : paths - 1);
  std::int64_t rest = 0, current = 0;
  for (std::int64_t i = 0; i < items; ++i) {
    auto& p = path[std::size_t(i)];
    if (rest-- == 0) current = any(), rest = random_int(rng, 0, 200);
    if (mix == Mix::equal) p = any();
    if (mix == Mix::skewed) p = random_int(rng, 0, 19) == 0 ? any() : 0;
    if (mix == Mix::clustered) p = current;
    if (mix == Mix::alternating) p = i % paths;
  }
  return path;
}

/// Any mix, from any item on.
inline Items random_items(Rng& rng, int paths, std::int64_t items) {
  Mix const mix = all_mixes[rng() % std::size(all_mixes)];
  return {rng() % 3 == 0 ? 0 : random_int(rng, 1, 5000), paths, make_paths(rng, mix, paths, items)};
}

/// Numbers of items around those that teams and tiles of the backends take, and others.
inline std::int64_t random_size(Rng& rng) {
  constexpr std::int64_t sizes[] = {1, 31, 32, 33, 256, 512, 1024, 4096, 8192, 16384, 24576};
  return rng() % 3 == 0 ? random_int(rng, 1, 30000)
                        : std::max<std::int64_t>(1, sizes[rng() % std::size(sizes)] + random_int(rng, -1, 1));
}

/// The predictor: looks a path up, and returns it as a T.
template <class Memory, class T = std::int64_t>
struct PathTable {
  explicit PathTable(Items const& items)
      : at(Kokkos::view_alloc("paths", Kokkos::WithoutInitializing), items.path.size()), begin(items.begin) {
    auto const host = Kokkos::create_mirror_view(at);
    std::copy(items.path.begin(), items.path.end(), host.data());
    Kokkos::deep_copy(at, host);
  }

  KOKKOS_FUNCTION T operator()(std::int64_t item) const { return T(at(item - begin)); }

  Kokkos::View<std::int64_t*, Memory> at;
  std::int64_t begin;
};

template <class P, class T = std::int64_t>
using PathTableOf = PathTable<typename P::exec::memory_space, T>;

// ---- What ran ----

/// The functor for all paths: counts an item's runs, and keeps its path.
template <class Memory>
struct Visits {
  explicit Visits(Items const& items)
      : times("times", items.path.size() + 1), taken("taken", items.path.size() + 1), begin(items.begin) {}

  KOKKOS_FUNCTION void operator()(std::int64_t item, int path) const {
    std::int64_t const i = item - begin, beyond = std::int64_t(times.extent(0)) - 1;
    auto const slot = i >= 0 && i < beyond ? i : beyond;
    Kokkos::atomic_inc(&times(slot));
    taken(slot) = path;
  }

  /// Whether every item with a path ran once, on that path, and nothing else did.
  ::testing::AssertionResult match(Items const& items) const {
    auto const t = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), times);
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), taken);
    for (std::int64_t i = 0; i < items.size(); ++i) {
      auto const path    = items.path[std::size_t(i)];
      int const expected = path >= 0 && path < items.paths;
      auto const failure = [&] {
        return ::testing::AssertionFailure()
               << "item " << items.begin + i << " of " << items.begin << " to " << items.end();
      };
      if (t(i) != expected) return failure() << " ran " << t(i) << " times";
      if (expected == 1 && p(i) != path) return failure() << " ran path " << p(i) << ", not " << path;
    }
    if (t(items.size()) == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "items out of the range ran";
  }

  Kokkos::View<int*, Memory> times, taken;
  std::int64_t begin;
};

template <class P>
using VisitsOf = Visits<typename P::exec::memory_space>;

/// The functor of one path.
template <class Memory>
struct VisitAs {
  Visits<Memory> visits;
  int path;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { visits(item, path); }
};

/// Items in the order in which one thread runs them.
struct InOrder {
  Kokkos::View<int*, Kokkos::HostSpace> next, order;
  std::int64_t begin;

  KOKKOS_FUNCTION void operator()(std::int64_t item, int) const {
    order(Kokkos::atomic_fetch_add(&next(0), 1)) = int(item - begin);
  }
};

/// An instance of one thread runs slot by slot: what is seen is the order.
#if defined(KOKKOS_ENABLE_SERIAL)
using OneThread = Kokkos::Serial;
inline OneThread one_thread() { return {}; }
#elif defined(KOKKOS_ENABLE_OPENMP)
using OneThread = Kokkos::OpenMP;
inline OneThread one_thread() { return OneThread(1); }
#endif

/// \param[in] policy  of items on an instance of one thread.
template <class BackendTag, class Policy>
std::vector<int> order_of_run(Items const& items, Policy const& policy) {
  using View = Kokkos::View<int*, Kokkos::HostSpace>;
  InOrder const body{View("next", 1), View("order", items.path.size()), items.begin};
  parallel_regroup("order", policy.with_backend(BackendTag()), Paths(items.paths), PathTable<Kokkos::HostSpace>(items),
                   body);
  return std::vector<int>(body.order.data(), body.order.data() + body.order.extent(0));
}

/// Runs f(item, path) for all items and compares.
template <class P>
void check_visits(Items const& items, Variant variant, std::string const& label = "visit",
                  typename P::exec const& exec = {}) {
  PathTableOf<P> const predict(items);
  VisitsOf<P> const visits(items);
  RegroupPolicy const policy(exec, items.begin, items.end());
  parallel_regroup(label, ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths), predict,
                   visits);
  exec.fence();
  EXPECT_TRUE(visits.match(items)) << items.paths << " paths";
}

}  // namespace Koalesce::Test

#endif
