// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_WORK_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_WORK_HPP

#include <Koalesce/placement/impl/PlacedArray.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace Koalesce::Impl {

/// Where each array begins, and how much memory a team needs.
template <int Arrays>
struct PlacementLayout {
  static constexpr std::size_t alignment = 16;

  std::size_t scratch_bytes = 0, global_bytes = 0;
  Kokkos::Array<int, Arrays> begin{};  // in bytes, within the memory of the array's place

  void add(int array, bool in_scratch, std::size_t bytes) {
    auto& used   = in_scratch ? scratch_bytes : global_bytes;
    begin[array] = int(used);
    used += (bytes + alignment - 1) / alignment * alignment;
  }
};

/// A kernel, the shapes of its arrays, and the team size: everything that a placement does not change.
template <class Kernel, class... Arrays>
struct PlacementWork {
  static constexpr int arrays = int(sizeof...(Arrays));

  template <int I>
  using Array = std::tuple_element_t<I, std::tuple<Arrays...>>;

  Kernel kernel;
  Pack<typename Arrays::shape_type...> shapes;
  int team_size;

  template <int I>
  KOKKOS_FORCEINLINE_FUNCTION auto const& shape() const {
    return get<I>(shapes);
  }
};

/// Makes every array in the place that the placement names.
template <Place... P>
class FixedPlaces {
 public:
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool takes_part(Member const&) {
    return true;
  }

  template <int I>
  static constexpr bool in_scratch = Kokkos::Array<Place, sizeof...(P)>{P...}[I] == Place::scratch;

  template <int I, class Work>
  static std::size_t bytes(Work const& work) {
    return Type<Work, I>::bytes(work.template shape<I>(), work.team_size);
  }

  template <int I, class Work, class Member>
  KOKKOS_FORCEINLINE_FUNCTION auto make(Work const& work, char* memory, Member const&) const {
    return Type<Work, I>(memory, work.template shape<I>(), work.team_size);
  }

 private:
  template <class Work, int I>
  using Type = typename Placed<typename Work::template Array<I>, Kokkos::Array<Place, sizeof...(P)>{P...}[I]>::type;
};

/// The functor of Kokkos::parallel_for: calls the kernel with the arrays that Places makes.
template <class Work, class Places>
class PlacedKernel {
 public:
  PlacedKernel(Work work, Places const& places) : m_work(std::move(work)), m_places(places) {
    static_for<Work::arrays>(
        [&](auto i) { m_layout.add(i, Places::template in_scratch<i>, Places::template bytes<i>(m_work)); });
  }

  std::size_t scratch_bytes() const { return padded(m_layout.scratch_bytes); }
  std::size_t global_bytes() const { return padded(m_layout.global_bytes); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (m_places.takes_part(team))
      run<0>(team, memory_of(team.team_scratch(0), m_layout.scratch_bytes),
             memory_of(team.team_scratch(1), m_layout.global_bytes));
  }

 private:
  using Layout = PlacementLayout<Work::arrays>;

  static std::size_t padded(std::size_t bytes) { return bytes > 0 ? bytes + Layout::alignment : 0; }

  template <class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static char* memory_of(Scratch const& scratch, std::size_t bytes) {
    return bytes > 0 ? static_cast<char*>(scratch.get_shmem_aligned(bytes, Layout::alignment)) : nullptr;
  }

  /// Makes the arrays from number I on, each a local variable, and calls the kernel with all of them.
  template <int I, class Member, class... Made>
  KOKKOS_FORCEINLINE_FUNCTION void run(Member const& team, char* scratch, char* global, Made&... made) const {
    if constexpr (I == Work::arrays) {
      m_work.kernel(team, made...);
    } else {
      auto* const memory = (m_places.template in_scratch<I> ? scratch : global) + m_layout.begin[I];
      auto array         = m_places.template make<I>(m_work, memory, team);
      run<I + 1>(team, scratch, global, made..., array);
    }
  }

  Work m_work;
  Places m_places;
  Layout m_layout;
};

}  // namespace Koalesce::Impl

#endif
