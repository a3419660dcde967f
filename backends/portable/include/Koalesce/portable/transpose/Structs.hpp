// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_STRUCTS_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_STRUCTS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/transpose/impl/StructWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

/// Arrays of structs and arrays of members, copied by RangePolicy alone where they are no transposition.
namespace Koalesce::Impl::PortableBackend {

/// Copies blocks of structs, member by member. On a GPU a block is one struct, so that neighboring threads access
/// neighboring elements of the members' arrays.
struct CopyStructBlocks {
  StructWork work;
  std::int64_t block;
  int word[StructWork::max_members];  ///< the largest one in which a member can be moved

  CopyStructBlocks(StructWork const& w, std::int64_t structs_per_block) : work(w), block(structs_per_block), word{} {
    for (int k = 0; k < work.members; ++k)
      word[k] = word_dividing(work.member[k].bytes, work.from_step(k), work.to_step(k), address_of(work.member[k].from),
                              address_of(work.member[k].to));
  }

  std::int64_t blocks() const { return (work.size + block - 1) / block; }

  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    std::int64_t const first = b * block, last = Kokkos::min(first + block, work.size);
    for (int k = 0; k < work.members; ++k) switch (word[k]) {
        case 1: copy<1>(k, first, last); break;
        case 2: copy<2>(k, first, last); break;
        case 4: copy<4>(k, first, last); break;
        case 8: copy<8>(k, first, last); break;
        default: copy<16>(k, first, last);
      }
  }

  template <int Bytes>
  KOKKOS_FUNCTION void copy(int k, std::int64_t first, std::int64_t last) const {
    using W                      = Word<Bytes>;
    auto const* const from       = reinterpret_cast<W const*>(work.member[k].from);
    auto* const to               = reinterpret_cast<W*>(work.member[k].to);
    std::int64_t const from_step = work.from_step(k) / Bytes, to_step = work.to_step(k) / Bytes;
    int const words = work.member[k].bytes / Bytes;
    if (words == 1) {
      for (std::int64_t i = first; i < last; ++i) to[i * to_step] = from[i * from_step];
    } else {
      for (std::int64_t i = first; i < last; ++i)
        for (int w = 0; w < words; ++w) to[i * to_step + w] = from[i * from_step + w];
    }
  }
};

/// \param[in] name the kernel's, for profilers.
template <class Exec>
void launch_struct_blocks(Exec const& exec, std::string const& name, StructWork const& work) {
  CopyStructBlocks const kernel(work, Backend::on_host<Exec> ? 512 : 1);
  Kokkos::parallel_for(name, argument_range(exec, kernel.blocks()), kernel);
}

/// On hosts loops over blocks are faster than tiles.
template <RunsPortable Tag, class Exec>
constexpr bool transposes_structs(Tag, std::type_identity<Exec>) {
  return !Backend::on_host<Exec>;
}

template <RunsPortable Tag, class Exec>
void run_copy_structs(Tag, Exec const& exec, std::string const& label, StructWork const& work) {
  launch_struct_blocks(exec, kernel_label(Tag{}, label), work);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
