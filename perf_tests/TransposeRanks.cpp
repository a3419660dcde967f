// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Permutations of three to six dimensions, of column-major Views: transpose/<type>/<extents>_by_<permutation>/<impl>.

#include "TransposeRanks.hpp"

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "Measure.hpp"
#include "TransposeCutensor.hpp"

#ifdef KOALESCE_HAVE_KOKKOS_FFT
#include <KokkosFFT_Transpose.hpp>
#endif

namespace {

using perf::Exec;

template <int Rank>
using TensorExtents = std::array<std::int64_t, Rank>;
template <int Rank>
using Order = Kokkos::Array<int, Rank>;

template <class T, int Rank>
struct PointerOfRank {
  using type = typename PointerOfRank<T*, Rank - 1>::type;
};
template <class T>
struct PointerOfRank<T, 0> {
  using type = T;
};

template <class T, int Rank>
using Tensor = Kokkos::View<typename PointerOfRank<T, Rank>::type, Kokkos::LayoutLeft, Exec>;

/// The offset of an element in the source, for its offset in the destination.
template <int Rank>
struct SourceOffset {
  Kokkos::Array<std::int64_t, Rank> extent, stride;  // of the destination's dimensions, and theirs in the source

  SourceOffset(TensorExtents<Rank> const& n, Order<Rank> const& p) {
    TensorExtents<Rank> strides{};
    std::int64_t size = 1;
    for (int d = 0; d < Rank; ++d) {
      strides[d] = size;
      size *= n[d];
    }
    for (int d = 0; d < Rank; ++d) {
      extent[d] = n[p[d]];
      stride[d] = strides[p[d]];
    }
  }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t offset = 0;
    for (int d = 0; d < Rank; ++d) {
      offset += i % extent[d] * stride[d];
      i /= extent[d];
    }
    return offset;
  }
};

template <class View, int Rank>
struct TensorMismatch {
  View in, out;
  SourceOffset<Rank> source;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    if (!(out.data()[i] == in.data()[source(i)])) ++wrong;
  }
};

/// The permutation as Kokkos users write it, over the destination's indices or over the source's: neighboring threads
/// then write, or read, adjacent memory.
template <class View, int Rank>
struct PlainPermutation {
  View in, out;
  Order<Rank> order;
  bool by_source;

  template <class... I>
  KOKKOS_FUNCTION void operator()(I... i) const {
    std::int64_t const index[] = {i...};
    Order<Rank> const inverse  = inverted();
    std::int64_t to[Rank], from[Rank];
    for (int d = 0; d < Rank; ++d) {
      to[d]   = by_source ? index[order[d]] : index[d];
      from[d] = by_source ? index[d] : index[inverse[d]];
    }
    at(out, to, std::make_integer_sequence<int, Rank>()) = at(in, from, std::make_integer_sequence<int, Rank>());
  }

  KOKKOS_FUNCTION Order<Rank> inverted() const {
    Order<Rank> result{};
    for (int d = 0; d < Rank; ++d) result[order[d]] = d;
    return result;
  }

  template <int... D>
  KOKKOS_FUNCTION static auto& at(View const& view, std::int64_t const (&i)[Rank], std::integer_sequence<int, D...>) {
    return view(i[D]...);
  }
};

/// How Kokkos runs that loop.
struct PermutationLoop {
  bool by_source;
  std::int64_t first, second;  ///< tile of the first two dimensions; those of the others are 1. 0: Kokkos' own choice

  std::string name() const {
    return std::string(by_source ? "source" : "destination") + "'s indices, " +
           (first == 0 ? "default tile" : "tile " + std::to_string(first) + "x" + std::to_string(second));
  }
};

std::vector<PermutationLoop> permutation_loops() {
  std::vector<PermutationLoop> loops;
  for (bool const by_source : {false, true}) {
    loops.push_back({by_source, 0, 0});
    loops.push_back({by_source, 32, 8});
    loops.push_back({by_source, 16, 16});
    loops.push_back({by_source, 256, 1});
  }
  return loops;
}

template <class T, int Rank>
class Permutation {
 public:
  using View = Tensor<T, Rank>;

  Permutation(TensorExtents<Rank> const& n, Order<Rank> const& p)
      : m_order(p), m_source(n, p), m_extents(n), m_in(make("in", n)), m_out(make("out", extents_of(m_source))) {
    perf::fill(m_in);
    Kokkos::deep_copy(m_out, T{});
  }

  double bytes() const { return 2. * sizeof(T) * double(m_in.size()); }

  template <class BackendTag>
  void koalesce() const {
    Koalesce::transpose<BackendTag>(Exec(), m_out, m_in, m_order);
  }

  void mdrange(PermutationLoop const& loop) const {
    using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<Rank, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                         Kokkos::IndexType<std::int64_t>>;
    typename Policy::point_type low{}, high{};
    typename Policy::tile_type tile{};
    for (int d = 0; d < Rank; ++d) {
      high[d] = loop.by_source ? m_extents[d] : m_source.extent[d];
      if (loop.first > 0) tile[d] = d == 0 ? loop.first : d == 1 ? loop.second : 1;
    }
    PlainPermutation<View, Rank> const kernel{m_in, m_out, m_order, loop.by_source};
    Kokkos::parallel_for("plain", loop.first > 0 ? Policy(low, high, tile) : Policy(low, high), kernel);
  }

#ifdef KOALESCE_HAVE_CUTENSOR
  auto cutensor() const {
    std::vector<std::int64_t> const extents(m_extents.begin(), m_extents.end());
    std::vector<int> const order(m_order.data(), m_order.data() + Rank);
    return perf::fastest_cutensor<T>(extents, order, m_in, m_out);
  }
#endif

#ifdef KOALESCE_HAVE_KOKKOS_FFT
  void kokkos_fft() const {
    std::array<int, Rank> map;
    std::copy_n(m_order.data(), Rank, map.begin());
    KokkosFFT::Impl::transpose(Exec(), m_in, m_out, map);
  }
#endif

  View const& in() const { return m_in; }
  View const& out() const { return m_out; }

  std::int64_t mismatches() const {
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("mismatches",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, std::int64_t(m_in.size())),
                            TensorMismatch<View, Rank>{m_in, m_out, m_source}, wrong);
    return wrong;
  }

  perf::Copy fastest_copy() const { return perf::fastest_copy(flat(m_out), flat(m_in)); }

 private:
  static View make(std::string const& label, TensorExtents<Rank> const& n) {
    return std::apply(
        [&](auto... extents) { return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), extents...); }, n);
  }
  static TensorExtents<Rank> extents_of(SourceOffset<Rank> const& source) {
    TensorExtents<Rank> n{};
    for (int d = 0; d < Rank; ++d) n[d] = source.extent[d];
    return n;
  }
  static auto flat(View const& view) {
    return Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(view.data(), view.size());
  }

  Order<Rank> m_order;
  SourceOffset<Rank> m_source;
  TensorExtents<Rank> m_extents;
  View m_in, m_out;
};

/// All implementations of one permutation.
template <class T, int Rank>
void add_permutation(TensorExtents<Rank> const& n, Order<Rank> const& p) {
  std::string base = "transpose/" + perf::type_name<T>() + "/" + perf::size_name(n) + "_by_";
  for (int d = 0; d < Rank; ++d) base += std::to_string(p[d]);
  auto const add_way = [&](std::string const& name, auto const& run) {
    perf::add(base + "/" + name, [=](benchmark::State& state) {
      Permutation<T, Rank> const tensors(n, p);
      auto const kernel = run(state, tensors);
      if (!kernel) return state.SkipWithError("it refuses this permutation");
      Kokkos::deep_copy(tensors.out(), T{});  // what a candidate has left
      kernel();
      if (name != "copy" && tensors.mismatches() != 0) return state.SkipWithError("elements are wrong");
      perf::settle(kernel);
      perf::measure(state, tensors.bytes(), kernel);
    });
  };
  using Kernel = std::function<void()>;
  add_way("koalesce",
          [](auto&, auto const& t) -> Kernel { return [&] { t.template koalesce<Koalesce::Backend::Native>(); }; });
  add_way("koalesce_portable",
          [](auto&, auto const& t) -> Kernel { return [&] { t.template koalesce<Koalesce::Backend::Portable>(); }; });
  add_way("kokkos_mdrange", [](auto& state, auto const& t) -> Kernel {
    auto const best = perf::fastest(permutation_loops(), [&](PermutationLoop const& loop) { t.mdrange(loop); });
    state.SetLabel(best.name());
    return [=, &t] { t.mdrange(best); };
  });
#ifdef KOALESCE_HAVE_KOKKOS_FFT
  add_way("kokkos_fft", [](auto&, auto const& t) -> Kernel { return [&] { t.kokkos_fft(); }; });
#endif
#ifdef KOALESCE_HAVE_CUTENSOR
  add_way("cutensor", [](auto& state, auto const& t) -> Kernel {
    auto const plan = t.cutensor();
    if (!plan) return nullptr;
    state.SetLabel(perf::label_of(*plan));
    return [=, &t] { plan->transpose(t.in(), t.out()); };
  });
#endif
  add_way("copy", [](auto& state, auto const& t) -> Kernel {
    auto const copy = t.fastest_copy();
    state.SetLabel(copy.name);
    return copy.run;
  });
}

/// Ten of the permutations with which P. Springer, T. Su and P. Bientinesi measured HPTT ("HPTT: a high-performance
/// tensor transposition C++ library", 2017), and elements of three doubles.
template <class T>
void add_permutations_of() {
  add_permutation<T, 3>({368, 384, 384}, {0, 2, 1});
  add_permutation<T, 3>({384, 384, 355}, {1, 0, 2});
  add_permutation<T, 3>({384, 355, 384}, {2, 1, 0});
  add_permutation<T, 4>({80, 96, 75, 96}, {0, 3, 2, 1});
  add_permutation<T, 4>({96, 75, 96, 75}, {2, 1, 3, 0});
  add_permutation<T, 4>({96, 75, 75, 96}, {3, 2, 1, 0});
  add_permutation<T, 5>({352, 4, 28, 48, 28}, {3, 2, 1, 4, 0});
  add_permutation<T, 5>({48, 28, 28, 28, 48}, {4, 3, 2, 1, 0});
  add_permutation<T, 6>({32, 15, 32, 15, 15, 15}, {2, 0, 4, 1, 5, 3});
  add_permutation<T, 6>({32, 15, 15, 15, 15, 32}, {5, 4, 3, 2, 1, 0});
}

/// What kokkos-fft transposes for a transform along the second or third axis of three, and back from the third.
template <class T>
void add_axes_of() {
  add_permutation<T, 3>({400, 384, 352}, {1, 0, 2});
  add_permutation<T, 3>({400, 384, 352}, {2, 0, 1});
  add_permutation<T, 3>({400, 384, 352}, {1, 2, 0});
}

}  // namespace

void add_permutations() {
  if (perf::on_host) return add_permutation<double, 4>({96, 75, 96, 75}, {2, 1, 3, 0});
  add_permutations_of<double>();
  add_permutations_of<float>();
  add_permutation<double, 3>({3, 8192, 2000}, {0, 2, 1});
  add_axes_of<Kokkos::complex<double>>();
  add_axes_of<Kokkos::complex<float>>();
}
