// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_DOSE_PICTURE_HPP
#define TRANSPORT_DOSE_PICTURE_HPP

#include "../common/Picture.hpp"
#include "Head.hpp"
#include "Photon.hpp"

#include <vector>

namespace examples::transport {

/// \brief The tissues, and the dose over the anatomy, in the two slices through the beam along the patient's axes.
///
/// Colors are logarithms of the dose, from the 10^-6th part of the largest on, with a color bar.
///
/// \param[in] beam  the patient's axis that the beam goes along.
Picture dose_picture(Head const& head, std::vector<Weight> const& dose, int beam);

}  // namespace examples::transport

#endif
