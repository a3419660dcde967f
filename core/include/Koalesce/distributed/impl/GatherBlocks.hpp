// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_GATHER_BLOCKS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_GATHER_BLOCKS_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The parts of a grid, brought to rank 0 and back as rows of points in the order of LayoutRight.
namespace Koalesce::Impl {

template <class From, class To>
constexpr void check_blocks() {
  static_assert(
      From::rank() == To::rank() && std::is_same_v<typename From::non_const_value_type, typename To::value_type>,
      "Koalesce::gather and scatter: the field and the View of the whole grid must have equal elements and "
      "dimensions, and what is written must not be const");
}

/// A subview of the points [from, from + count) of each dimension.
template <class View, class First, class Count>
auto subview_of(View const& view, First const& first, Count const& count) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Kokkos::subview(view, std::pair(std::int64_t(first[D]), std::int64_t(first[D] + count[D]))...);
  }(std::make_index_sequence<View::rank()>());
}

template <int Rank, class View>
auto interior_of(Domain<Rank> const& domain, View const& field) {
  typename Domain<Rank>::extents_type first{};
  for (int d = 0; d < Rank; ++d) first[d] = (std::int64_t(field.extent(d)) - domain.extents()[d]) / 2;
  return subview_of(field, first, domain.extents());
}

template <class T, int Rank>
struct BlockView;
template <class T>
struct BlockView<T, 1> {
  using type = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace>;
};
template <class T>
struct BlockView<T, 2> {
  using type = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
};
template <class T>
struct BlockView<T, 3> {
  using type = Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace>;
};

/// A process' points.
template <class T, int Rank, class Extents>
auto make_block(Extents const& n) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return typename BlockView<T, Rank>::type(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Koalesce::block"),
                                             std::size_t(n[D])...);
  }(std::make_index_sequence<Rank>());
}
template <int Rank, class View>
auto block_buffer(Domain<Rank> const& domain, View const&) {
  return make_block<typename View::non_const_value_type, Rank>(domain.extents());
}

/// Copies a field's interior to a block or back, through a View of the field's own layout where its memory is
/// another's.
template <class Exec, class Interior, class Block>
void copy_block(Exec const& exec, Interior const& interior, Block const& block, bool out) {
  exec.fence("Koalesce: a block before it is copied");
  using Space      = typename Interior::memory_space;
  auto const there = Kokkos::create_mirror(Space(), block);
  if (out) {
    Kokkos::deep_copy(exec, there, interior);
    Kokkos::deep_copy(exec, block, there);
  } else if constexpr (!std::is_const_v<typename Interior::value_type>) {
    Kokkos::deep_copy(exec, there, block);
    Kokkos::deep_copy(exec, interior, there);
  }
  exec.fence("Koalesce: a block that is copied");
}

template <class Exec, int Rank, class View, class All>
void agree_on_blocks(std::string const& where, Domain<Rank> const& domain, View const& field, All const& all) {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename All::memory_space>::accessible,
                "Koalesce::gather and scatter: the View of the whole grid must lie in host memory");
  // Every time: messages of blocks carry no number of their call, so that one that a failed call left would be taken
  // for the next call's.
  domain.state()->agree_always(where, "; " + std::to_string(sizeof(typename View::value_type)) + " bytes", [&] {
    check_field(where, InteriorPolicy<Exec, Rank>{domain.extents()}, field, "the", -1, [](int) { return 0; });
    if (domain.state()->rank() != 0) return;
    for (int d = 0; d < Rank; ++d)
      if (std::int64_t(all.extent(d)) != domain.global_extents()[d])
        fail(where, "the View of the whole grid ", quoted_label(all), " has extent ", all.extent(d), " in dimension ",
             d, ", but the grid has ", domain.global_extents()[d], "; give it the grid's extents");
    check_memory(where, all, "the View of the whole grid");
  });
}

/// Calls visit(rank, a View of its points in `all`) for every process.
template <int Rank, class All, class Visit>
void for_each_block(Domain<Rank> const& domain, All const& all, Visit const& visit) {
  for (int r = 0; r < domain.state()->size(); ++r) {
    int at[Rank];
    MPI_Cart_coords(domain.comm(), r, Rank, at);
    typename Domain<Rank>::extents_type first{}, count{};
    for (int d = 0; d < Rank; ++d) {
      auto const part = part_of(domain.global_extents()[d], domain.ranks()[d], at[d]);
      first[d]        = part.first;
      count[d]        = part.count;
    }
    visit(r, subview_of(all, first, count), count);
  }
}

inline constexpr int block_tag = 27;  // halos have those below

/// Bytes of blocks travel as elements, whose number fits into MPI's int more often.
template <class T>
class ElementType {
 public:
  ElementType() {
    MPI_Type_contiguous(int(sizeof(T)), MPI_BYTE, &m_type);
    MPI_Type_commit(&m_type);
  }
  ~ElementType() { MPI_Type_free(&m_type); }
  ElementType(ElementType const&)            = delete;
  ElementType& operator=(ElementType const&) = delete;

  MPI_Datatype get() const { return m_type; }

 private:
  MPI_Datatype m_type;
};

/// Moves a block in messages whose number of points is an int. \param[in] start  start(first point, points, request).
template <class Block, class Start>
void move_block(Ranks const& ranks, Block const& block, std::string const& where, char const* what,
                Start const& start) {
  constexpr std::int64_t most = std::int64_t(1) << 30;
  std::int64_t const points   = std::int64_t(block.size());
  std::vector<MPI_Request> requests(std::size_t((points + most - 1) / most));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::int64_t const first = std::int64_t(i) * most;
    start(block.data() + first, int(std::min(most, points - first)), &requests[i]);
  }
  ranks.wait(requests, where, what);
}

template <int Rank, class Block>
void send_block(std::string const& where, Domain<Rank> const& domain, Block const& block, int to) {
  ElementType<typename Block::value_type> const element;
  move_block(*domain.state(), block, where, "room for a block", [&](auto* first, int points, MPI_Request* request) {
    MPI_Isend(first, points, element.get(), to, block_tag, domain.comm(), request);
  });
}

template <int Rank, class Block>
void receive_block(std::string const& where, Domain<Rank> const& domain, Block const& block, int from) {
  ElementType<typename Block::value_type> const element;
  move_block(*domain.state(), block, where, "a block", [&](auto* first, int points, MPI_Request* request) {
    MPI_Irecv(first, points, element.get(), from, block_tag, domain.comm(), request);
  });
}

template <int Rank, class Block, class All>
void gather_blocks(std::string const& where, Domain<Rank> const& domain, Block const& block, All const& all) {
  if (domain.state()->rank() != 0) return send_block(where, domain, block, 0);
  for_each_block(domain, all, [&](int r, auto const& to, auto const& count) {
    if (r == 0) return Kokkos::deep_copy(to, block);
    auto const other = make_block<typename Block::value_type, Rank>(count);
    receive_block(where, domain, other, r);
    Kokkos::deep_copy(to, other);
  });
}

template <int Rank, class All, class Block>
void scatter_blocks(std::string const& where, Domain<Rank> const& domain, All const& all, Block const& block) {
  if (domain.state()->rank() != 0) return receive_block(where, domain, block, 0);
  for_each_block(domain, all, [&](int r, auto const& from, auto const& count) {
    if (r == 0) return Kokkos::deep_copy(block, from);
    auto const other = make_block<typename Block::value_type, Rank>(count);
    Kokkos::deep_copy(other, from);
    send_block(where, domain, other, r);
  });
}

}  // namespace Koalesce::Impl

#endif
