#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/poisson
#
# Every error of poisson ends in one line on stderr and a status of 1 or 2; solutions converge as the method says.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

# succeeds <words that the output must have> <arguments>...
succeeds() {
  local words=$1
  shift
  if ! "$program" "$@" >stdout 2>stderr </dev/null; then complain "status: $*"; fi
  if [[ -s stderr ]]; then complain "unexpected message: $*"; fi
  if ! tr -s ' ' <stdout | grep -qF -- "$words"; then
    complain "the output lacks \"$words\": $*"
    sed 's/^/    /' stdout
  fi
}

fails "--points" -n 0
fails "--points" -n 1201
fails "--no-compare" -n 1001
fails "--tolerance" --tolerance 0
fails "--tolerance" --tolerance 1
fails "--iterations" --iterations 0
fails "--largest-error" --largest-error -1
fails "--threads" --threads -1
fails "--nonsense" --nonsense
notices_full_stdout -n 4

fails "after 3 iterations the residual is" -n 20 --iterations 3
# The error is 8.0e-4 with 15 points and falls by 4 with half their distance.
fails "above" -n 15 --largest-error 7.9e-4
succeeds "largest error" -n 15 --largest-error 8.1e-4
succeeds "largest error" -n 31 --largest-error 2.03e-4

# One point: u = f / 6 at once.
succeeds "iterations 1" -n 1 --no-compare
succeeds "KokkosSparse matrix" -n 2
succeeds "speed against the matrix" -n 37

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --tolerance stdout || complain "--help does not tell all"

finish
