// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_CUTENSOR_HPP
#define KOALESCE_PERF_TRANSPOSE_CUTENSOR_HPP

#ifdef KOALESCE_HAVE_CUTENSOR

#include <Kokkos_Core.hpp>

#include <cutensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

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

/// cuTENSOR's permutation of a matrix's two modes, with a plan for these extents that is made once.
/// Errors make it unusable, which is to be asked for: a call that does nothing would be the fastest.
template <class T>
class Cutensor {
 public:
  /// \param jit whether the plan may compile a kernel of its own.
  Cutensor(Exec const& exec, std::int64_t rows, std::int64_t columns, bool jit) : stream(exec.cuda_stream()), jit(jit) {
    // Strides that are not given make the first mode contiguous: a row-major matrix has its column first.
    std::array<std::int64_t, 2> const in_extents{columns, rows}, out_extents{rows, columns};
    std::array<std::int32_t, 2> const in_modes{'c', 'r'}, out_modes{'r', 'c'};
    std::uint32_t const alignment = 128;  // of what Kokkos allocates
    cutensorJitMode_t const mode  = jit ? CUTENSOR_JIT_MODE_DEFAULT : CUTENSOR_JIT_MODE_NONE;
    made                          = is_done(cutensorCreate(&handle)) &&
           is_done(cutensorCreateTensorDescriptor(handle, &in_descriptor, 2, in_extents.data(), nullptr, data_type(),
                                                  alignment)) &&
           is_done(cutensorCreateTensorDescriptor(handle, &out_descriptor, 2, out_extents.data(), nullptr, data_type(),
                                                  alignment)) &&
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
  template <class View>
  bool transpose(View const& in, View const& out) const {
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

}  // namespace perf

#endif

#endif
