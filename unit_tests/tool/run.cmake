# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DTESTS=<executable> -DTOOL=<library> -DCUDA=<whether> -P run.cmake: runs every pattern on two instances under a
# library of Kokkos Tools, which has to see each kernel by its label.

set(paths "LongRuns/*.host_threads*:-*_portable.*")
if(CUDA)
  set(paths "LongRuns/Cuda_cuda.host_threads*")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env OMP_NUM_THREADS=2 "KOKKOS_TOOLS_LIBS=${TOOL}"
  "${TESTS}" "--gtest_filter=${paths}" OUTPUT_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The patterns did not run: ${status}")
endif()
# Kokkos tells a GPU's instances apart, a host's not.
set(instances "[12]")
if(CUDA)
  set(instances 2)
endif()
set(backend "[a-z]+")
# What runs automatically is what was measured to be fastest, which other work on the GPU changes.
set(kernels "fill_halo" "${backend}::transpose" "${backend}::copy_structs")
foreach(kernel IN ITEMS "stencil" "reduce" "active" "steps" "fused steps(, [a-z ]+)?" "reduced steps(, [a-z ]+)?"
        "read \\[(transposing|original)\\]" "columns" "rows" "team \\[team\\]" "grid \\[grid\\]"
        "automatic \\[(plain|team|grid|grid: place)\\]" "ordered \\[grid, ordered by few bits\\]" "planned \\[planned\\]"
        "until \\[[a-z]+\\]" "until reduce \\[[a-z]+\\]" "placed" "count \\[count\\]")
  list(APPEND kernels "${backend}::every: ${kernel}")
endforeach()
foreach(kernel IN LISTS kernels)
  if(NOT output MATCHES "\n${instances} instances: Koalesce::${kernel}\n")
    message(FATAL_ERROR "The tool did not see Koalesce::${kernel}, or not on the callers' instances")
  endif()
endforeach()
