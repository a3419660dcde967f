// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <numeric>

/// The order that items are regrouped in: by path, within a path as they come, and so that few warps are of two paths.
namespace Koalesce::Test {
namespace {

using Impl::SerialWorker;

template <class P>
class PathOrder : public ::testing::Test {};
TYPED_TEST_SUITE(PathOrder, NativePath::types, PathNames);

using Slots = std::vector<int>;

/// Every item in the slot of its own number.
Slots as_they_come(Items const& items) {
  Slots order(items.path.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The item of every slot. An item without a path is one of path 0; of two paths, the second one's slots run downward.
Slots expected_order(Items const& items, int buckets) {
  auto const bucket = [&](int i) {
    auto const path = items.path[std::size_t(i)];
    return path < items.paths ? int(path * buckets / items.paths) : 0;
  };
  Slots order = as_they_come(items);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bucket(a) < bucket(b); });
  if (buckets == 2)
    std::reverse(std::find_if(order.begin(), order.end(), [&](int i) { return bucket(i) == 1; }), order.end());
  return order;
}

/// Warps of 32 slots in which two paths or more meet.
int mixed_warps(Items const& items, Slots const& order) {
  int mixed = 0;
  for (std::size_t s = 0; s < order.size(); s += 32) {
    auto const end  = std::min(s + 32, order.size());
    auto const path = [&](std::size_t slot) { return items.path[std::size_t(order[slot])]; };
    for (auto t = s + 1; t < end; ++t)
      if (path(t) != path(s)) {
        ++mixed;
        break;
      }
  }
  return mixed;
}

/// Copies Kokkos' View to the host.
template <class View>
Slots slots_of(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return Slots(host.data(), host.data() + host.extent(0));
}

// ---- Within a team ----

template <class Worker, class Memory>
struct OrderOfTeam {
  int items, paths;
  PathTable<Memory> path_of;
  Kokkos::View<int*, Memory> order, slot_of, path;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    using Order        = Impl::TeamPathOrder<Worker>;
    void* const memory = team.team_scratch(0).get_shmem_aligned(Order::bytes(items, paths, team.team_size()), 16);
    Order const made(memory, items, paths, team.team_size());
    made.fill(
        team, [&](int item) { return int(path_of(item)); },
        [&](int item, int slot, int p) {
          slot_of(item) = slot;
          path(item)    = p;
        });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int slot) {
      order(slot) = made.item(slot);
      if (made.path(made.item(slot)) != path(made.item(slot))) order(slot) = -1;
    });
  }
};

/// The order that a team makes, and what it says while it places the items.
template <class Worker, class Exec>
Slots order_of_team(Items const& items, int team_size) {
  using Memory = typename Exec::memory_space;
  auto const n = items.path.size();
  using View   = Kokkos::View<int*, Memory>;
  OrderOfTeam<Worker, Memory> const body{int(n),           items.paths,      PathTable<Memory>(items),
                                         View("order", n), View("slots", n), View("path", n)};
  Kokkos::TeamPolicy<Exec> policy(1, team_size);
  auto const bytes = Impl::TeamPathOrder<Worker>::bytes(int(n), items.paths, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(bytes + 16));
  Kokkos::parallel_for("order", policy, body);
  auto const order = slots_of(body.order), slot_of = slots_of(body.slot_of), path = slots_of(body.path);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(order[std::size_t(slot_of[i])], int(i));
    EXPECT_EQ(path[i], items.path[i]);
  }
  return order;
}

template <class Worker, class Exec>
void check_team_order(Items const& items, int team_size) {
  SCOPED_TRACE(std::to_string(items.size()) + " items, " + std::to_string(items.paths) + " paths, team size " +
               std::to_string(team_size));
  int const buckets = std::min(items.paths, 256);
  auto const order  = order_of_team<Worker, Exec>(items, team_size);
  EXPECT_EQ(order, expected_order(items, buckets));
  EXPECT_EQ((order_of_team<Worker, Exec>(items, team_size)), order) << "in a second run";
}

template <class Worker, class Exec>
void check_team_orders(std::vector<int> const& team_sizes) {
  for_each_seed([&](Rng& rng) {
    for (int const team_size : team_sizes)
      for (int const paths : {1, 2, 3, 8, 31, 32, 33, 256, 257, 300, 2000}) {
        Mix const mix = all_mixes[rng() % std::size(all_mixes)];
        Items const items{0, paths, make_paths(rng, mix, paths, std::min<std::int64_t>(random_size(rng), 4096))};
        check_team_order<Worker, Exec>(items, team_size);
      }
  });
}

TYPED_TEST(PathOrder, of_a_team_by_threads) {
  using Exec = typename TypeParam::exec;
  check_team_orders<SerialWorker, Exec>(team_sizes<Exec>({1, 2, 3, 4, 64, 100, 256}));
}

TYPED_TEST(PathOrder, of_a_team_with_few_items) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  for (std::int64_t const size : {0, 1, 2, 3, 31, 32, 33, 63, 65})
    for (int const paths : {1, 2, 3, 300})
      for (int const team_size : team_sizes<Exec>({1, 2, 5, 128}))
        check_team_order<SerialWorker, Exec>({0, paths, make_paths(rng, Mix::equal, paths, size)}, team_size);
}

TYPED_TEST(PathOrder, items_without_a_path_lie_with_those_of_path_0) {
  using Exec = typename TypeParam::exec;
  Rng rng(2);
  for (int const paths : {1, 2, 3, 40, 300}) {
    Items items{0, paths, make_paths(rng, Mix::equal, paths, 1000)};
    for (std::size_t i = 3; i < 1000; i += 17) items.path[i] = paths;
    auto const order = order_of_team<SerialWorker, Exec>(items, 1);
    EXPECT_EQ(order, expected_order(items, std::min(paths, 256)));
  }
}

// ---- Over the grid ----

struct Nothing {
  template <class... Args>
  KOKKOS_FUNCTION void operator()(Args&&...) const {}
};

template <class Exec>
auto work_of(Exec const& exec, Items const& items) {
  RegroupPolicy const policy(exec, items.begin, items.end());
  return Impl::make_regroup_work(policy, items.paths, PathTable<typename Exec::memory_space>(items),
                                 Impl::make_body(Paths(items.paths), Nothing()));
}

template <class Worker, class Exec>
Slots order_of_grid(Items const& items, int team_size) {
  using Memory = typename Exec::memory_space;
  Exec const exec;
  auto work = work_of(exec, items);
  Kokkos::View<std::int64_t*, Memory> const fault("fault", 1);
  work.fault = {fault.data()};
  Kokkos::View<char*, Memory> const memory(
      "memory", Impl::PortableBackend::GridPathOrder::bytes(items.size(), items.paths, Worker::tile_items));
  auto const order =
      Impl::PortableBackend::GridPathOrder::in(memory.data(), items.size(), items.paths, Worker::tile_items);
  Impl::PortableBackend::make_grid_order<Worker, false>(
      exec, [](char const* step) { return std::string(step); }, work, order, {}, team_size, team_size);
  exec.fence();
  return slots_of(Kokkos::View<int*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(order.item, items.path.size()));
}

template <class Worker, class Exec>
void check_grid_order(Items const& items, int team_size) {
  SCOPED_TRACE(std::to_string(items.size()) + " items, " + std::to_string(items.paths) + " paths, team size " +
               std::to_string(team_size));
  auto const order = order_of_grid<Worker, Exec>(items, team_size);
  EXPECT_EQ(order, expected_order(items, items.paths));
  EXPECT_EQ((order_of_grid<Worker, Exec>(items, team_size)), order) << "in a second run";
}

template <class Worker, class Exec>
void check_grid_orders(int team_size) {
  for_each_seed([&](Rng& rng) {
    for (int const paths : {1, 2, 3, 8, 32, 33, 254, 255, 256, 300, 2000})
      for (int i = 0; i < 3; ++i) check_grid_order<Worker, Exec>(random_items(rng, paths, random_size(rng)), team_size);
  });
}

TYPED_TEST(PathOrder, of_the_grid_by_threads) {
  check_grid_orders<SerialWorker, typename TypeParam::exec>(1);
  check_grid_orders<SerialWorker, typename TypeParam::exec>(team_sizes<typename TypeParam::exec>({1, 2, 64}).back());
}

TYPED_TEST(PathOrder, of_the_grid_by_cpu_threads) {
  if constexpr (Backend::on_host<typename TypeParam::exec>) {
    check_grid_orders<Impl::OpenMPBackend::ThreadWorker, typename TypeParam::exec>(1);
    Rng rng(3);
    Items const items{5, 4, make_paths(rng, Mix::skewed, 4, 100001)};
    check_grid_order<Impl::OpenMPBackend::ThreadWorker, typename TypeParam::exec>(items, 1);
  } else {
    GTEST_SKIP() << TypeParam::exec::name() << " has no CPU threads";
  }
}

// ---- Mixed warps ----

/// Every warp is mixed as the items come, and with the bound hardly any: it holds for no other order.
void expect_few_mixed_warps(Items const& items, Slots const& order) {
  int const bound = items.paths - 1, before = mixed_warps(items, as_they_come(items));
  EXPECT_GT(before, 3 * bound);
  EXPECT_LE(mixed_warps(items, order), bound);
}

template <class Worker, class Exec>
void check_mixed_warps(int team_size) {
  Rng rng(9);
  for (int const paths : {2, 3, 8, 32, 40}) {
    SCOPED_TRACE(std::to_string(paths) + " paths, team size " + std::to_string(team_size));
    Items const few{0, paths, make_paths(rng, Mix::equal, paths, 4096)};
    expect_few_mixed_warps(few, order_of_team<Worker, Exec>(few, team_size));
    Items const many{3, paths, make_paths(rng, Mix::equal, paths, 30000)};
    expect_few_mixed_warps(many, order_of_grid<Worker, Exec>(many, team_size));
  }
}

/// Teams of the smallest groups are then no more than a league has.
TYPED_TEST(PathOrder, of_a_team_is_for_2_38_items) {
  using Tag = typename TypeParam::backend;
  typename TypeParam::exec const exec;
  std::int64_t const most = std::int64_t(1) << 38;
  auto const policy       = RegroupPolicy(exec, 0, most).with_scope(RegroupScope::team).with_regroup(Regroup::always);
  auto work               = work_of(exec, Items{0, 40, {0, 1}});
  work.begin              = 5;
  for (auto const& [items, variant] :
       {std::pair(most, RegroupVariant::team), std::pair(most + 1, RegroupVariant::plain),
        std::pair(std::int64_t(1) << 61, RegroupVariant::plain)}) {
    work.end          = work.begin + items;
    auto const trials = Impl::regroup_trials(Tag{}, policy, work);
    ASSERT_EQ(trials.size(), 1u) << items;
    EXPECT_EQ(trials[0].variant, variant) << items;
  }
}

TYPED_TEST(PathOrder, few_warps_are_of_two_paths) {
  check_mixed_warps<SerialWorker, typename TypeParam::exec>(1);
  check_mixed_warps<SerialWorker, typename TypeParam::exec>(team_sizes<typename TypeParam::exec>({1, 2, 64}).back());
}

// ---- What the variant itself does ----

#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
template <class BackendTag>
Slots order_run(Items const& items, Variant variant) {
  return order_of_run<BackendTag>(items, ask(RegroupPolicy(one_thread(), items.begin, items.end()), variant));
}

TEST(PathOrderRun, grid_runs_items_in_order_of_their_paths) {
  Rng rng(4);
  for (int const paths : {2, 3, 40, 300}) {
    Items const items{3, paths, make_paths(rng, Mix::equal, paths, 20000)};
    EXPECT_EQ(order_run<Backend::Native>(items, RegroupVariant::grid), expected_order(items, paths));
    EXPECT_EQ(order_run<Backend::Portable>(items, RegroupVariant::grid), expected_order(items, paths));
  }
}

TEST(PathOrderRun, plain_loop_runs_items_as_they_come) {
  Rng rng(5);
  Items const items{3, 7, make_paths(rng, Mix::equal, 7, 9000)};
  EXPECT_EQ(order_run<Backend::Native>(items, RegroupVariant::plain), as_they_come(items));
  EXPECT_EQ(order_run<Backend::Portable>(items, RegroupVariant::plain), as_they_come(items));
}

/// Whether the items run in groups of neighbors, in each of which every path runs once.
void expect_groups(Items const& items, Slots const& order, int group) {
  SCOPED_TRACE(std::to_string(items.paths) + " paths, groups of " + std::to_string(group));
  ASSERT_GT(items.size(), 2 * group);
  for (int begin = 0; begin < items.size(); begin += group) {
    int const end = std::min(begin + group, int(items.size()));
    std::vector<std::int64_t> runs;  // the path of each
    for (int s = begin; s < end; ++s) {
      int const item = order[std::size_t(s)];
      ASSERT_TRUE(begin <= item && item < end) << "item " << item << " in slot " << s;
      if (runs.empty() || runs.back() != items.path[std::size_t(item)]) runs.push_back(items.path[std::size_t(item)]);
    }
    std::sort(runs.begin(), runs.end());
    EXPECT_EQ(std::adjacent_find(runs.begin(), runs.end()), runs.end()) << "a path runs twice from slot " << begin;
  }
}

TEST(PathOrderRun, team_runs_groups_of_items_in_order_of_their_paths) {
  Rng rng(6);
  auto const exec = one_thread();
  for (int const paths : {2, 3, 40, 250, 300}) {
    Items const items{3, paths, make_paths(rng, Mix::equal, paths, 20000)};
    auto const work = work_of(exec, items);
    expect_groups(items, order_run<Backend::Native>(items, RegroupVariant::team),
                  Impl::OpenMPBackend::OpenMPTeamLoop<OneThread, std::decay_t<decltype(work)>, false>::group);
    if (paths <= 256)  // of more, neighbors share buckets
      expect_groups(items, order_run<Backend::Portable>(items, RegroupVariant::team),
                    Impl::PortableBackend::team_group<SerialWorker, false>(exec, work, 1));
  }
}
#endif

// ---- Warps of CUDA ----

#ifdef KOKKOS_ENABLE_CUDA
TEST(PathOrderCuda, of_a_team_by_warps) {
  check_team_orders<Impl::CudaBackend::WarpWorker, Kokkos::Cuda>({32, 64, 96, 256, 512});
  Rng rng(7);
  for (std::int64_t const size : {0, 1, 2, 31, 32, 33, 65, 127, 129})
    for (int const paths : {1, 2, 3, 32, 33, 300})
      check_team_order<Impl::CudaBackend::WarpWorker, Kokkos::Cuda>(
          {0, paths, make_paths(rng, Mix::equal, paths, size)}, 128);
}

TEST(PathOrderCuda, of_the_grid_by_warps) {
  check_grid_orders<Impl::CudaBackend::WarpWorker, Kokkos::Cuda>(256);
  check_grid_orders<Impl::CudaBackend::WarpWorker, Kokkos::Cuda>(64);
}

TEST(PathOrderCuda, few_warps_are_of_two_paths) { check_mixed_warps<Impl::CudaBackend::WarpWorker, Kokkos::Cuda>(256); }

/// Counts the warps, and those whose threads are not all on one path.
struct CountWarps {
  Kokkos::View<int[2], Kokkos::CudaSpace> warps;

  KOKKOS_FUNCTION void operator()(std::int64_t, int path) const {
    (void)path;
    KOKKOS_IF_ON_DEVICE(
        (unsigned const active = __activemask(); unsigned const same = __match_any_sync(active, path);
         if (Kokkos::popcount(active & ((1u << (threadIdx.x + threadIdx.y * blockDim.x) % 32) - 1)) == 0) {
           Kokkos::atomic_inc(&warps(0));
           if (same != active) Kokkos::atomic_inc(&warps(1));
         }))
  }
};

/// The number of mixed warps.
int count_mixed_warps(Items const& items, Variant variant) {
  CountWarps const count{decltype(CountWarps::warps)("warps")};
  RegroupPolicy const policy(Kokkos::Cuda(), items.begin, items.end());
  parallel_regroup("warps", ask(policy, variant), Paths(items.paths), PathTable<Kokkos::CudaSpace>(items), count);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count.warps);
  EXPECT_GE(host(0), (items.size() + 31) / 32);
  return host(1);
}

TEST(PathOrderCuda, few_warps_run_two_paths) {
  Rng rng(8);
  for (int const paths : {2, 3, 8, 32}) {
    SCOPED_TRACE(std::to_string(paths) + " paths");
    Items const items{3, paths, make_paths(rng, Mix::equal, paths, 300007)};
    EXPECT_GT(count_mixed_warps(items, RegroupVariant::plain), 9000);
    EXPECT_LE(count_mixed_warps(items, RegroupVariant::grid), paths - 1);
    EXPECT_EQ(count_mixed_warps(items, RegroupVariant::team), 0) << "blocks that march run warps of one path";
  }
}

/// More paths than marching blocks take: teams, each with a group of items in which paths - 1 warps stay mixed. The
/// groups are large only where there are many items.
TEST(PathOrderCuda, few_warps_of_teams_with_many_paths_run_two_paths) {
  Kokkos::Cuda const exec;
  Rng rng(10);
  constexpr int paths = 40;
  Items const items{3, paths, make_paths(rng, Mix::equal, paths, 64 * std::int64_t(exec.concurrency()))};
  int const group =
      Impl::PortableBackend::team_group<Impl::CudaBackend::WarpWorker, false>(exec, work_of(exec, items), 256);
  auto const bound   = (items.size() + group - 1) / group * (paths - 1);
  int const as_given = count_mixed_warps(items, RegroupVariant::plain);
  EXPECT_GT(as_given, 3 * bound);
  EXPECT_LE(count_mixed_warps(items, RegroupVariant::team), bound);
  EXPECT_LE(count_mixed_warps(items, RegroupVariant::grid), paths - 1);
}
#endif

}  // namespace
}  // namespace Koalesce::Test
