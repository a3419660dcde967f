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
/// Colors are logarithms of the dose, the share of all light that a cell absorbs per mm3, over 6 decades up to the
/// power of ten above the largest one. Titles, a color bar, the tissues' colors and a length in mm say so in the
/// picture.
///
/// \param[in] photons  how many were sent.
/// \param[in] beam     the patient's axis that the beam goes along.
Picture dose_picture(Head const& head, std::vector<Weight> const& dose, std::int64_t photons, int beam);

}  // namespace examples::transport

#endif
