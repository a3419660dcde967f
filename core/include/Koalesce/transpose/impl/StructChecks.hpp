// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_STRUCT_CHECKS_HPP
#define KOALESCE_TRANSPOSE_IMPL_STRUCT_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/transpose/impl/StructAccess.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// The pieces of memory that a StructView touches: its array of structs, or an array per member.
template <class View>
std::vector<StridedMemory> memory_of_structs(View const& view) {
  using List = MemberList<typename View::members>;
  std::vector<StridedMemory> pieces;
  auto const add = [&](unsigned char const* data, int bytes) {
    StridedMemory piece{reinterpret_cast<std::uintptr_t>(data), std::size_t(bytes)};
    piece.extent[0] = view.size();
    piece.stride[0] = std::uintptr_t(bytes);
    pieces.push_back(piece);
  };
  if (view.form() == StructForm::structs) {
    add(StructAccess::data(view, 0) - List::offsets()[0], int(sizeof(typename List::struct_type)));
  } else {
    for (int k = 0; k < View::count; ++k) add(StructAccess::data(view, k), List::bytes[k]);
  }
  return pieces;
}

template <class Exec, class View>
void check_struct_access(std::string const& where, View const& view, std::string const& role) {
  for (int k = 0; k < View::count && view.size() > 0; ++k)
    if (StructAccess::data(view, k) == nullptr)
      fail(where, "member ", k, " of ", role, " ", quoted_label(view),
           " has no memory; it was never allocated or was moved from, so allocate it first");
  check_reach<Exec>(where, view, role);
}

template <class Exec, class Dst, class Src>
void check_copy_structs(std::string const& where, Dst const& dst, Src const& src) {
  if (dst.size() != src.size())
    fail(where, "the destination ", quoted_label(dst), " has ", dst.size(), " structs, but the source ",
         quoted_label(src), " has ", src.size(), "; give both the same size");
  check_struct_access<Exec>(where, dst, "the destination");
  check_struct_access<Exec>(where, src, "the source");
  auto const to = memory_of_structs(dst), from = memory_of_structs(src);
  for (std::size_t k = 0; k < to.size(); ++k) {
    for (auto const& piece : from)
      if (overlap(to[k], piece))
        fail(where, "the destination ", quoted_label(dst), " and the source ", quoted_label(src),
             " overlap in memory; structs are written while others are still read, so give the destination memory of "
             "its own");
    for (std::size_t other = 0; other < k; ++other)
      if (overlap(to[k], to[other]))
        fail(where, "the arrays of members ", other, " and ", k, " of the destination ", quoted_label(dst),
             " overlap in memory; both would be written, so give every member memory of its own");
  }
}

}  // namespace Koalesce::Impl

#endif
