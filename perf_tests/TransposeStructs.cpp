// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays of structs to arrays of members, and back: structs/<to_arrays|to_structs>/<struct>/<n>/<impl>.
// Bytes count the members on both sides, but no padding.

#include "TransposeStructs.hpp"

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Measure.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#endif

namespace {

using Koalesce::Members;
using perf::Exec;

template <class T>
struct TwoOf {
  T a, b;
};
template <class T>
struct ThreeOf {
  T a, b, c;
};
template <class T>
struct FourOf {
  T a, b, c, d;
};
template <class T>
struct EightOf {
  T a, b, c, d, e, f, g, h;
};
template <class T>
struct SixteenOf {
  T a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
struct Mixed {
  double x;
  std::int32_t id;
  float weight;
};
struct Padded {
  double x;
  std::int32_t id;
  float weight;
  std::uint8_t kind;
};

template <class S>
struct MembersOf;
template <class T>
struct MembersOf<TwoOf<T>> {
  using S    = TwoOf<T>;
  using list = Members<&S::a, &S::b>;
};
template <class T>
struct MembersOf<ThreeOf<T>> {
  using S    = ThreeOf<T>;
  using list = Members<&S::a, &S::b, &S::c>;
};
template <class T>
struct MembersOf<FourOf<T>> {
  using S    = FourOf<T>;
  using list = Members<&S::a, &S::b, &S::c, &S::d>;
};
template <class T>
struct MembersOf<EightOf<T>> {
  using S    = EightOf<T>;
  using list = Members<&S::a, &S::b, &S::c, &S::d, &S::e, &S::f, &S::g, &S::h>;
};
template <class T>
struct MembersOf<SixteenOf<T>> {
  using S    = SixteenOf<T>;
  using list = Members<&S::a, &S::b, &S::c, &S::d, &S::e, &S::f, &S::g, &S::h, &S::i, &S::j, &S::k, &S::l, &S::m, &S::n,
                       &S::o, &S::p>;
};
template <>
struct MembersOf<Mixed> {
  using list = Members<&Mixed::x, &Mixed::id, &Mixed::weight>;
};
template <>
struct MembersOf<Padded> {
  using list = Members<&Padded::x, &Padded::id, &Padded::weight, &Padded::kind>;
};

template <class S, class M>
std::type_identity<M> member_of(M S::*);

/// The members' arrays, as loops that know nothing of Koalesce have them.
template <auto... Pointers>
struct Arrays {
  template <class S>
  KOKKOS_FUNCTION void store(std::int64_t, S const&) const {}
  template <class S>
  KOKKOS_FUNCTION void load(std::int64_t, S&) const {}
  template <class S>
  KOKKOS_FUNCTION bool equal(std::int64_t, S const&) const {
    return true;
  }
  KOKKOS_FUNCTION void fill(std::int64_t, std::int64_t) const {}
};
template <auto Pointer, auto... Others>
struct Arrays<Pointer, Others...> {
  using M = typename decltype(member_of(Pointer))::type;

  M* array;
  Arrays<Others...> rest;

  template <class S>
  KOKKOS_FUNCTION void store(std::int64_t i, S const& s) const {
    array[i] = s.*Pointer;
    rest.store(i, s);
  }
  template <class S>
  KOKKOS_FUNCTION void load(std::int64_t i, S& s) const {
    s.*Pointer = array[i];
    rest.load(i, s);
  }
  template <class S>
  KOKKOS_FUNCTION bool equal(std::int64_t i, S const& s) const {
    return array[i] == s.*Pointer && rest.equal(i, s);
  }
  KOKKOS_FUNCTION void fill(std::int64_t i, std::int64_t k) const {
    array[i] = perf::value_at<M>(16 * i + k);
    rest.fill(i, k + 1);
  }
};

template <class Arrays>
struct Fill {
  Arrays arrays;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { arrays.fill(i, 0); }
};

/// The loops as Kokkos users write them.
template <class S, class Arrays>
struct PlainToArrays {
  Kokkos::View<S*, Exec> structs;
  Arrays arrays;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    S const s = structs(i);
    arrays.store(i, s);
  }
};

template <class S, class Arrays>
struct PlainToStructs {
  Kokkos::View<S*, Exec> structs;
  Arrays arrays;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    S s{};
    arrays.load(i, s);
    structs(i) = s;
  }
};

template <class S, class Arrays>
struct StructMismatch {
  Kokkos::View<S*, Exec> structs;
  Arrays arrays;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    if (!arrays.equal(i, structs(i))) ++wrong;
  }
};

#ifdef KOKKOS_ENABLE_CUDA
/// A thread's struct as an array of members of one type, which CUB exchanges with the other threads' of its warp, or
/// which each thread loads in vectors.
template <class T, int Count, int Threads, bool Exchanges>
struct CubBlock {
  using Load =
      cub::BlockLoad<T, Threads, Count, Exchanges ? cub::BLOCK_LOAD_WARP_TRANSPOSE : cub::BLOCK_LOAD_VECTORIZE>;
  using Store =
      cub::BlockStore<T, Threads, Count, Exchanges ? cub::BLOCK_STORE_WARP_TRANSPOSE : cub::BLOCK_STORE_VECTORIZE>;
};

/// Where the members' arrays begin.
template <class T, int Count>
struct CubArrays {
  T* array[Count];
};

template <class T, int Count, int Threads, bool Exchanges>
__global__ __launch_bounds__(Threads) void cub_to_arrays(T* structs, CubArrays<T, Count> arrays, std::int64_t size) {
  using Load = typename CubBlock<T, Count, Threads, Exchanges>::Load;
  __shared__ typename Load::TempStorage storage;
  std::int64_t const first = std::int64_t(blockIdx.x) * Threads, i = first + threadIdx.x;
  T member[Count];
  if (first + Threads <= size) Load(storage).Load(structs + first * Count, member);
  else Load(storage).Load(structs + first * Count, member, int(size - first) * Count);
#pragma unroll
  for (int k = 0; k < Count; ++k)
    if (i < size) arrays.array[k][i] = member[k];
}

template <class T, int Count, int Threads, bool Exchanges>
__global__ __launch_bounds__(Threads) void cub_to_structs(T* structs, CubArrays<T, Count> arrays, std::int64_t size) {
  using Store = typename CubBlock<T, Count, Threads, Exchanges>::Store;
  __shared__ typename Store::TempStorage storage;
  std::int64_t const first = std::int64_t(blockIdx.x) * Threads, i = first + threadIdx.x;
  T member[Count] = {};
#pragma unroll
  for (int k = 0; k < Count; ++k)
    if (i < size) member[k] = arrays.array[k][i];
  if (first + Threads <= size) Store(storage).Store(structs + first * Count, member);
  else Store(storage).Store(structs + first * Count, member, int(size - first) * Count);
}

struct CubKernel {
  std::string name;
  std::function<void()> run;
};

template <int Threads, bool Exchanges, class T, int Count>
CubKernel cub_kernel(bool to_arrays, T* structs, CubArrays<T, Count> const& arrays, std::int64_t size) {
  return {(Exchanges ? "exchange, block " : "vectors, block ") + std::to_string(Threads), [=] {
            auto const blocks = unsigned((size + Threads - 1) / Threads);
            auto const stream = Exec().cuda_stream();
            if (to_arrays)
              cub_to_arrays<T, Count, Threads, Exchanges><<<blocks, Threads, 0, stream>>>(structs, arrays, size);
            else cub_to_structs<T, Count, Threads, Exchanges><<<blocks, Threads, 0, stream>>>(structs, arrays, size);
          }};
}
#endif

template <class S, class List = typename MembersOf<S>::list>
class Structs;

/// Structs, and the arrays of their members.
template <class S, auto... Pointers>
class Structs<S, Members<Pointers...>> {
 public:
  static constexpr int count    = int(sizeof...(Pointers));
  static constexpr double bytes = double((sizeof(typename decltype(member_of(Pointers))::type) + ...));
  using View                    = Koalesce::StructView<Members<Pointers...>, typename Exec::memory_space>;

  /// \param[in] separate whether each member's array is a View of its own; distances between them then differ.
  Structs(std::int64_t size, bool separate)
      : m_size(size),
        m_structs(Kokkos::view_alloc("structs", Kokkos::WithoutInitializing), std::size_t(size)),
        m_arrays(separate ? own_views(std::make_index_sequence<count>()) : View("arrays", std::size_t(size))) {
    Kokkos::parallel_for("fill", range(), Fill<decltype(arrays())>{arrays()});
    plain(false);
    Exec().fence();
  }

  double moved() const { return 2 * bytes * double(m_size); }

  /// Nothing is left of the result that is to be written.
  void clear(bool to_arrays) const {
    if (to_arrays) (Kokkos::deep_copy(m_arrays.template member<Pointers>(), {}), ...);
    else Kokkos::deep_copy(m_structs, S{});
  }

  template <class BackendTag>
  void koalesce(bool to_arrays) const {
    View const structs(m_structs);
    if (to_arrays) Koalesce::copy_structs<BackendTag>(Exec(), m_arrays, structs);
    else Koalesce::copy_structs<BackendTag>(Exec(), structs, m_arrays);
  }

  void plain(bool to_arrays) const {
    using A = decltype(arrays());
    if (to_arrays) Kokkos::parallel_for("plain", range(), PlainToArrays<S, A>{m_structs, arrays()});
    else Kokkos::parallel_for("plain", range(), PlainToStructs<S, A>{m_structs, arrays()});
  }

#ifdef KOKKOS_ENABLE_CUDA
  /// For members of one type.
  std::vector<CubKernel> cub_kernels(bool to_arrays) const {
    using T                     = std::common_type_t<typename decltype(member_of(Pointers))::type...>;
    auto* const structs         = reinterpret_cast<T*>(m_structs.data());
    CubArrays<T, count> const a = {{m_arrays.template member<Pointers>().data()...}};
    return {cub_kernel<128, true>(to_arrays, structs, a, m_size), cub_kernel<256, true>(to_arrays, structs, a, m_size),
            cub_kernel<256, false>(to_arrays, structs, a, m_size)};
  }
#endif

  perf::Copy fastest_copy() const {
    auto const flat = [&](void* data) {
      return Kokkos::View<unsigned char*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          static_cast<unsigned char*>(data), std::size_t(bytes) * std::size_t(m_size));
    };
    return perf::fastest_copy(flat(m_arrays.template member<0>().data()), flat(m_structs.data()));
  }

  std::int64_t mismatches() const {
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("mismatches", range(), StructMismatch<S, decltype(arrays())>{m_structs, arrays()}, wrong);
    return wrong;
  }

 private:
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> range() const { return {0, m_size}; }

  Arrays<Pointers...> arrays() const { return arrays_from<Pointers...>(); }
  template <auto Pointer, auto... Others>
  Arrays<Pointer, Others...> arrays_from() const {
    if constexpr (sizeof...(Others) == 0) return {m_arrays.template member<Pointer>().data(), {}};
    else return {m_arrays.template member<Pointer>().data(), arrays_from<Others...>()};
  }

  template <std::size_t... K>
  View own_views(std::index_sequence<K...>) const {
    return View(own_view<typename decltype(member_of(Pointers))::type>(K)...);
  }
  template <class M>
  Kokkos::View<M*, Exec> own_view(std::size_t k) const {
    Kokkos::View<M*, Exec> const longer("array", std::size_t(m_size) + k * k * 500000);
    return Kokkos::subview(longer, std::make_pair(std::size_t(0), std::size_t(m_size)));
  }

  std::int64_t m_size;
  Kokkos::View<S*, Exec> m_structs;
  View m_arrays;
};

/// All implementations of one direction.
template <class S>
void add_direction(std::string const& name, std::int64_t size, bool to_arrays) {
  std::string const base =
      std::string("structs/") + (to_arrays ? "to_arrays/" : "to_structs/") + name + "/" + std::to_string(size) + "/";
  auto const add_way = [&](std::string const& impl, auto const& run) {
    perf::add(base + impl, [=](benchmark::State& state) {
      Structs<S> const structs(size, impl == "koalesce_views");
      std::function<void()> const kernel = run(state, structs);
      structs.clear(to_arrays);
      kernel();
      if (impl != "copy" && structs.mismatches() != 0) return state.SkipWithError("members are wrong");
      perf::measure(state, structs.moved(), kernel);
    });
  };
  auto const native = [=](auto&, auto const& s) {
    return [&s, to_arrays] { s.template koalesce<Koalesce::Backend::Native>(to_arrays); };
  };
  auto const portable = [=](auto&, auto const& s) {
    return [&s, to_arrays] { s.template koalesce<Koalesce::Backend::Portable>(to_arrays); };
  };
  add_way("koalesce", native);
  add_way("koalesce_views", native);
  add_way("koalesce_portable", portable);
  add_way("plain", [=](auto&, auto const& s) { return [&s, to_arrays] { s.plain(to_arrays); }; });
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!std::is_same_v<S, Mixed> && !std::is_same_v<S, Padded>)
    add_way("cub", [=](auto& state, auto const& s) {
      auto const best = perf::fastest(s.cub_kernels(to_arrays), [](CubKernel const& kernel) { kernel.run(); });
      state.SetLabel(best.name);
      return best.run;
    });
#endif
  add_way("copy", [](auto& state, auto const& s) {
    auto const copy = s.fastest_copy();
    state.SetLabel(copy.name);
    return copy.run;
  });
}

template <class S>
void add_struct(std::string const& name) {
  std::int64_t const size = perf::on_host ? 2000000 : 50000000;
  add_direction<S>(name, size, true);
  add_direction<S>(name, size, false);
}

}  // namespace

void add_structs() {
  add_struct<TwoOf<double>>("f64x2");
  add_struct<ThreeOf<float>>("f32x3");
  add_struct<FourOf<float>>("f32x4");
  add_struct<EightOf<double>>("f64x8");
  add_struct<SixteenOf<float>>("f32x16");
  add_struct<Mixed>("f64_i32_f32");
  add_struct<Padded>("f64_i32_f32_u8");
}
