// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_FIELD_LIST_HPP
#define KOALESCE_STENCIL_FIELD_LIST_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace Koalesce {

/// \brief Equal Views anywhere in memory as one field of a policy with many blocks: View b is block b.
///
///     FieldList u(exec, patches), next(exec, new_patches);  // std::vector<Kokkos::View<double***>>
///     parallel_stencil("step", policy.with_blocks(patches.size()), u, next, functor);
///
/// A table of addresses is prepared once, not by sweeps. Copies share it and the Views, which live as long.
///
/// \tparam View  of a block.
template <class View>
class FieldList {
 public:
  using view_type            = View;                                 ///< of a block
  using value_type           = typename View::value_type;            ///< of elements
  using const_value_type     = typename View::const_value_type;      ///< the same, const
  using non_const_value_type = typename View::non_const_value_type;  ///< the same, not const
  using memory_space         = typename View::memory_space;          ///< of the Views and the table

  /// \param[in] space  copies the table to its place; it is waited for.
  /// \param[in] blocks of equal extents and strides; 0 Views are allowed. Outputs must not overlap in memory.
  /// \throws Error if extents or strides differ, or a View has no memory or memory out of reach.
  template <class Exec>
  FieldList(Exec const& space, std::vector<View> const& blocks) {
    check<Exec>(blocks);
    auto const state = std::make_shared<State>();
    state->blocks    = blocks;
    state->bytes = decltype(state->bytes)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "Koalesce::FieldList"),
                                          blocks.size());
    auto const bytes    = Kokkos::create_mirror(Kokkos::HostSpace(), state->bytes);
    std::uintptr_t step = 0;  // all Views lie a multiple of so many bytes from the first one
    for (auto const& block : blocks) {
      auto& memory = state->memory;
      memory.push_back(Impl::memory_of(block));
      bytes(memory.size() - 1) = memory.back().data - memory[0].data;
      step =
          std::gcd(step, std::max(memory.back().data, memory[0].data) - std::min(memory.back().data, memory[0].data));
    }
    state->whole    = step % sizeof(value_type) == 0;
    state->elements = state->whole ? std::int64_t(step / sizeof(value_type)) : 1;
    std::sort(state->memory.begin(), state->memory.end(), [](auto const& a, auto const& b) { return a.data < b.data; });
    state->overlaps = Impl::overlap_within(state->memory);
    Kokkos::deep_copy(space, state->bytes, bytes);
    space.fence("Koalesce::FieldList: the table of blocks");
    m_state = state;
  }

  /// The Views.
  std::vector<View> const& blocks() const { return m_state->blocks; }

  /// Indices that the field has: a block's, and those of a View.
  static constexpr std::size_t rank() { return View::rank() + 1; }
  /// Number of blocks for d = 0, extents of a View for d > 0.
  std::size_t extent(std::size_t d) const { return d == 0 ? blocks().size() : first().extent(d - 1); }
  /// The label of the first View.
  std::string label() const { return first().label(); }
  /// The first View; of no Views, one without memory.
  View first() const { return blocks().empty() ? View() : blocks()[0]; }
  /// The first View's elements.
  auto* data() const { return first().data(); }

  /// Whether Views of the list overlap in memory.
  bool overlaps() const { return m_state->overlaps; }
  /// For checks: in order of addresses.
  std::vector<Impl::StridedMemory> const& memory() const { return m_state->memory; }
  /// For kernels.
  Impl::BlockTable places() const { return {m_state->bytes.data(), m_state->elements, m_state->whole}; }

 private:
  struct State {
    std::vector<View> blocks;
    Kokkos::View<std::uintptr_t*, memory_space> bytes;
    std::int64_t elements = 0;
    bool whole            = true;
    std::vector<Impl::StridedMemory> memory;
    bool overlaps = false;
  };

  template <class Exec>
  static void check(std::vector<View> const& blocks) {
    std::string const where = "Koalesce::FieldList";
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::string const block = "View " + std::to_string(b);
      Impl::check_access<Exec>(where, blocks[b], block);
      auto const differs = [&](char const* what, std::size_t d, std::size_t here, std::size_t at_first) {
        if (here != at_first)
          Impl::fail(where, block, " ", Impl::quoted_label(blocks[b]), " has ", what, " ", here, " in dimension ", d,
                     ", but the first one has ", at_first,
                     "; all blocks of a sweep must be equal, so make one list per ", what);
      };
      for (std::size_t d = 0; d < View::rank(); ++d) {
        differs("extent", d, blocks[b].extent(d), blocks[0].extent(d));
        differs("stride", d, blocks[b].stride(d), blocks[0].stride(d));
      }
    }
  }

  std::shared_ptr<State const> m_state;
};

}  // namespace Koalesce

#endif
