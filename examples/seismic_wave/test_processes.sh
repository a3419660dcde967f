#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_processes.sh path/to/seismic_wave mpiexec <its option for the number of processes> [<other options>...]
#
# Seismograms and picture do not depend on the number of processes, nor on checkpoints and restarts; what is wrong with
# a checkpoint ends in one line of the program, without a wait for other processes. Needs no more than bash and
# coreutils.

mpiexec=("${@:2}")
set -- "$1" /dev/null
. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

# Ranks share the cores. Open MPI lets root run only if told twice.
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
points=8

# on <processes, 0: one without mpiexec> <arguments>...
on() {
  local start=()
  if (($1)); then start=("${mpiexec[@]:0:2}" "$1" "${mpiexec[@]:2}"); fi
  shift
  timeout 60 "${start[@]}" "$program" --points "$points" --no-compare "$@" >stdout 2>stderr </dev/null
}

# gives_the_same <processes> <arguments>...
gives_the_same() {
  rm -f wave.csv wave.png
  if ! on "$@" -p wave.png --seismograms wave.csv; then complain "status: $*"; fi
  cmp -s one.csv wave.csv || complain "other seismograms: $*"
  cmp -s one.png wave.png || complain "another picture: $*"
}

# stops <processes> <arguments>...
stops() {
  if ! on "$@"; then complain "status: $*"; fi
  grep -q "stopped after" stdout || complain "did not stop: $*"
}

# refuses <words that the message must have> <processes> <arguments>...
refuses() {
  local words=$1 status
  shift
  on "$@" -p refused.png
  status=$?
  if ((status == 0 || status >= 124)); then complain "status $status: $*"; fi
  if [[ $(grep -c '^seismic_wave: ' stderr) != 1 ]]; then complain "not one line: $*"; fi
  if ! grep '^seismic_wave: ' stderr | grep -qF -- "$words"; then complain "the message lacks \"$words\": $*"; fi
  if [[ -e refused.png ]]; then complain "it left a picture: $*"; fi
}

on 0 -p one.png --seismograms one.csv || complain "without mpiexec"
grep -q ^seconds, one.csv || complain "no seismograms"

for ranks in 1 2 4; do gives_the_same $ranks; done

# Stops after the first of three snapshots, after all of them, and goes on with other numbers of processes.
stops 3 --checkpoint wave.h5 --checkpoint-every 30 --stop-after 71
gives_the_same 2 --restart wave.h5
cp wave.h5 early.h5
cp wave.h5.record early.h5.record
stops 2 --checkpoint wave.h5 --restart wave.h5 --stop-after 110
gives_the_same 4 --restart wave.h5 --checkpoint again.h5 --checkpoint-every 9
gives_the_same 1 --restart again.h5

# A run that ends after it has written the record, and before the fields.
cp early.h5 ahead.h5
cp wave.h5.record ahead.h5.record
gives_the_same 3 --restart ahead.h5

# What is wrong
cp wave.h5 behind.h5
cp early.h5.record behind.h5.record
refuses "are not of one run" 2 --restart behind.h5
cp wave.h5 cut.h5
head -c 5000 wave.h5.record >cut.h5.record
refuses "cut.h5.record: is not complete" 3 --restart cut.h5
cp wave.h5 alone.h5
refuses "alone.h5.record: no such file" 0 --restart alone.h5
cp one.csv text.h5
cp wave.h5.record text.h5.record
refuses "text.h5" 2 --restart text.h5
refuses "none.h5: no such file" 0 --restart none.h5
refuses "another experiment" 2 --restart wave.h5 --model homogeneous
points=9 refuses "another experiment" 0 --restart wave.h5
refuses "more than 110" 0 --restart wave.h5 --checkpoint late.h5 --stop-after 50
refuses "folder does not exist" 0 --checkpoint nowhere/wave.h5
refuses "overwrite the input" 0 --restart wave.h5 --seismograms ./wave.h5
refuses "overwrite the input" 0 --restart wave.h5 --seismograms wave.h5.record
refuses "overwrite the input" 0 --restart wave.h5 --checkpoint wave.h5.record
refuses "overwrite another" 0 --checkpoint late.h5 --seismograms late.h5.record

# One process alone fails: it ends the job.
timeout 60 "${mpiexec[@]:0:2}" 1 "${mpiexec[@]:2}" "$program" --no-compare : "${mpiexec[@]:1:1}" 1 "$program" --nonsense \
  >stdout 2>stderr </dev/null
status=$?
if ((status == 0 || status >= 124)); then complain "status $status where one process fails"; fi
grep -q "process 1: .*--nonsense" stderr || complain "no message of the process that fails"

finish
