# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of performance: what tools/perf_report makes of Google Benchmark's JSON."""
