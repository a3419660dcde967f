// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_SUPPORT_HPP
#define KOALESCE_TEST_SUPPORT_HPP

#include <Koalesce/Koalesce.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <locale>
#include <random>
#include <string>
#include <vector>

/// What the tests share: the execution spaces and backends they run on, random numbers, element types, fields.
namespace Koalesce::Test {

// ---- Where a test runs ----

/// An execution space and the backend that a test asks for.
template <class Exec, class BackendTag>
struct Path {
  using exec    = Exec;
  using backend = BackendTag;

  static std::string name() { return std::string(Exec::name()) + "_" + backend::name; }
};

template <class... Ts>
struct List {
  template <class T>
  using add   = std::conditional_t<(std::is_same_v<T, Ts> || ...), List, List<Ts..., T>>;
  using types = ::testing::Types<Ts...>;
};

template <class Paths, class Exec>
using AddNative = typename Paths::template add<Path<Exec, Backend::Default<Exec>>>;
template <class Paths, class Exec>
using AddBoth = typename AddNative<Paths, Exec>::template add<Path<Exec, Backend::Portable>>;

template <template <class, class> class Add>
struct EnabledSpaces {
  using First = Add<List<>, Kokkos::DefaultExecutionSpace>;
#ifdef KOKKOS_ENABLE_SERIAL
  using Second = Add<First, Kokkos::Serial>;
#else
  using Second = First;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  using All = Add<Second, Kokkos::OpenMP>;
#else
  using All    = Second;
#endif
};

/// The barrier of a team on a host is in the Kokkos library, so ThreadSanitizer sees none: it gets teams of one thread.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool sees_team_barriers = false;
#elif defined(__has_feature)
inline constexpr bool sees_team_barriers = !__has_feature(thread_sanitizer);
#else
inline constexpr bool sees_team_barriers = true;
#endif

/// Every enabled execution space with every backend it has: for the few tests of everything.
using EveryPath = EnabledSpaces<AddBoth>::All;

/// The default execution space with its own backend: for what is the same in all of them. Other spaces of the build are
/// the default ones of another.
using NativePath = AddNative<List<>, Kokkos::DefaultExecutionSpace>;
/// The same with each of its backends: for what backends do. The portable one is made of teams, of which
/// ThreadSanitizer sees no more than ToldBarriers.hpp tells.
using DefaultPaths = std::conditional_t<sees_team_barriers, AddBoth<List<>, Kokkos::DefaultExecutionSpace>, NativePath>;

struct PathNames {
  template <class P>
  static std::string GetName(int) {
    return P::name();
  }
};

/// Two instances of their own.
template <class Exec>
std::vector<Exec> two_instances() {
#ifdef KOKKOS_ENABLE_OPENMP
  // Its partitions are one instance, unless parallel regions may nest.
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return {Exec(Exec().concurrency()), Exec(Exec().concurrency())};
#endif
  auto const parts = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  return {parts.begin(), parts.end()};
}

// ---- Teams ----

/// The wanted team sizes, which ascend; in place of those that the execution space does not have, its largest.
template <class Exec>
std::vector<int> team_sizes(std::vector<int> wanted) {
  int const most = !Backend::on_host<Exec> ? 1024 : sees_team_barriers ? Exec().concurrency() : 1;
  for (int& size : wanted) size = std::min(size, most);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

// ---- Settings of the process ----

/// A tuning mode for a while.
class TuningModeScope {
 public:
  explicit TuningModeScope(TuningMode mode) { set_tuning_mode(mode); }
  ~TuningModeScope() { set_tuning_mode(m_before); }

  TuningModeScope(TuningModeScope const&)            = delete;
  TuningModeScope& operator=(TuningModeScope const&) = delete;

 private:
  TuningMode m_before = tuning_mode();
};

/// The classic locale, but with numbers written otherwise, for a while.
class LocaleScope {
 public:
  /// \param[in] numbers belongs to the locale.
  explicit LocaleScope(std::numpunct<char>* numbers)
      : m_before(std::locale::global(std::locale(std::locale::classic(), numbers))) {}
  ~LocaleScope() { std::locale::global(m_before); }

  LocaleScope(LocaleScope const&)            = delete;
  LocaleScope& operator=(LocaleScope const&) = delete;

 private:
  std::locale m_before;
};

// ---- Random numbers ----

using Rng = std::mt19937_64;

/// A fixed seed, and one that varies from run to run unless --seed or KOALESCE_TEST_SEED gives it; more of them, or
/// none, with --seeds or KOALESCE_TEST_SEEDS.
std::vector<std::uint64_t> const& test_seeds();

/// How long a test goes on to draw seeds after these: --seconds or KOALESCE_TEST_SECONDS, else 0.
double seconds_of_seeds();

inline std::int64_t random_int(Rng& rng, std::int64_t low, std::int64_t high) {
  return low + std::int64_t(rng() % std::uint64_t(high - low + 1));
}

/// Runs body(rng) for every seed; a failure tells which.
template <class Body>
void for_each_seed(Body const& body) {
  auto const& seeds = test_seeds();
  Kokkos::Timer const timer;
  for (std::size_t i = 0; i < seeds.size() || timer.seconds() < seconds_of_seeds(); ++i) {
    auto const seed = i < seeds.size() ? seeds[i] : seeds.back() + i;
    SCOPED_TRACE("run again with --seed=" + std::to_string(seed));
    Rng rng(seed);
    body(rng);
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- Element types ----

/// Three numbers: 24 bytes of doubles, 12 of floats.
template <class T>
struct Vec3 {
  T x, y, z;

  KOKKOS_FUNCTION friend bool operator==(Vec3 const& a, Vec3 const& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

/// Numbers small enough for any sum of them in a test to be exact in every type: order of summation does not show.
template <class T>
struct Element {
  KOKKOS_FUNCTION static T make(int a) { return T(a); }
  KOKKOS_FUNCTION static void add(T& sum, int weight, T const& v) { sum += T(weight) * v; }
  KOKKOS_FUNCTION static bool positive(T const& v) { return v > T(0); }
};
template <class R>
struct Element<Kokkos::complex<R>> {
  using T = Kokkos::complex<R>;
  KOKKOS_FUNCTION static T make(int a) { return T(R(a), R(a % 3 - 1)); }
  KOKKOS_FUNCTION static void add(T& sum, int weight, T const& v) { sum += R(weight) * v; }
  KOKKOS_FUNCTION static bool positive(T const& v) { return v.real() > R(0); }
};
template <class R>
struct Element<Vec3<R>> {
  using T = Vec3<R>;
  KOKKOS_FUNCTION static T make(int a) { return T{R(a), R(a % 5 - 2), R(-a)}; }
  KOKKOS_FUNCTION static void add(T& sum, int weight, T const& v) {
    sum.x += R(weight) * v.x;
    sum.y += R(weight) * v.y;
    sum.z += R(weight) * v.z;
  }
  KOKKOS_FUNCTION static bool positive(T const& v) { return v.y > R(0); }
};

/// What a test finds where nothing was written.
template <class T>
T poison() {
  return Element<T>::make(-113);
}

// ---- Fields ----

template <int Rank>
using Index = Kokkos::Array<std::int64_t, Rank>;

/// Calls f(p) for low <= p < high.
template <int Rank, class F>
void for_each_index(Index<Rank> const& low, Index<Rank> const& high, F const& f) {
  for (int d = 0; d < Rank; ++d)
    if (low[d] >= high[d]) return;
  for (Index<Rank> p = low;;) {
    f(p);
    int d = Rank - 1;
    for (; d >= 0 && ++p[d] == high[d]; --d) p[d] = low[d];
    if (d < 0) return;
  }
}

template <int Rank>
Index<Rank> index_of(std::int64_t value) {
  Index<Rank> p{};
  for (int d = 0; d < Rank; ++d) p[d] = value;
  return p;
}

template <int Rank>
std::string to_string(Index<Rank> const& p) {
  std::string s;
  for (int d = 0; d < Rank; ++d) s += (d > 0 ? " x " : "") + std::to_string(p[d]);
  return s;
}

struct Exactly {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return a == b;
  }
};

template <class T, int Rank>
struct PointerOfRank {
  using type = typename PointerOfRank<T*, Rank - 1>::type;
};
template <class T>
struct PointerOfRank<T, 0> {
  using type = T;
};

/// T*, T** and so on.
template <class T, int Rank>
using DataType = typename PointerOfRank<T, Rank>::type;

/// Strides of a LayoutStride: with random gaps and in a random order, or those of a LayoutRight.
enum class Strides { random, right };

/// A field with a halo, and its copy on the host. It lies within a block of memory that is compared as a whole,
/// so that a write to the halo, to the gaps of a strided View or beside it does not go unseen.
template <class Exec, class T, int R, class Layout = Kokkos::LayoutRight>
class Field {
 public:
  using value_type          = T;
  static constexpr int rank = R;
  using View                = Kokkos::View<DataType<T, R>, Layout, typename Exec::memory_space>;
  using Block               = Kokkos::View<T*, typename Exec::memory_space>;

  /// \param[in] rng chooses the gaps and the order of dimensions of a LayoutStride.
  Field(Index<R> const& interior, Index<R> const& halo, Rng& rng, Strides strides = Strides::random)
      : m_interior(interior), m_halo(halo) {
    make_strides(rng, strides);
    m_block = Block(Kokkos::view_alloc(Kokkos::WithoutInitializing, "block"), m_length + 2 * guard);
    m_host  = Kokkos::create_mirror(Kokkos::HostSpace(), m_block);
    poison_all();
  }

  View view() const { return View(m_block.data() + guard, layout(std::make_integer_sequence<int, R>())); }

  Index<R> const& interior() const { return m_interior; }
  Index<R> const& halo() const { return m_halo; }

  /// The host's copy at a point counted from the first interior one.
  T& operator()(Index<R> const& p) { return m_host(offset(p)); }
  T const& operator()(Index<R> const& p) const { return m_host(offset(p)); }

  void poison_all() {
    for (std::size_t i = 0; i < m_host.extent(0); ++i) m_host(i) = poison<T>();
    upload();
  }

  /// The same, but not of the host's copy.
  void poison_device() const {
    auto const poisoned = Kokkos::create_mirror(Kokkos::HostSpace(), m_block);
    for (std::size_t i = 0; i < poisoned.extent(0); ++i) poisoned(i) = poison<T>();
    Kokkos::deep_copy(m_block, poisoned);
  }

  /// Every element, halo included, becomes make(rng).
  template <class Make>
  void fill(Rng& rng, Make const& make) {
    for_each_index<R>(low(), high(), [&](Index<R> const& p) { (*this)(p) = make(rng); });
    upload();
  }

  void fill(Rng& rng) {
    fill(rng, [](Rng& r) { return Element<T>::make(int(random_int(r, -8, 8))); });
  }

  void upload() { Kokkos::deep_copy(m_block, m_host); }

  /// Whether the device holds what the host's copy says; `same` compares two elements.
  template <class Same>
  ::testing::AssertionResult device_matches(Same const& same) const {
    auto const device = Kokkos::create_mirror(Kokkos::HostSpace(), m_block);
    Kokkos::deep_copy(device, m_block);
    std::int64_t wrong = 0;
    std::string where;
    for_each_index<R>(low(), high(), [&](Index<R> const& p) {
      if (!same(device(offset(p)), m_host(offset(p))) && wrong++ == 0) where = to_string<R>(p);
      device(offset(p)) = m_host(offset(p));
    });
    if (wrong > 0) return ::testing::AssertionFailure() << wrong << " wrong values, the first at " << where;
    for (std::size_t i = 0; i < m_host.extent(0); ++i)
      if (!(device(i) == m_host(i))) return ::testing::AssertionFailure() << "memory beside the field was written";
    return ::testing::AssertionSuccess();
  }

  ::testing::AssertionResult device_matches() const { return device_matches(Exactly()); }

  /// The same field on the device, with a host copy of its own.
  Field with_own_host_copy() const {
    Field other  = *this;
    other.m_host = Kokkos::create_mirror(Kokkos::HostSpace(), m_block);
    Kokkos::deep_copy(other.m_host, m_host);
    return other;
  }

  Index<R> low() const {
    Index<R> p{};
    for (int d = 0; d < R; ++d) p[d] = -m_halo[d];
    return p;
  }
  Index<R> high() const {
    Index<R> p{};
    for (int d = 0; d < R; ++d) p[d] = m_interior[d] + m_halo[d];
    return p;
  }

 private:
  static constexpr std::int64_t guard = 16;  // elements on either side of the field
  static constexpr bool strided       = std::is_same_v<Layout, Kokkos::LayoutStride>;

  void make_strides(Rng& rng, Strides strides) {
    bool const any = strided && strides == Strides::random;
    int order[R];  // fastest dimension first
    for (int d = 0; d < R; ++d) order[d] = std::is_same_v<Layout, Kokkos::LayoutLeft> ? d : R - 1 - d;
    if (any) std::shuffle(order, order + R, rng);
    m_length = any ? random_int(rng, 1, 3) : 1;
    for (int d : order) {
      m_stride[d] = m_length;
      m_length *= m_interior[d] + 2 * m_halo[d];
      if (any) m_length += random_int(rng, 0, 3);
    }
  }

  template <int... D>
  Layout layout(std::integer_sequence<int, D...>) const {
    if constexpr (strided) {
      Layout l;
      ((l.dimension[D] = m_interior[D] + 2 * m_halo[D], l.stride[D] = m_stride[D]), ...);
      return l;
    } else {
      return Layout(std::size_t(m_interior[D] + 2 * m_halo[D])...);
    }
  }

  std::int64_t offset(Index<R> const& p) const {
    std::int64_t o = guard;
    for (int d = 0; d < R; ++d) o += (p[d] + m_halo[d]) * m_stride[d];
    return o;
  }

  Index<R> m_interior, m_halo, m_stride{};
  std::int64_t m_length = 0;
  Block m_block;
  Kokkos::View<T*, Kokkos::HostSpace> m_host;
};

/// Halo widths from a shape's radius on.
template <class Shape>
Index<Shape::rank> halo_for(Rng& rng, int more) {
  Index<Shape::rank> h{};
  for (int d = 0; d < Shape::rank; ++d) h[d] = Shape::radius(d) + random_int(rng, 0, more);
  return h;
}

template <int Rank>
Index<Rank> random_halo(Rng& rng, int most) {
  Index<Rank> h{};
  for (int d = 0; d < Rank; ++d) h[d] = random_int(rng, 0, most);
  return h;
}

/// Interior extents: sizes around those of tiles and others, together at most `points`.
template <int Rank>
Index<Rank> random_extents(Rng& rng, std::int64_t points) {
  constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 63, 64, 65, 100, 129, 191, 257};
  for (;;) {
    Index<Rank> n{};
    std::int64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= n[d] = sizes[rng() % std::size(sizes)];
    if (product <= points) return n;
  }
}

}  // namespace Koalesce::Test

#endif
