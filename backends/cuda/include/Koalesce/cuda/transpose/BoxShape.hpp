// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_BOX_SHAPE_HPP
#define KOALESCE_CUDA_TRANSPOSE_BOX_SHAPE_HPP

#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>

/// Boxes are tiles with an extent in every dimension. A box reaches as far along the source's fastest dimensions as
/// along the destination's, so that both sides move in long runs even where no single dimension is long
/// (A. P. Hynninen, D. I. Lyakh: "cuTT: a high-performance tensor transpose library for CUDA compatible GPUs", 2017).
namespace Koalesce::Impl::CudaBackend {

/// The dimensions of a transposition.
struct BoxDims {
  static constexpr int max_dims = MatrixBatch::max_dims + 3;  // rows, columns, and the words of an element

  using Order = std::array<int, max_dims>;

  std::array<TransposeDim, max_dims> dim{};
  int count = 0;

  void append(TransposeDim const& d) {
    if (d.extent > 1) dim[count++] = d;
  }
  TransposeDim const& operator[](int d) const { return dim[d]; }

  /// The dimensions, fastest in the source or in the destination first.
  Order by_from() const { return ordered(&TransposeDim::from); }
  Order by_to() const { return ordered(&TransposeDim::to); }

  friend bool operator==(BoxDims const&, BoxDims const&) = default;

 private:
  Order ordered(std::int64_t TransposeDim::*stride) const {
    Order order{};
    std::iota(order.begin(), order.begin() + count, 0);
    std::sort(order.begin(), order.begin() + count, [&](int a, int b) { return dim[a].*stride < dim[b].*stride; });
    return order;
  }
};

/// The extents of a box.
class BoxShape {
 public:
  static constexpr int max_dims = BoxDims::max_dims;

  BoxShape() { m_extent.fill(1); }

  std::int64_t operator[](int d) const { return m_extent[d]; }

  std::int64_t elements() const {
    return std::accumulate(m_extent.begin(), m_extent.end(), std::int64_t(1), std::multiplies<>());
  }

  /// Reaches along the dimensions, in their order, until they have runs of `run` elements.
  /// \param[in] even whether the last of them is cut into boxes of about the same extent.
  void extend(BoxDims const& dims, BoxDims::Order const& order, std::int64_t run, bool even) {
    std::int64_t reached = 1;
    for (int i = 0; i < dims.count && reached < run; ++i) {
      int const d               = order[i];
      std::int64_t const wanted = (run + reached - 1) / reached, pieces = (dims[d].extent + wanted - 1) / wanted;
      m_extent[d] = std::max(m_extent[d], even || pieces == 1 ? (dims[d].extent + pieces - 1) / pieces : wanted);
      reached *= m_extent[d];
      if (m_extent[d] < dims[d].extent) return;
    }
  }

  /// What moving all boxes costs on one side, in sectors of 32 bytes: those of the elements, and for each run as many
  /// more as `extra` has for runs that begin with a line of 128 bytes, with a sector, or anywhere.
  double sectors(BoxDims const& dims, BoxDims::Order const& order, std::int64_t TransposeDim::*stride,
                 int element_bytes, std::array<double, 3> const& extra) const {
    std::int64_t run = 1, alignment = 0;
    double size = 1;
    bool runs   = true;
    for (int i = 0; i < dims.count; ++i) {
      int const d = order[i];
      runs        = runs && dims[d].*stride == run;
      if (runs) run *= m_extent[d];
      if (!runs) alignment = std::gcd(alignment, dims[d].*stride);
      else if (m_extent[d] < dims[d].extent) alignment = std::gcd(alignment, run);
      runs = runs && m_extent[d] == dims[d].extent;
      size *= double(dims[d].extent);
    }
    alignment *= element_bytes;
    return size * element_bytes / 32 + extra[alignment % 128 == 0  ? 0
                                             : alignment % 32 == 0 ? 1
                                                                   : 2] *
                                           size / double(run);
  }

  std::int64_t boxes(BoxDims const& dims) const {
    std::int64_t product = 1;
    for (int d = 0; d < dims.count; ++d) product *= (dims[d].extent + m_extent[d] - 1) / m_extent[d];
    return product;
  }

 private:
  std::array<std::int64_t, max_dims> m_extent;
};

/// The box with the lowest estimate of what moving all of them costs, of up to `max_elements` elements.
inline BoxShape cheapest_box(BoxDims const& dims, int element_bytes, int max_elements) {
  auto const by_from = dims.by_from(), by_to = dims.by_to();
  // A thread without an element costs about a quarter of one that moves it.
  double const idle = 0.5 * max_elements * element_bytes / 32;
  auto const cost   = [&](BoxShape const& shape) {
    // Reads fetch whole lines.
    return shape.sectors(dims, by_from, &TransposeDim::from, element_bytes, {1, 3, 4}) +
           shape.sectors(dims, by_to, &TransposeDim::to, element_bytes, {1, 1.5, 2}) + idle * double(shape.boxes(dims));
  };
  auto const next_run = [](std::int64_t run) { return (run & (run - 1)) == 0 ? run / 2 * 3 : run / 3 * 4; };

  BoxShape best;
  double best_cost = cost(best);
  for (std::int64_t from_run = 8; from_run <= max_elements; from_run = next_run(from_run))
    for (std::int64_t to_run = 8; to_run <= max_elements; to_run = next_run(to_run))
      for (bool const even : {true, false}) {
        BoxShape shape;
        shape.extend(dims, by_from, from_run, even);
        shape.extend(dims, by_to, to_run, even);
        if (shape.elements() > max_elements) continue;
        if (double const c = cost(shape); c < best_cost) {
          best      = shape;
          best_cost = c;
        }
      }
  return best;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
