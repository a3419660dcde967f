// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POISSON_FIELDS_HPP
#define POISSON_FIELDS_HPP

#include <Kokkos_Core.hpp>

#include <string>

namespace examples::poisson {

using Exec = Kokkos::DefaultExecutionSpace;

/// Values at the points of a cube and at one more on each side, its faces, which are 0 in every field here.
using Field = Kokkos::View<double***, Exec>;

/// The same values as a vector of linear algebra. The faces' zeros add nothing to a product.
using Vector = Kokkos::View<double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

inline Field zeros(Exec const& exec, std::string const& label, int points) {
  return Field(Kokkos::view_alloc(exec, label), points + 2, points + 2, points + 2);
}

inline Vector as_vector(Field const& field) { return Vector(field.data(), field.size()); }

}  // namespace examples::poisson

#endif
