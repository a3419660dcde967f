// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_ON_CHIP_HPP
#define KOALESCE_PLACEMENT_ON_CHIP_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/placement/AccessEstimate.hpp>
#include <Koalesce/placement/PlacementSearch.hpp>
#include <Koalesce/placement/impl/ArrayShape.hpp>

#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace Koalesce {

namespace Impl {

/// What the two kinds of arrays have in common. Self is the derived class.
template <class Self, class Data>
class ArrayDeclaration {
 public:
  using shape_type = ArrayShape<Data>;
  using value_type = typename shape_type::value_type;

  /// \param[in] name     for logs and messages; each array of a kernel has its own.
  /// \param[in] extents  those known at run time, as many as Data has `*`.
  template <class... Extents>
    requires(sizeof...(Extents) == std::size_t(shape_type::dynamic_rank))
  explicit ArrayDeclaration(std::string name, Extents... extents)
      : m_name(std::move(name)), m_shape(Extent{checked(extents)...}) {}

  std::string const& name() const { return m_name; }
  shape_type const& shape() const { return m_shape; }
  std::optional<double> const& stated_accesses() const { return m_accesses; }

  /// \brief States how often a team accesses the array, so that it need not be counted. Returns a changed copy.
  Self accesses(AccessEstimate const& estimate) const {
    Self copy       = static_cast<Self const&>(*this);
    copy.m_accesses = estimate.count();
    return copy;
  }

 private:
  using Extent = Kokkos::Array<int, shape_type::dynamic_rank>;

  /// What is no int is as bad as the closest one.
  template <class Integer>
  static constexpr int checked(Integer extent) {
    using Limits = std::numeric_limits<int>;
    if (std::in_range<int>(extent)) return int(extent);
    return std::cmp_less(extent, 0) ? Limits::min() : Limits::max();
  }

  std::string m_name;
  shape_type m_shape;
  std::optional<double> m_accesses;
};

}  // namespace Impl

/// \brief A small array that the threads of a team share: one thread may touch what another one wrote.
///
///     TeamArray<float[18][18]>("tile")      // tile(i, j)
///     TeamArray<float*[17]>("lines", n)     // lines(i, j), i < n: leading extents at run time, as in Kokkos::View
///     TeamArray<int>("count")               // count()
///
/// Lies in scratch memory or, behind the L1 cache, in global memory. Elements are not initialized. Made of a name, of
/// which each array of a kernel has its own, and as many extents as Data has `*`. accesses(AccessEstimate) returns a
/// copy that states how often a team accesses the array, so that it need not be counted.
///
/// \tparam Data  element type and extents, the last index the fastest.
template <class Data>
struct TeamArray : Impl::ArrayDeclaration<TeamArray<Data>, Data> {
  static constexpr bool own = false;  ///< the team's

  using Impl::ArrayDeclaration<TeamArray<Data>, Data>::ArrayDeclaration;
};

/// \brief A small array for every thread of a team, whose elements that thread alone touches.
///
///     ThreadArray<float[4]>("sums")         // sums(rank, k): element k of thread `rank`, k < 4
///     ThreadArray<float>("next")            // next(rank)
///     ThreadArray<int*>("stack", n)         // stack(rank, k), k < n
///
/// The first index is the team rank of the thread, so a kernel reads as with TeamArray<float*[4]>("sums", team size).
/// Lies in scratch memory, in registers, in the thread's local memory or, behind the L1 cache, in global memory.
/// Registers need a length known at compile time, and indices that are constants once loops are unrolled; otherwise
/// the compiler uses the thread's local memory. Elements are not initialized. The constructor and accesses() are those
/// of a TeamArray.
///
/// \tparam Data  element type and a thread's extents, the last index the fastest.
template <class Data>
struct ThreadArray : Impl::ArrayDeclaration<ThreadArray<Data>, Data> {
  static constexpr bool own = true;  ///< each thread's own

  using Impl::ArrayDeclaration<ThreadArray<Data>, Data>::ArrayDeclaration;
};

/// \brief The arrays of a kernel, in the order in which its call operator takes them.
template <class... Arrays>
struct OnChip {
  /// \param[in] a  TeamArray and ThreadArray declarations, at most 8, with different names.
  explicit OnChip(Arrays const&... a) : arrays(a...) {}

  static constexpr std::size_t size = sizeof...(Arrays);  ///< number of arrays

  Pack<Arrays...> arrays;  ///< the declarations
};

/// \brief A placement known at compile time: the kernel is compiled for it alone. One that an array cannot have does
/// not compile.
template <Place... Places>
struct FixedPlacement {};

}  // namespace Koalesce

#endif
