// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_STENCIL_POLICY_HPP
#define KOALESCE_STENCIL_STENCIL_POLICY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/stencil/StencilShape.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryFaces.hpp>
#include <Koalesce/stencil/impl/domain/RankDomain.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koalesce {

/// \brief Where a stencil reads the values around a point: from the plane queue in shared memory; from the
/// fields through the caches, a thread a point; or from registers, where a thread holds a tile of points and marches
/// through planes with it. `automatic` is the fastest one by measured time, so a functor's results may differ in their
/// last bits between runs.
enum class StencilTaps { automatic, queue, cache, tile };

namespace Impl {

/// What a policy leaves to measurement, or not.
struct StencilChoices {
  StencilTaps taps = StencilTaps::automatic;
  int fused_steps  = 0;
};

}  // namespace Impl

/// \brief Where a stencil runs: the interior points, the shape, the execution space instance.
///
/// \tparam Exec    execution space; kernels run on the instance given, and nothing fences.
/// \tparam Shape   Box, Star, Offsets, or Staged of two or more of them.
/// \tparam BackendTag the backend, as with_backend() sets it.
/// \tparam Boundary what lies beyond the interior, as with_boundary() sets it.
/// \tparam Domain   which points, as with_blocks(), with_active() or a Koalesce::Domain sets it.
///
///     StencilPolicy policy(exec, Box<1, 1, 1>{}, {nz, ny, nx});
///     auto portable = policy.with_backend(Backend::Portable{});
///
/// The setters, `with_...`, return a changed copy.
template <class Exec, class Shape, class BackendTag = Backend::Default<Exec>, class Boundary = Impl::NoBoundary,
          class Domain = Impl::WholeDomain>
class StencilPolicy {
 public:
  using execution_space = Exec;        ///< whose instance the kernel runs on
  using shape_type      = Shape;       ///< Box, Star, Offsets or Staged
  using backend_type    = BackendTag;  ///< a tag of namespace Backend
  using boundary_type   = Boundary;    ///< the conditions, or a type that says that fields have halos
  using domain_type     = Domain;      ///< which points: all, those of many blocks, ActivePoints, those of a process

  static constexpr int rank       = Shape::rank;             ///< number of dimensions
  static constexpr int field_rank = rank + Domain::indices;  ///< indices of a field

  using extents_type = Kokkos::Array<std::int64_t, rank>;  ///< points per dimension

  /// \param[in] space   the instance that the kernel runs on.
  /// \param[in] extents number of interior points per dimension (0 is allowed), in the order of the Views' indices.
  StencilPolicy(Exec const& space, extents_type const& extents) : m_space(space), m_extents(extents) {}

  /// The same; the shape is deduced: `StencilPolicy policy(exec, Star<1, 1>{}, {ny, nx});`
  StencilPolicy(Exec const& space, Shape const&, Kokkos::Array<std::int64_t, Shape::rank> const& extents)
      : m_space(space), m_extents(extents) {}

  /// The same, one argument per dimension, of any integer type: `policy(exec, u.extent(0) - 2, u.extent(1) - 2)`.
  template <class... N>
    requires(sizeof...(N) == rank && (std::is_integral_v<N> && ...))
  StencilPolicy(Exec const& space, N... extents) : m_space(space), m_extents{{std::int64_t(extents)...}} {}

  /// As the first, on the execution space's default instance.
  explicit StencilPolicy(extents_type const& extents) : m_extents(extents) {}

  /// As the second, one argument per dimension.
  template <class... N>
    requires(sizeof...(N) == rank && (std::is_integral_v<N> && ...))
  StencilPolicy(Exec const& space, Shape const&, N... extents)
      : m_space(space), m_extents{{std::int64_t(extents)...}} {}

  /// \brief The same over the processes of a domain: the extents are those of this process' part.
  ///
  ///     StencilPolicy policy(exec, Star<1, 1, 1>{}, domain);  // #include <Koalesce/Distributed.hpp>
  ///
  /// \param[in] space   as above.
  /// \param[in] domain  a Koalesce::Domain of as many dimensions as the shape.
  template <class Ranks>
    requires(Impl::is_domain<Ranks>)
  StencilPolicy(Exec const& space, Shape const&, Ranks const& domain)
      : m_space(space), m_extents(domain.extents()), m_domain{domain} {
    static_assert(Ranks::rank == rank, "Koalesce::StencilPolicy: the domain must have as many dimensions as the shape");
  }

  /// Not for too few extents: braces would make the others 0.
  template <std::size_t N>
    requires(N < rank)
  StencilPolicy(Exec const& space, std::int64_t const (&extents)[N]) = delete;
  template <std::size_t N>
    requires(N < rank)
  StencilPolicy(Exec const& space, Shape const&, std::int64_t const (&extents)[N]) = delete;
  template <std::size_t N>
    requires(N < rank)
  explicit StencilPolicy(std::int64_t const (&extents)[N]) = delete;

  /// The instance that the kernel runs on.
  Exec const& space() const { return m_space; }
  /// Number of interior points per dimension.
  extents_type const& extents() const { return m_extents; }
  /// Where values around a point are read.
  StencilTaps taps() const { return m_choices.taps; }
  /// Time steps that may share a sweep; 0: as many as are fastest.
  int fused_steps() const { return m_choices.fused_steps; }

  /// \brief A copy that runs on the given backend instead of the execution space's own.
  template <class OtherTag>
  auto with_backend(OtherTag) const {
    return StencilPolicy<Exec, Shape, Impl::Resolve<OtherTag, Exec>, Boundary, Domain>(m_space, m_extents, m_choices,
                                                                                       m_boundary, m_domain);
  }

  /// \brief A copy that says what lies beyond the interior: inputs then need no halo, and nothing fills one.
  ///
  ///     policy.with_boundary(Periodic(), Mirror(), sides(Dirichlet(1.), Neumann(0.5)))
  ///
  /// A sweep gives what fill_halo() with these conditions and a plain sweep give (of a Staged shape, of halos as wide
  /// as the sum of all radii). Halos that fields have are neither read nor written. Points nearer to a face than the
  /// radius run as a kernel of their own, after the others, unless a backend sweeps up to the faces: Backend::OpenMP
  /// over shapes of one stage, Backend::Cuda where copies of points inside, or a constant, lie beyond them.
  ///
  /// \param[in] conditions one for all dimensions, or one per dimension, in the order of the Views' indices. The policy
  ///                       keeps copies of the Views in them.
  template <class... Conditions>
  auto with_boundary(Conditions const&... conditions) const {
    auto const all_sides = Impl::boundary_sides<rank>(conditions...);
    return StencilPolicy<Exec, Shape, BackendTag, std::decay_t<decltype(all_sides)>, Domain>(
        m_space, m_extents, m_choices, all_sides, m_domain);
  }

  /// \brief A copy for many equal blocks, in one sweep: fields have one index more, the first, which is the block's.
  ///
  ///     Kokkos::View<double****> u("u", blocks, nz + 2, ny + 2, nx + 2);  // functor(u, block, z, y, x)
  ///     parallel_stencil("step", policy.with_blocks(blocks), u, next, functor);
  ///
  /// The extents are a block's. Every block has its own halo; blocks of an adaptive mesh fill each other's before. The
  /// functor gets the block's number as its first index. Blocks that are Views of their own become a field as a
  /// FieldList.
  ///
  /// \param[in] count number of blocks; 0 is allowed.
  auto with_blocks(std::int64_t count) const {
    static_assert(covers_all, "Koalesce::StencilPolicy: many blocks exclude active points and a domain");
    return StencilPolicy<Exec, Shape, BackendTag, Boundary, Impl::EqualBlocks>(m_space, m_extents, m_choices,
                                                                               m_boundary, Impl::EqualBlocks{count});
  }

  /// \brief A copy for a sweep over some of the interior's points; it writes no others.
  ///
  /// The functor is called, and results are reduced, at these points alone; those of a Staged shape are also called
  /// around them, and the last one's results there are dropped. Tiles without any points cost nothing.
  ///
  /// \param[in] points  prepared for the same extents; the policy sees what update() does to them.
  auto with_active(ActivePoints<Exec, rank> const& points) const {
    if constexpr (Impl::is_over_ranks<Domain>) {
      using Points = Impl::RankDomain<std::decay_t<decltype(m_domain.ranks)>, ActivePoints<Exec, rank>>;
      return StencilPolicy<Exec, Shape, BackendTag, Boundary, Points>(m_space, m_extents, m_choices, m_boundary,
                                                                      Points{m_domain.ranks, points});
    } else {
      static_assert(covers_all, "Koalesce::StencilPolicy: active points exclude many blocks");
      return StencilPolicy<Exec, Shape, BackendTag, Boundary, ActivePoints<Exec, rank>>(m_space, m_extents, m_choices,
                                                                                        m_boundary, points);
    }
  }

  /// What with_blocks(), with_active() or the constructor was given.
  Domain const& domain() const { return m_domain; }

  /// What with_boundary() was given.
  Boundary const& boundary() const { return m_boundary; }

  /// \brief A copy that says where values around a point are read; the default is automatic.
  ///
  /// It matters on devices, and not for Staged stencils, which use the queue. With `automatic`, the first
  /// calls with a label and class of extents time all of them, by events, and the fastest one stays (see
  /// tuning_decisions()). In TuningMode::by_extents the number of points and dimensions, the size of elements and
  /// the boundary decide. `cache` and `tile` fall back on the queue if the inputs are strided along the innermost
  /// dimension; so does `tile` if an output is, or if it would not fit in registers. `queue` falls back on the caches
  /// if no plane fits on chip. Backend::Portable has `queue`, which is an error if no plane fits on chip, `cache`, and
  /// in three dimensions on devices `tile`, where teams of threads reach across planes; elsewhere `tile` means `cache`.
  /// On CUDA `automatic` times them.
  ///
  /// The compiler may contract a functor's products and sums differently in their kernels. With `automatic` its
  /// results may therefore differ in their last bits between runs, and between the first calls of a run; with any other
  /// value they do not. Known weights give the same bits in all of them.
  StencilPolicy with_taps(StencilTaps where) const {
    StencilPolicy copy  = *this;
    copy.m_choices.taps = where;
    return copy;
  }

  /// \brief A copy that says how many time steps of parallel_stencil_steps share a sweep; the default is automatic.
  ///
  /// \param[in] steps at most so many: the largest number that the stencil has a kernel for; 1 for one step per sweep,
  ///                  0 for as many as turn out to be fastest. With 24 and more on CUDA, fields that fit on chip stay
  ///                  there.
  StencilPolicy with_fused_steps(int steps) const {
    StencilPolicy copy         = *this;
    copy.m_choices.fused_steps = steps;
    return copy;
  }

 private:
  template <class, class, class, class, class>
  friend class StencilPolicy;

  static constexpr bool covers_all = std::is_same_v<Domain, Impl::WholeDomain>;

  StencilPolicy(Exec const& space, extents_type const& extents, Impl::StencilChoices const& choices,
                Boundary const& boundary, Domain const& domain)
      : m_space(space), m_extents(extents), m_choices(choices), m_boundary(boundary), m_domain(domain) {}

  Exec m_space;
  extents_type m_extents;
  Impl::StencilChoices m_choices;
  Boundary m_boundary{};
  Domain m_domain{};
};

/// Deduces the shape where the extents are arguments of their own.
template <class Exec, class Shape, class... N>
  requires(Kokkos::is_execution_space_v<Exec> && sizeof...(N) == Shape::rank)
StencilPolicy(Exec const&, Shape const&, N...) -> StencilPolicy<Exec, Shape>;

/// Deduces the domain.
template <class Exec, class Shape, class Ranks>
  requires(Kokkos::is_execution_space_v<Exec> && Impl::is_domain<Ranks>)
StencilPolicy(Exec const&, Shape const&, Ranks const&)
    -> StencilPolicy<Exec, Shape, Backend::Default<Exec>, Impl::NoBoundary, Impl::RankDomain<Ranks>>;

}  // namespace Koalesce

#endif
