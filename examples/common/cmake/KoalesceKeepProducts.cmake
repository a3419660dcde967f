# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For programs that must round alike: products and sums are kept apart, where compilers would otherwise fuse them as it suits
# what is inlined where.
function(koalesce_keep_products target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang,IntelLLVM>:-ffp-contract=off>)
  if(("CUDA" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_CUDA) AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE --fmad=false)
  endif()
endfunction()
