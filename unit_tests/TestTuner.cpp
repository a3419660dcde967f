// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"
#include "TuningTool.hpp"

#include <Koalesce/Tuning.hpp>
#include <Koalesce/enabled/Backends.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <thread>

/// Choices by time, on an execution space whose clock the tests set.
namespace Koalesce::Test {
namespace {

struct Clocked : Kokkos::DefaultHostExecutionSpace {
  using execution_space = Clocked;
};

/// What runs take, and whether an instance is being captured.
struct Clock {
  static inline double now       = 0;
  static inline bool is_captured = false;
  static inline bool is_late     = false;  // times are not there yet
};

}  // namespace
}  // namespace Koalesce::Test

template <>
class Koalesce::Impl::Stopwatch<Koalesce::Test::Clocked> {
  using Clock = Koalesce::Test::Clock;

 public:
  explicit Stopwatch(Koalesce::Test::Clocked const&) : m_begin(Clock::now) {}
  static bool can_measure(Koalesce::Test::Clocked const&) { return !Clock::is_captured; }
  void stop(Koalesce::Test::Clocked const&) { m_end = Clock::now; }
  std::optional<double> seconds() const {
    return Clock::is_late ? std::nullopt : std::optional<double>(m_end - m_begin);
  }

 private:
  double m_begin, m_end = 0;
};

namespace Koalesce::Test {
namespace {

/// Calls of one label, whose candidates "a", "b" and "c" take known times.
struct Calls {
  std::string label         = "calls";
  std::vector<double> times = {3, 1, 2};
  double size               = 1;
  std::size_t by_extents    = 2;
  std::vector<std::size_t> ran{};

  void operator()(int count = 1) {
    Clocked const exec;
    for (int i = 0; i < count; ++i)
      Impl::run_fastest(
          exec, size, by_extents, [&] { return Impl::find_tuner<Clocked>(choices()); }, [&] { return choices(); },
          [&](std::size_t candidate) {
            ran.push_back(candidate);
            Clock::now += times[candidate] * size;
          });
  }

  Impl::TuningChoices choices() const {
    return {
        {"test", label, "kernel", "2^3", {"device", "software"}}, {{"points", 8}}, "variant", {"a", "b", "c"}, 3, 1};
  }

  TuningDecision decision() const {
    auto const all = tuning_decisions(label);
    return all.size() == 1 ? all[0] : TuningDecision{};
  }
};

struct TunerTest : ::testing::Test {
  TunerTest() : file(std::filesystem::temp_directory_path() / ("koalesce-tuner-" + std::to_string(getpid()))) {
    std::filesystem::remove(file);
    set_tuning_file(std::nullopt);
  }
  ~TunerTest() override {
    Clock::is_captured = Clock::is_late = false;
    set_tuning_mode(TuningMode::by_time);
    set_tuning_file(std::nullopt);
    std::filesystem::remove(file);
  }
  std::filesystem::path file;
};

TEST_F(TunerTest, every_candidate_runs_and_the_fastest_stays) {
  Calls calls;
  calls(7);
  EXPECT_FALSE(calls.decision().decided);
  calls(13);
  EXPECT_EQ(calls.ran, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  auto const decision = calls.decision();
  EXPECT_EQ(decision.pattern, "test");
  EXPECT_EQ(decision.label, "calls");
  EXPECT_EQ(decision.choice, "b");
  EXPECT_EQ(decision.why, "b is 3.00 times as fast as a");
  EXPECT_FALSE(decision.remembered);
  EXPECT_TRUE(decision.trials[0].dropped);
}

/// A device that says what it is, as Kokkos' execution spaces do.
struct Named {
  struct Properties {
    char name[16];
  } properties;

  static char const* name() { return "Named"; }
  int concurrency() const { return 4; }
  Properties const& cuda_device_prop() const { return properties; }
};

TEST(TuningMachineOfPortable, knows_the_processor) {
  auto const device = [](auto const& exec) { return tuning_machine(Backend::Portable{}, exec).device; };
  EXPECT_EQ(device(Named{{"A100"}}), "A100, Named, 4 threads, portable");
  EXPECT_NE(device(Named{{"A100"}}), device(Named{{"H100"}}));
  Kokkos::DefaultHostExecutionSpace const host;
  EXPECT_EQ(device(host).find(Impl::PortableBackend::processor_name() + ", "), 0u) << device(host);
}

TEST_F(TunerTest, labels_choose_apart) {
  Calls one, other{"other", {1, 3, 2}};
  one(12), other(12);
  EXPECT_EQ(one.decision().choice, "b");
  EXPECT_EQ(other.decision().choice, "a");
  EXPECT_EQ(tuning_decisions().size(), 2u);
}

TEST_F(TunerTest, times_of_works_of_other_sizes_are_compared_by_size) {
  Calls calls{"sizes", {1.2, 1, 1.1}};
  for (int i = 0; i < 12; ++i) {
    calls.size = i % 3 == 1 ? 1.9 : 1;  // the fastest one always has the most to do
    calls();
  }
  EXPECT_EQ(calls.decision().choice, "b");
}

TEST_F(TunerTest, captures_are_left_alone) {
  Calls calls;
  Clock::is_captured = true;
  calls(5);
  EXPECT_EQ(calls.ran, (std::vector<std::size_t>(5, 0)));
  Clock::is_captured = false;
  calls(12);
  EXPECT_EQ(calls.decision().choice, "b");
}

TEST_F(TunerTest, late_times) {
  Calls calls;
  Clock::is_late = true;
  calls(20);
  EXPECT_EQ(std::vector<std::size_t>(calls.ran.begin() + 9, calls.ran.end()), std::vector<std::size_t>(11, 0));
  Clock::is_late = false;
  calls(1);
  EXPECT_EQ(calls.ran.back(), 1u);
}

TEST_F(TunerTest, a_call_that_throws_has_no_time) {
  Clocked const exec;
  Calls calls;
  int thrown = 0;
  for (int i = 0; i < 12; ++i) try {
      Impl::run_fastest(
          exec, 1, 0, [&] { return Impl::find_tuner<Clocked>(calls.choices()); }, [&] { return calls.choices(); },
          [&](std::size_t candidate) {
            if (candidate == 1) throw std::runtime_error("cannot");
            Clock::now += 1;
          });
    } catch (std::runtime_error const&) {
      ++thrown;
    }
  EXPECT_EQ(thrown, 3);
  EXPECT_EQ(calls.decision().choice, "a");
  EXPECT_EQ(calls.decision().trials[1].calls, 0);
}

TEST_F(TunerTest, a_second_process_pays_no_trial) {
  set_tuning_file(file);
  Calls first, second;
  first(12);
  forget_tuning();  // as a process knows nothing but the file
  second(3);
  EXPECT_EQ(second.ran, (std::vector<std::size_t>(3, 1)));
  EXPECT_TRUE(second.decision().remembered);
  EXPECT_EQ(second.decision().trials[1].calls, 0);
}

TEST_F(TunerTest, what_the_file_has_must_be_a_candidate) {
  set_tuning_file(file);
  Calls calls;
  for (std::string const other : {"", "d", "b "}) {
    EXPECT_EQ(Impl::TuningFile(file).append(calls.choices().key, {other, 1}), "");
    forget_tuning();
    calls.ran.clear();
    calls(2);
    EXPECT_EQ(calls.ran, (std::vector<std::size_t>{0, 1})) << other;
  }
}

/// A second process may start in another folder, and a program may change its own.
TEST_F(TunerTest, a_relative_file_stays_where_it_was) {
  auto const before = std::filesystem::current_path();
  auto const folder = std::filesystem::temp_directory_path() / ("koalesce-tuner-folder-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "below");
  std::filesystem::current_path(folder);
  set_tuning_file("tuning.txt");
  Calls one, other{"other"};
  one(12);
  std::filesystem::current_path(folder / "below");
  other(12);
  forget_tuning();
  Calls third{"third"};
  third(12);
  std::filesystem::current_path(folder);
  set_tuning_file("second.txt");
  std::filesystem::current_path(folder / "below");
  Calls fourth{"fourth"};
  fourth(12);
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "below"));
  EXPECT_EQ(Impl::TuningFile(folder / "tuning.txt").read().entries.size(), 3u);
  EXPECT_EQ(Impl::TuningFile(folder / "second.txt").read().entries.size(), 1u);
  std::filesystem::remove_all(folder);
}

TEST_F(TunerTest, by_extents_nothing_is_timed_or_known) {
  set_tuning_file(file);
  Calls before;
  before(12);
  set_tuning_mode(TuningMode::by_extents);
  forget_tuning();
  Calls calls;
  calls(20);
  EXPECT_EQ(calls.ran, (std::vector<std::size_t>(20, 2)));
  EXPECT_TRUE(tuning_decisions().empty());
}

/// Times that come late are of a kernel that the next process may not have any more.
TEST_F(TunerTest, what_is_forgotten_does_not_come_back) {
  set_tuning_file(file);
  Calls calls;
  calls(5);
  auto const held = Impl::find_tuner<Clocked>(calls.choices());
  forget_tuning();
  for (int i = 0; i < 12; ++i) held->run({}, 1, [](std::size_t candidate) { Clock::now += 1 + double(candidate); });
  EXPECT_FALSE(std::filesystem::exists(file));
  Calls again;
  again(1);
  EXPECT_EQ(again.ran, std::vector<std::size_t>{0});
}

/// Another thread looks for an entry, for which forgetting waits; what is chosen meanwhile is forgotten, too.
TEST_F(TunerTest, what_is_chosen_while_all_is_forgotten_does_not_come_back) {
  auto& memory = Impl::TuningMemory::instance();
  Calls calls, other{"other"}, known{"known"};
  calls(7);
  auto const held = Impl::find_tuner<Clocked>(calls.choices());
  (void)memory.put(known.choices().key, {"a", 1});
  std::promise<void> searches, found;
  std::thread search([&] {
    auto const choices = other.choices();
    Impl::TuningRegistry::instance().find<Impl::Tuner<Clocked>>(choices.key, [&] {
      searches.set_value();
      found.get_future().wait();
      return std::make_shared<Impl::Tuner<Clocked>>(choices);
    });
  });
  searches.get_future().wait();
  std::thread forget([] { forget_tuning(); });
  for (int i = 0; i < 100 && memory.find(known.choices().key); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < 12; ++i) held->run({}, 1, [](std::size_t candidate) { Clock::now += 1 + double(candidate); });
  EXPECT_TRUE(held->chosen());
  found.set_value();
  search.join();
  forget.join();
  EXPECT_FALSE(memory.find(calls.choices().key));
  EXPECT_FALSE(memory.find(known.choices().key));
}

/// A choice that takes the place of an entry's, which that may not take back.
TEST_F(TunerTest, what_is_chosen_while_another_choice_is_kept_is_lost) {
  auto& memory = Impl::TuningMemory::instance();
  Calls calls;
  calls(7);
  auto const held = Impl::find_tuner<Clocked>(calls.choices());
  auto const key  = calls.choices().key;
  Impl::TuningRegistry::instance().forget(key, [&] {
    (void)memory.put(key, {"c", 1});
    for (int i = 0; i < 12; ++i) held->run({}, 1, [](std::size_t candidate) { Clock::now += 1 + double(candidate); });
  });
  EXPECT_TRUE(held->chosen());
  ASSERT_TRUE(memory.find(key));
  EXPECT_EQ(memory.find(key)->choice, "c");
  calls.ran.clear();
  calls(2);
  EXPECT_EQ(calls.ran, (std::vector<std::size_t>{2, 2}));
}

TEST_F(TunerTest, recent_calls_find_theirs_again_until_it_is_forgotten) {
  Impl::RecentTuners<Clocked> recent;
  int made       = 0;
  auto const get = [&](std::string const& label, std::int64_t rows, bool vectors) {
    std::int64_t const n[3] = {1, rows, 8};
    return recent.get({}, label, n, vectors, [&] { return ++made, Calls{label + (vectors ? "+" : "")}.choices(); });
  };
  auto const first = get("recent", 8, false);
  EXPECT_EQ(get("recent", 15, false), first);
  EXPECT_EQ(made, 1);
  get("recent", 16, false);
  EXPECT_EQ(made, 2) << "another class of sizes";
  EXPECT_NE(get("recent", 8, true), first);
  EXPECT_NE(get("others", 8, false), first);
  EXPECT_EQ(get("recent", 8, false), first);
  EXPECT_EQ(made, 4);
  forget_tuning();
  EXPECT_NE(get("recent", 8, false), first);
}

TEST_F(TunerTest, recent_calls_of_kinds_in_several_numbers_are_told_apart) {
  using Kind = std::array<std::uint64_t, 2>;
  Impl::RecentTuners<Clocked, Kind> recent;
  auto const get = [&](Kind const& kind) {
    std::int64_t const n[3] = {1, 8, 8};
    auto const label        = "kind " + std::to_string(kind[0]) + " " + std::to_string(kind[1]);
    return recent.get({}, "kinds", n, kind, [&] { return Calls{label}.choices(); });
  };
  auto const first = get({1, 2});
  EXPECT_NE(get({1, 2 + (std::uint64_t(1) << 40)}), first);
  EXPECT_NE(get({2, 1}), first);
  EXPECT_EQ(get({1, 2}), first);
}

TEST_F(TunerTest, measurements_end_with_kokkos) {
  Calls calls;
  Clock::is_late = true;
  calls(5);
  Impl::find_tuner<Clocked>(calls.choices())->finish();
  Clock::is_late = false;
  calls(7);
  EXPECT_EQ(calls.decision().choice, "b");
  int timed = 0;
  for (auto const& trial : calls.decision().trials) timed += trial.calls;
  EXPECT_LE(timed, 4) << "five times were lost";
}

/// Counts what it is told, and throws.
struct Throwing {
  int lost_calls = 0, recorded = 0;
  bool throws = true;

  void record(int, double) { tell(recorded); }
  void lost(int) { tell(lost_calls); }
  void tell(int& count) const {
    ++count;
    if (throws) throw std::runtime_error("told");
  }
};

TEST_F(TunerTest, every_call_is_told_of_once) {
  using Timed = Impl::TimedCalls<Clocked, Throwing*, int>;
  Clocked const exec;
  auto const ran = [] { return true; };
  {
    Timed calls;
    Throwing entry;
    EXPECT_THROW(calls.time(exec, &entry, 0, [] { return false; }), std::runtime_error);
    EXPECT_EQ(entry.lost_calls, 1) << "not run";
  }
  {
    Timed calls;
    Throwing entry;
    for (int i = 0; i < 2; ++i) calls.time(exec, &entry, i, ran);
    EXPECT_THROW(calls.poll(), std::runtime_error);
    EXPECT_EQ(entry.recorded, 1);
    EXPECT_THROW(calls.poll(), std::runtime_error);
    EXPECT_NO_THROW(calls.poll());
    EXPECT_EQ(entry.recorded, 2) << "polled";
  }
  {
    Timed calls;
    Throwing entry;
    for (int i = 0; i < 3; ++i) calls.time(exec, &entry, i, ran);
    EXPECT_THROW(calls.forget(), std::runtime_error);
    entry.throws = false;
    calls.forget();
    EXPECT_EQ(entry.lost_calls, 3) << "given up";
  }
}

TEST_F(TunerTest, any_number_of_threads) {
  Clocked const exec;
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Calls const calls;
      for (int i = 0; i < 300; ++i) {
        Impl::run_fastest(
            exec, 1, 0, [&] { return Impl::find_tuner<Clocked>(calls.choices()); }, [&] { return calls.choices(); },
            [&](std::size_t) { ++ran; });
        if (i % 50 == 49) forget_tuning();
        (void)tuning_decisions();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ran, 4 * 300);
}

TEST_F(TunerTest, text) {
  std::ostringstream out;
  out << TuningDecision{"stencil",
                        "heat",
                        "a\ndevice",
                        "2^9 x 2^9 x 2^9 points",
                        {{"queue", 3, 1.5e-3}, {"cache", 1, 0.5, true}, {"tile", 0, 0, false, "1 KiB"}},
                        true,
                        false,
                        "queue",
                        "queue is as fast as any (cache takes 333.33 times its time)"};
  EXPECT_EQ(out.str(),
            "stencil \"heat\" on a device, 2^9 x 2^9 x 2^9 points: queue\n"
            "  queue is as fast as any (cache takes 333.33 times its time)\n"
            "  queue           1.5000 ms, best of 3\n"
            "  cache         500.0000 ms, best of 1, dropped\n"
            "  tile                 - not measured, 1 KiB\n");
}

TEST(TuningModes, of_the_environment) {
  for (auto const& [text, mode] : std::map<std::string, TuningMode>{
           {"", TuningMode::by_time}, {"by_time", TuningMode::by_time}, {"by_extents", TuningMode::by_extents}}) {
    setenv("KOALESCE_TUNING", text.c_str(), 1);
    EXPECT_EQ(Impl::tuning_mode_of_environment(), mode) << text;
  }
  setenv("KOALESCE_TUNING", "fast", 1);
  try {
    (void)Impl::tuning_mode_of_environment();
    ADD_FAILURE() << "that is no mode";
  } catch (Error const& e) {
    for (std::string const phrase : {"KOALESCE_TUNING is \"fast\"", "not a mode", "set it to by_time or by_extents"})
      EXPECT_NE(std::string(e.what()).find(phrase), std::string::npos) << e.what();
  }
  unsetenv("KOALESCE_TUNING");
}

#ifdef KOKKOS_ENABLE_TUNING

TEST_F(TunerTest, a_tool_decides) {
  for (std::string const answer : {"a", "b", "c"}) {
    TuningTool const tool(answer);
    Calls calls;
    calls();
    EXPECT_EQ(calls.ran, std::vector<std::size_t>{std::size_t(answer[0] - 'a')});
    EXPECT_EQ(tool.names, (Strings{"automatic", "a", "b", "c"}));
    EXPECT_EQ(tool.numbers, std::vector<std::int64_t>{8});
    EXPECT_TRUE(tool.open.empty());
  }
}

TEST_F(TunerTest, a_tool_may_leave_it_to_koalesce) {
  TuningTool const tool("");
  Calls calls;
  calls(3);
  EXPECT_EQ(calls.ran, (std::vector<std::size_t>{0, 1, 2}));
}

#endif

}  // namespace
}  // namespace Koalesce::Test
