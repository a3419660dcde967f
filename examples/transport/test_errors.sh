#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/transport path/to/volume.nii.gz
#
# Every error of transport ends in one line on stderr, a status of 1 or 2, and no output file; what it accepts runs, and
# has the same dose however its histories are worked on. Needs no more than bash and coreutils.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

# dose <arguments>...: sets `fingerprint`, a number that says what every cell absorbed.
dose() {
  succeeds "dose " "$@"
  fingerprint=$(sed -n 's/^dose  *\([0-9a-f]*\).*/\1/p' stdout)
}

to=(-p out/o.png -n 100)
{ header 2 8 3 20 24 16 1 1 1 1; head -c 7680 "$program"; } >good.nii

# The command line
fails "--photons" good.nii "${to[@]}" --photons 0
fails "--photons" good.nii "${to[@]}" --photons -5
fails "--photons" good.nii "${to[@]}" --photons many
fails "--photons" good.nii "${to[@]}" --photons 1e30
fails "--photons" good.nii "${to[@]}" --photons 1000000000000
fails "--photons" good.nii "${to[@]}" --photons 99999999999999999999999
fails "--batch" good.nii "${to[@]}" --batch -1
fails "--batch" good.nii "${to[@]}" --batch 1000000000000
fails "--seed" good.nii "${to[@]}" --seed -1
fails "--seed" good.nii "${to[@]}" --seed any
fails "--regroup" good.nii "${to[@]}" --regroup sometimes
fails "--beam" good.nii "${to[@]}" --beam below
fails "--threads" good.nii "${to[@]}" --threads -1
fails "--nonsense" good.nii "${to[@]}" --nonsense
fails "expected" good.nii another.nii "${to[@]}"

# Outputs
fails "must end in" good.nii -p out/o.jpg
fails "folder does not exist" good.nii -p nowhere/o.png
mkdir -p folder.png
fails "is a folder" good.nii -p folder.png
cp good.nii good.png
fails "overwrite the input" good.png -p ./out/../good.png
fails_on_full_disk 1 "$volume" "${to[@]}" --no-compare
notices_full_stdout good.nii "${to[@]}" --no-compare

# Inputs
fails "no such file" missing.nii "${to[@]}"
fails "not a regular file" folder.png "${to[@]}"
: >empty.nii
fails "empty" empty.nii "${to[@]}"
echo "This is no volume." >text.nii
fails "not a NIfTI-1 file" text.nii "${to[@]}"
head -c 8000 good.nii >data_cut.nii
fails "truncated" data_cut.nii "${to[@]}"
{ header 2 8 4 20 24 16 3 1 1 1; zeros 23040; } >series.nii
fails "only 3-D" series.nii "${to[@]}"
{ header 2 8 3 20 24 16 1 1 1 1; zeros 7680; } >constant.nii
fails "same value" constant.nii "${to[@]}"
{ header 2 8 3 3000 2 1 1 1 1 1; head -c 6000 "$program"; } >long.nii
fails "2 m" long.nii "${to[@]}"

# What is accepted
for side in right left front back top; do succeeds "none" good.nii "${to[@]:2}" --beam "$side"; done
succeeds "none" good.nii -n 1
succeeds "none" good.nii -n 2000 --no-skull
succeeds "none" good.nii -n 2000 --batch 1
{ header 2 8 3 1 1 2 1 1 1 1; printf 'ab'; } >tiny.nii
succeeds "none" tiny.nii "${to[@]:2}"
succeeds "none" tiny.nii "${to[@]:2}" --no-skull
{ header 16 32 3 4 4 4 1 1 1 1; bytes 4 $((0x7fc00000)) $((0x7f800000)) $((0x42c80000)); zeros 244; } >not_finite.nii
succeeds "not finite, taken as 0 2" not_finite.nii "${to[@]:2}"

# The same histories, whatever is done first
dose good.nii -n 2000 --no-compare --regroup never
expected=$fingerprint
[[ $expected =~ ^[0-9a-f]{16}$ ]] || complain "no fingerprint: $expected"
same() {
  dose good.nii -n 2000 "$@"
  [[ $fingerprint == "$expected" ]] || complain "dose $fingerprint, not $expected: $*"
}
same --regroup always
same --regroup automatic
same --no-compare --regroup always --threads 1
same --no-compare --regroup always --batch 77
same --no-compare --regroup automatic --batch 100
same --no-compare --regroup automatic --decisions
dose good.nii -n 2000 --no-compare --seed 2
[[ $fingerprint != "$expected" ]] || complain "the seed has no effect"

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --regroup stdout || complain "--help does not tell all"

finish
