// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_CUTENSOR_HPP
#define KOALESCE_PERF_TRANSPOSE_CUTENSOR_HPP

#ifdef KOALESCE_HAVE_CUTENSOR

#include <Kokkos_Core.hpp>

#include <cutensor.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"

namespace perf {

/// Types of elements that cuTENSOR permutes.
template <class T>
inline constexpr bool cutensor_has = std::is_floating_point_v<T> || std::is_same_v<T, Kokkos::complex<float>> ||
                                     std::is_same_v<T, Kokkos::complex<double>>;

inline std::string cutensor_version() {
  return "cuTENSOR " + std::to_string(CUTENSOR_MAJOR) + "." + std::to_string(CUTENSOR_MINOR) + "." +
         std::to_string(CUTENSOR_PATCH);
}

/// cuTENSOR's permutation of modes, with a plan for these extents that is made once.
/// Errors make it unusable, which is to be asked for: a call that does nothing would be the fastest.
template <class T>
class Cutensor {
 public:
  /// \param extents     of the source, whose first mode is contiguous.
  /// \param permutation mode d of the destination is mode permutation[d] of the source.
  /// \param jit         whether the plan may compile a kernel of its own.
  Cutensor(Exec const& exec, std::vector<std::int64_t> const& extents, std::vector<int> const& permutation, bool jit)
      : stream(exec.cuda_stream()), jit(jit) {
    auto const rank = std::uint32_t(extents.size());
    std::vector<std::int32_t> in_modes(rank), out_modes(permutation.begin(), permutation.end());
    std::iota(in_modes.begin(), in_modes.end(), 0);
    std::vector<std::int64_t> out_extents;
    for (int const mode : permutation) out_extents.push_back(extents[mode]);
    std::uint32_t const alignment = 128;  // of what Kokkos allocates
    cutensorJitMode_t const mode  = jit ? CUTENSOR_JIT_MODE_DEFAULT : CUTENSOR_JIT_MODE_NONE;
    made                          = is_done(cutensorCreate(&handle)) &&
           is_done(cutensorCreateTensorDescriptor(handle, &in_descriptor, rank, extents.data(), nullptr, data_type(),
                                                  alignment)) &&
           is_done(cutensorCreateTensorDescriptor(handle, &out_descriptor, rank, out_extents.data(), nullptr,
                                                  data_type(), alignment)) &&
           is_done(cutensorCreatePermutation(handle, &operation, in_descriptor, in_modes.data(), CUTENSOR_OP_IDENTITY,
                                             out_descriptor, out_modes.data(), compute_type())) &&
           is_done(cutensorCreatePlanPreference(handle, &preference, CUTENSOR_ALGO_DEFAULT, mode)) &&
           is_done(cutensorCreatePlan(handle, &plan, operation, preference, 0));
  }
  ~Cutensor() {
    if (plan) cutensorDestroyPlan(plan);
    if (preference) cutensorDestroyPlanPreference(preference);
    if (operation) cutensorDestroyOperationDescriptor(operation);
    if (out_descriptor) cutensorDestroyTensorDescriptor(out_descriptor);
    if (in_descriptor) cutensorDestroyTensorDescriptor(in_descriptor);
    if (handle) cutensorDestroy(handle);
  }
  Cutensor(Cutensor const&)            = delete;
  Cutensor& operator=(Cutensor const&) = delete;

  /// \return whether the permutation was launched.
  template <class View, class OutView>
  bool transpose(View const& in, OutView const& out) const {
    static_assert(std::is_same_v<typename View::non_const_value_type, T>);
    T const one(1);
    return made && is_done(cutensorPermute(handle, plan, &one, in.data(), out.data(), stream));
  }

  bool compiles() const { return jit; }

 private:
  static bool is_done(cutensorStatus_t status) { return status == CUTENSOR_STATUS_SUCCESS; }

  static cutensorDataType_t data_type() {
    if constexpr (std::is_same_v<T, float>) return CUTENSOR_R_32F;
    else if constexpr (std::is_same_v<T, double>) return CUTENSOR_R_64F;
    else if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return CUTENSOR_C_32F;
    else return CUTENSOR_C_64F;
  }

  static cutensorComputeDescriptor_t compute_type() {
    constexpr bool is_single = std::is_same_v<T, float> || std::is_same_v<T, Kokkos::complex<float>>;
    return is_single ? CUTENSOR_COMPUTE_DESC_32F : CUTENSOR_COMPUTE_DESC_64F;
  }

  cudaStream_t stream;
  bool jit;
  cutensorHandle_t handle                  = nullptr;
  cutensorTensorDescriptor_t in_descriptor = nullptr, out_descriptor = nullptr;
  cutensorOperationDescriptor_t operation = nullptr;
  cutensorPlanPreference_t preference     = nullptr;
  cutensorPlan_t plan                     = nullptr;
  bool made                               = false;
};

/// The faster of cuTENSOR's plans: with a kernel from its library, and with one compiled for these extents. None if it
/// refuses the permutation.
template <class T, class View, class OutView>
std::shared_ptr<Cutensor<T>> fastest_cutensor(std::vector<std::int64_t> const& extents,
                                              std::vector<int> const& permutation, View const& in, OutView const& out) {
  std::vector<std::shared_ptr<Cutensor<T>>> plans;
  for (bool const jit : {false, true}) {
    auto const plan = std::make_shared<Cutensor<T>>(Exec(), extents, permutation, jit);
    if (plan->transpose(in, out)) plans.push_back(plan);
  }
  if (plans.empty()) return nullptr;
  return fastest(plans, [&](auto const& plan) { plan->transpose(in, out); });
}

template <class T>
std::string label_of(Cutensor<T> const& plan) {
  return plan.compiles() ? "compiled for these extents" : "from the library";
}

}  // namespace perf

#endif

#endif
