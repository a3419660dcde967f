// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_SIMD_HPP
#define KOALESCE_COMMON_IMPL_SIMD_HPP

/// Declares the iterations of the following loop independent: no output overlaps an input.
#if defined(_OPENMP)
#define KOALESCE_SIMD _Pragma("omp simd")
#elif defined(__clang__)
#define KOALESCE_SIMD _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define KOALESCE_SIMD _Pragma("GCC ivdep")
#else
#define KOALESCE_SIMD
#endif

/// Inlines all calls in a function: a loop that contains a call does not vectorize.
#if defined(__GNUC__)
#define KOALESCE_FLATTEN [[gnu::flatten, gnu::noinline]]
#else
#define KOALESCE_FLATTEN
#endif

#endif
