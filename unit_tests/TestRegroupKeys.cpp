// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

/// Items that run in order of their keys within their paths.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupKeys : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupKeys, DefaultPaths::types, PathNames);

template <class Key, class Memory>
struct KeyTable {
  KeyTable(std::vector<Key> const& keys, std::int64_t first)
      : at(Kokkos::view_alloc("keys", Kokkos::WithoutInitializing), keys.size()), begin(first) {
    auto const host = Kokkos::create_mirror_view(at);
    std::copy(keys.begin(), keys.end(), host.data());
    Kokkos::deep_copy(at, host);
  }

  KOKKOS_FUNCTION Key operator()(std::int64_t item) const { return at(item - begin); }

  Kokkos::View<Key*, Memory> at;
  std::int64_t begin;
};

template <class Key>
std::vector<Key> random_keys(Rng& rng, std::size_t items) {
  std::vector<Key> keys(items);
  int const kind = int(rng() % 3);  // any; few different ones; all alike
  Key const base = Key(random_int(rng, -100, 100));
  for (auto& key : keys) {
    if constexpr (std::is_floating_point_v<Key>) {
      Key const any = Key(std::ldexp(double(random_int(rng, -1000000, 1000000)), int(random_int(rng, -60, 60))));
      key           = kind == 0 ? any : kind == 1 ? base + Key(rng() % 7) : base;
    } else {
      key = kind == 0 ? Key(rng()) : kind == 1 ? Key(base + Key(rng() % 7)) : base;
    }
  }
  return keys;
}

using RV = RegroupVariant;

std::vector<Variant> const key_variants{RV::plain,          RV::team,       RV::grid_few_bits,
                                        RV::grid_many_bits, RV::grid_exact, std::nullopt};

std::optional<KeyBits> bits_of(Variant variant) {
  if (variant == RV::grid_few_bits) return KeyBits::few;
  if (variant == RV::grid_many_bits) return KeyBits::many;
  if (variant == RV::grid_exact) return KeyBits::exact;
  return std::nullopt;
}

/// \tparam Policy  with a key.
template <class Policy>
Policy ask_with_key(Policy const& policy, Variant variant) {
  auto const bits = bits_of(variant);
  if (!bits) return ask(policy, variant);
  return policy.with_regroup(Regroup::always).with_scope(RegroupScope::grid).with_key_bits(*bits);
}

template <class P, class Key>
void check_keys(Items const& items, std::vector<Key> const& keys) {
  typename P::exec const exec;
  KeyTable<Key, typename P::exec::memory_space> const key(keys, items.begin);
  PathTableOf<P> const predict(items);
  for_each_variant(key_variants, [&](Variant variant) {
    VisitsOf<P> const visits(items);
    auto const policy =
        RegroupPolicy(exec, items.begin, items.end()).with_order(key).with_backend(typename P::backend());
    parallel_regroup("keys", ask_with_key(policy, variant), Paths(items.paths), predict, visits);
    exec.fence();
    EXPECT_TRUE(visits.match(items)) << items.paths << " paths";
  });
}

template <class P, class Key>
void check_random_keys(Rng& rng) {
  for (int const paths : {1, 2, 3, 12, 40, 300}) {
    auto const items = random_items(rng, paths, random_size(rng));
    check_keys<P>(items, random_keys<Key>(rng, items.path.size()));
  }
}

TYPED_TEST(RegroupKeys, every_item_runs_once_on_its_path) {
  for_each_seed([](Rng& rng) {
    check_random_keys<TypeParam, double>(rng);
    check_random_keys<TypeParam, int>(rng);
  });
}

TYPED_TEST(RegroupKeys, few_items_and_none) {
  Rng rng(1);
  for (std::int64_t const size : {0, 1, 2, 31, 33, 255, 257}) {
    Items const items{5, 3, make_paths(rng, Mix::equal, 3, size)};
    check_keys<TypeParam>(items, random_keys<float>(rng, items.path.size()));
  }
}

/// More than 24 bits of a path leave too few for a key; the loop then has no order.
TYPED_TEST(RegroupKeys, very_many_paths) {
  Rng rng(2);
  for (int const paths : {255, 256, 65535, 65536, (1 << 24) - 1, 1 << 24}) {
    Items const items{0, paths, make_paths(rng, Mix::equal, paths, 3001)};
    check_keys<TypeParam>(items, random_keys<std::int64_t>(rng, items.path.size()));
  }
}

/// On a device, so many that every kernel has many blocks.
TYPED_TEST(RegroupKeys, many_items) {
  Rng rng(3);
  Items const items{7, 12,
                    make_paths(rng, Mix::skewed, 12, Backend::on_host<typename TypeParam::exec> ? 100003 : 3000017)};
  check_keys<TypeParam>(items, random_keys<double>(rng, items.path.size()));
}

TYPED_TEST(RegroupKeys, keys_that_are_not_finite) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Rng rng(4);
  Items const items{0, 3, make_paths(rng, Mix::equal, 3, 3000)};
  std::vector<double> keys = random_keys<double>(rng, items.path.size());
  for (std::size_t i = 0; i < keys.size(); i += 7) keys[i] = i % 3 == 0 ? nan : i % 3 == 1 ? inf : -inf;
  check_keys<TypeParam>(items, keys);
  check_keys<TypeParam>(items, std::vector<double>(items.path.size(), nan));
}

TYPED_TEST(RegroupKeys, items_without_a_path_are_named_and_the_others_run) {
  using Exec = typename TypeParam::exec;
  Rng rng(5);
  Items items{2, 5, make_paths(rng, Mix::equal, 5, 2000)};
  items.path[1234] = 5;
  items.path[1235] = -3;
  Exec const exec;
  KeyTable<float, typename Exec::memory_space> const key(random_keys<float>(rng, items.path.size()), items.begin);
  for (auto const variant : {RV::grid_few_bits, RV::grid_many_bits, RV::grid_exact}) {
    VisitsOf<TypeParam> const visits(items);
    auto const policy =
        RegroupPolicy(exec, items.begin, items.end()).with_order(key).with_backend(typename TypeParam::backend());
    std::string error;
    try {
      parallel_regroup("faulty keys", ask_with_key(policy, variant), Paths(5), PathTableOf<TypeParam>(items), visits);
      check_paths(exec);
    } catch (Error const& e) {
      error = e.what();
    }
    EXPECT_NE(error.find("gives item 1236 the path 5"), std::string::npos) << error;
    EXPECT_TRUE(visits.match(items));
  }
}

struct AddItem {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, std::int64_t& sum) const { sum += (path + 1) * item; }
};

TYPED_TEST(RegroupKeys, reductions) {
  using Exec = typename TypeParam::exec;
  Rng rng(6);
  auto const items = random_items(rng, 6, 20011);
  KeyTable<int, typename Exec::memory_space> const key(random_keys<int>(rng, items.path.size()), items.begin);
  std::int64_t expected = 0;
  for (auto i = items.begin; i < items.end(); ++i) expected += (items.path_of(i) + 1) * i;
  for_each_variant(key_variants, [&](Variant variant) {
    auto const policy =
        RegroupPolicy(Exec(), items.begin, items.end()).with_order(key).with_backend(typename TypeParam::backend());
    std::int64_t sum = -1;
    parallel_regroup_reduce("sum", ask_with_key(policy, variant), Paths(6), PathTableOf<TypeParam>(items), AddItem(),
                            sum);
    EXPECT_EQ(sum, expected);
  });
}

/// Reads one element and writes another.
struct Step {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, float const& x, double& y) const {
    y += x * float(path + 1) + float(item % 16);
  }
};

TYPED_TEST(RegroupKeys, payloads) {
  using Exec   = typename TypeParam::exec;
  using Memory = typename Exec::memory_space;
  for_each_seed([](Rng& rng) {
    for (int const paths : {1, 2, 12, 300}) {
      auto const items = random_items(rng, paths, random_size(rng));
      KeyTable<double, Memory> const key(random_keys<double>(rng, items.path.size()), items.begin);
      Kokkos::View<float*, Memory> const x("x", items.end());
      Kokkos::View<double*, Memory> const y("y", items.end());
      Kokkos::deep_copy(x, 2.F);
      for (Variant const variant :
           {Variant(RV::team_moved), Variant(RV::grid_many_bits), Variant(RV::grid_moved), Variant()}) {
        SCOPED_TRACE(std::string("variant: ") + (variant ? to_string(*variant) : "automatic"));
        Kokkos::deep_copy(y, 1.);
        auto const policy = RegroupPolicy(Exec(), items.begin, items.end())
                                .with_payload(one_way(x), round_trip(y))
                                .with_order(key)
                                .with_backend(typename TypeParam::backend());
        auto const asked = ask_with_key(policy, variant);
        parallel_regroup("payload", variant == RV::grid_many_bits ? asked.with_remap(RegroupRemap::index) : asked,
                         Paths(paths), PathTableOf<TypeParam>(items), Step());
        auto const host    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < items.end(); ++i)
          wrong += host(i) != (i < items.begin ? 1 : 1 + 2 * double(items.path_of(i) + 1) + double(i % 16));
        EXPECT_EQ(wrong, 0);
      }
    }
  });
}

// ---- The order ----

/// Where a key lies in the range of all: 2^bits parts or fewer, each as many neighboring numbers, a power of two.
template <class Key>
std::vector<std::uint64_t> parts_of(std::vector<Key> const& keys, int bits) {
  // Numbers without a gap in the order of the keys; a double's neighbors are those of nextafter().
  auto const number = [](Key key) -> std::uint64_t {
    if constexpr (std::is_floating_point_v<Key>) {
      std::int64_t n;
      static_assert(sizeof n == sizeof key);
      std::memcpy(&n, &key, sizeof n);
      return std::uint64_t(n < 0 ? std::numeric_limits<std::int64_t>::min() - n - 1 : n) + (std::uint64_t(1) << 63);
    } else {
      return std::uint64_t(key) - std::uint64_t(std::numeric_limits<Key>::min());
    }
  };
  std::vector<std::uint64_t> parts(keys.size());
  std::transform(keys.begin(), keys.end(), parts.begin(), number);
  auto const least = *std::min_element(parts.begin(), parts.end());
  for (auto& part : parts) part -= least;
  while (bits < 64 && *std::max_element(parts.begin(), parts.end()) >> bits != 0)
    for (auto& part : parts) part /= 2;
  return parts;
}

#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
/// \param[in] counted  what the keys count as.
template <class BackendTag, class Key>
void check_order(Items const& items, std::vector<Key> const& keys, std::vector<Key> const& counted, KeyBits bits,
                 int expected_bits) {
  SCOPED_TRACE(std::to_string(items.paths) + " paths");
  auto const policy = RegroupPolicy(one_thread(), items.begin, items.end())
                          .with_regroup(Regroup::always)
                          .with_scope(RegroupScope::grid)
                          .with_order(KeyTable<Key, Kokkos::HostSpace>(keys, items.begin), bits);
  std::vector<int> expected(items.path.size());
  std::iota(expected.begin(), expected.end(), 0);
  auto const parts = parts_of(counted, expected_bits);
  std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
    auto const pa = items.path[std::size_t(a)], pb = items.path[std::size_t(b)];
    return pa != pb ? pa < pb : parts[std::size_t(a)] < parts[std::size_t(b)];
  });
  EXPECT_EQ(order_of_run<BackendTag>(items, policy), expected);
}

template <class BackendTag, class Key>
void check_order(Items const& items, std::vector<Key> const& keys, KeyBits bits, int expected_bits) {
  check_order<BackendTag>(items, keys, keys, bits, expected_bits);
}

template <class Key>
void check_orders(Items const& items, std::vector<Key> const& keys, std::vector<Key> const& counted, int few_bits,
                  int many_bits) {
  check_order<Backend::Native>(items, keys, counted, KeyBits::few, few_bits);
  check_order<Backend::Native>(items, keys, counted, KeyBits::many, many_bits);
  check_order<Backend::Portable>(items, keys, counted, KeyBits::few, few_bits);
  check_order<Backend::Portable>(items, keys, counted, KeyBits::many, many_bits);
  check_order<Backend::Native>(items, keys, counted, KeyBits::exact, 64);
  check_order<Backend::Portable>(items, keys, counted, KeyBits::exact, 64);
}

template <class Key>
void check_orders(Rng& rng, int paths, int few_bits, int many_bits) {
  Items const items{3, paths, make_paths(rng, Mix::equal, paths, 20000)};
  auto const keys = random_keys<Key>(rng, items.path.size());
  check_orders(items, keys, keys, few_bits, many_bits);
}

TEST(RegroupKeyOrder, is_by_path_then_by_key_then_by_item) {
  for_each_seed([](Rng& rng) {
    // A path's bits, 2 for 3 paths and "none", are missing from 16 and 32.
    check_orders<double>(rng, 1, 15, 31);
    check_orders<double>(rng, 3, 14, 30);
    check_orders<int>(rng, 12, 12, 28);
    check_orders<std::int64_t>(rng, 255, 8, 24);
    check_orders<std::uint64_t>(rng, 256, 15, 23);
    check_orders<unsigned>(rng, 2, 14, 30);
    check_orders<signed char>(rng, 7, 13, 29);
    check_orders<short>(rng, 65536, 15, 15);
  });
}

/// By their signs, which NaNs have, too.
TEST(RegroupKeyOrder, counts_what_is_not_finite_as_the_lowest_or_the_highest) {
  static constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for_each_seed([](Rng& rng) {
    Items const items{3, 3, make_paths(rng, Mix::equal, 3, 20000)};
    auto keys                      = random_keys<double>(rng, items.path.size());
    auto counted                   = keys;
    auto const [lowest, highest]   = std::minmax_element(keys.begin(), keys.end());
    std::pair<double, double> as[] = {{inf, *highest}, {-inf, *lowest}, {nan, *highest}, {-nan, *lowest}};
    auto const low = lowest - keys.begin(), high = highest - keys.begin();
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(keys.size()); ++i)
      if (rng() % 5 == 0 && i != low && i != high)
        std::tie(keys[std::size_t(i)], counted[std::size_t(i)]) = as[rng() % std::size(as)];
    check_orders(items, keys, counted, 14, 30);
    std::vector<double> const none(keys.size(), nan), alike(keys.size(), 1.);
    check_orders(items, none, alike, 14, 30);
  });
}

TEST(RegroupKeyOrder, is_exact_if_the_range_is_small) {
  Rng rng(1);
  Items const items{0, 5, make_paths(rng, Mix::equal, 5, 5000)};
  std::vector<std::int64_t> keys(items.path.size());
  for (auto& key : keys) key = -(std::int64_t(1) << 40) + std::int64_t(rng() % (1 << 13));
  check_order<Backend::Native>(items, keys, KeyBits::few, 64);
  check_order<Backend::Portable>(items, keys, KeyBits::few, 64);
}
#endif

// ---- What is tried, and what is told ----

/// What a first call of 5000 items with a key tries.
template <class P>
std::vector<RegroupTrial> trials_of(KeyBits bits) {
  using Exec = typename P::exec;
  Rng rng(7);
  Items const items{0, 4, make_paths(rng, Mix::equal, 4, 5000)};
  KeyTable<double, typename Exec::memory_space> const key(random_keys<double>(rng, items.path.size()), 0);
  VisitsOf<P> const visits(items);
  std::string const label = "tries orders " + std::to_string(int(bits)) + " on " + P::name();
  parallel_regroup(label,
                   RegroupPolicy(Exec(), 0, items.end()).with_order(key, bits).with_backend(typename P::backend()),
                   Paths(4), PathTableOf<P>(items), visits);
  return regroup_decisions(label).at(0).trials;
}

std::vector<RV> variants_of(std::vector<RegroupTrial> const& trials) {
  std::vector<RV> variants;
  for (auto const& trial : trials) variants.push_back(trial.variant);
  return variants;
}

TYPED_TEST(RegroupKeys, automatic_tries_the_orders_too) {
  auto const trials = trials_of<TypeParam>(KeyBits::automatic);
  EXPECT_EQ(variants_of(trials),
            (std::vector<RV>{RV::plain, RV::team, RV::grid, RV::grid_few_bits, RV::grid_many_bits}));
  // 16 and 32 bits: two and four digits of numbers and items, which are written first and read last.
  EXPECT_EQ(trials.at(3).bytes, 5000 * 16 * 3);
  EXPECT_EQ(trials.at(4).bytes, 5000 * 16 * 5);
}

TYPED_TEST(RegroupKeys, an_order_that_is_named_is_kept) {
  EXPECT_EQ(variants_of(trials_of<TypeParam>(KeyBits::exact)), (std::vector<RV>{RV::plain, RV::grid_exact}));
}

TYPED_TEST(RegroupKeys, setters_keep_the_key) {
  using Exec = typename TypeParam::exec;
  KeyTable<int, typename Exec::memory_space> const key({1, 2, 3}, 0);
  Kokkos::View<double*, typename Exec::memory_space> const x("x", 3);
  auto const policy = RegroupPolicy(Exec(), 0, 3)
                          .with_order(key, KeyBits::few)
                          .with_payload(one_way(x))
                          .with_backend(typename TypeParam::backend())
                          .with_scope(RegroupScope::grid);
  EXPECT_EQ(policy.key_bits(), KeyBits::few);
  EXPECT_EQ(policy.key().at.data(), key.at.data());
  EXPECT_EQ(policy.scope(), RegroupScope::grid);
  EXPECT_EQ(policy.with_order(key).key_bits(), KeyBits::automatic);
}

}  // namespace
}  // namespace Koalesce::Test
