// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_BACKEND_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_BACKEND_HPP

#include <string>

namespace Koalesce::Impl {

/// What a backend must have for parallel_stencil, found by argument-dependent lookup through its tag:
///
///     run_stencil(tag, exec, label, work)
///
/// for every StencilWork and StagedWork. It starts kernels on `exec`, and does not wait. They are named
/// kernel_label(tag, label) or, where it falls back on Backend::Portable, by that backend.
template <class Tag, class Exec, class Work>
concept StencilBackend = requires(Tag tag, Exec const& exec, std::string const& label, Work const& work) {
  run_stencil(tag, exec, label, work);
};

/// Whether it also sweeps up to the faces of fields without a halo. It then has
///
///     run_bounded_stencil(tag, exec, label, work, values)
///
/// Otherwise the points that read beyond the faces get a kernel of their own.
///
/// \tparam Values  a pack of the BoundaryValue of every input that is read around the point.
template <class Tag, class Exec, class Work, class Values>
concept SweepsToFaces = requires(Tag tag, Exec const& exec, std::string const& label, Work const& work,
                                 Values const& values) { run_bounded_stencil(tag, exec, label, work, values); };

}  // namespace Koalesce::Impl

#endif
