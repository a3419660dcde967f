// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_MEMBERS_HPP
#define KOALESCE_TRANSPOSE_MEMBERS_HPP

namespace Koalesce {

/// \brief The members of a struct that a StructView stores: `Members<&Particle::x, &Particle::v, &Particle::id>`.
///
/// \tparam Pointers 2 to 16 pointers to different members of one struct, in any order, no two of them of one union; not
///                  all of its members need to be there. The struct has standard layout, is trivially copyable and can
///                  be default-constructed. An array (C array of one dimension, Kokkos' Array) is one member.
template <auto... Pointers>
struct Members {};

}  // namespace Koalesce

#endif
