// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_POLICY_HPP
#define KOALESCE_STENCIL_POLICY_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/StencilShape.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce {

/// \brief Where a stencil runs: the interior points, the shape, the execution space instance.
///
/// \tparam Exec    execution space; kernels run on the instance given, and nothing fences.
/// \tparam Shape   Box, Star, or Staged of two of them.
/// \tparam BackendTag which implementation runs; the native one of `Exec` where there is one.
///
///     StencilPolicy<Kokkos::DefaultExecutionSpace, Box<1, 1, 1>> policy(exec, {nz, ny, nx});
template <class Exec, class Shape, class BackendTag = Backend::Default<Exec>>
class StencilPolicy {
 public:
  using execution_space = Exec;        ///< whose instance the kernel runs on
  using shape_type      = Shape;       ///< Box, Star or Staged
  using backend_type    = BackendTag;  ///< a tag of namespace Backend

  static constexpr int rank = Shape::rank;  ///< number of dimensions

  using extents_type = Kokkos::Array<std::int64_t, rank>;  ///< points a dimension

  /// \param[in] space   the instance that the kernel runs on.
  /// \param[in] extents number of interior points a dimension (0 is allowed), in the order of the Views' indices.
  StencilPolicy(Exec const& space, extents_type const& extents) : m_space(space), m_extents(extents) {}

  /// The same, one argument a dimension, of any integer type: `policy(exec, u.extent(0) - 2, u.extent(1) - 2)`.
  template <class... N>
    requires(sizeof...(N) == rank && (std::is_integral_v<N> && ...))
  StencilPolicy(Exec const& space, N... extents) : m_space(space), m_extents{{std::int64_t(extents)...}} {}

  /// As the first, on the execution space's default instance.
  explicit StencilPolicy(extents_type const& extents) : m_extents(extents) {}

  /// The instance that the kernel runs on.
  Exec const& space() const { return m_space; }
  /// Number of interior points a dimension.
  extents_type const& extents() const { return m_extents; }

 private:
  Exec m_space;
  extents_type m_extents;
};

}  // namespace Koalesce

#endif
