#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/seismic_wave
#
# Every error of seismic_wave ends in one line on stderr, a status of 1 or 2, and no output file; what it accepts runs.
# Needs no more than bash and coreutils.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

to=(-p out/o.png -n 4 --no-compare)

# The command line
fails "--points" "${to[@]:0:2}" --points 3
fails "--points" "${to[@]:0:2}" --points 1025
fails "--points" "${to[@]:0:2}" --points many
fails "--model" "${to[@]}" --model prem
fails "--largest-error" "${to[@]}" --largest-error -1
fails "--checkpoint-every" "${to[@]}" --checkpoint-every 0
fails "--stop-after" "${to[@]}" --stop-after -1
fails "needs --checkpoint" "${to[@]}" --stop-after 3
fails "--threads" "${to[@]}" --threads -1
fails "--nonsense" "${to[@]}" --nonsense

# Outputs
fails "must end in" -p out/o.jpg
fails "folder does not exist" -p nowhere/o.png
mkdir -p folder.png
fails "is a folder" -p folder.png
fails "folder does not exist" "${to[@]}" --seismograms nowhere/o.csv
fails "overwrite another" "${to[@]}" --seismograms ./out/o.png
# MPI needs files of its own.
"$program" --help >stdout 2>stderr
if grep -q "without MPI" stdout; then
  fails_on_full_disk 1 "${to[@]}"
  fails "built without MPI" "${to[@]}" --checkpoint out/wave.h5
  fails "built without MPI" "${to[@]}" --restart out/wave.h5
fi
notices_full_stdout "${to[@]}"

# What is accepted
succeeds "fastest plain loop" -n 4
"$program" "${to[@]}" --model homogeneous --largest-error 1e-6 >stdout 2>stderr && complain "an error went unnoticed"
grep -q "above 1e-06" stderr || complain "the message does not say which error is accepted"
grep -q "largest misfit" stdout || complain "seismograms were not compared with the analytic ones"

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --largest-error stdout || complain "--help does not tell all"

finish
