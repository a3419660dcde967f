#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/minor_planets
#
# Every error of minor_planets ends in one line on stderr, a status of 1 or 2, and no output file; what it accepts runs,
# and ends where another method does. Needs no more than bash and coreutils.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

to=(-p out/o.png -y 2)
cat >good.csv <<END
# name, elements
1 Ceres,2.76661904,0.0786357569,10.5867951,80.2664361,73.5316252,334.32717
3200 Phaethon,1.2714,0.8898,22.26,265.22,322.19,330.5

134340 Pluto,39.48,0.2488,17.14,110.3,113.8,14.5
END

# The command line
fails "--years" good.csv "${to[@]:0:2}" --years 0
fails "--years" good.csv "${to[@]:0:2}" --years 300
fails "--years" good.csv "${to[@]:0:2}" --years nan
fails "--years" good.csv "${to[@]:0:2}" --years long
fails "--tolerance" good.csv "${to[@]}" --tolerance 0
fails "--tolerance" good.csv "${to[@]}" --tolerance 1
fails "--clones" good.csv "${to[@]}" --clones 0
fails "--batch" good.csv "${to[@]}" --batch -1
fails "--check" good.csv "${to[@]}" --check -1
fails "--regroup" good.csv "${to[@]}" --regroup sometimes
fails "--threads" good.csv "${to[@]}" --threads -1
fails "--nonsense" good.csv "${to[@]}" --nonsense
fails "expected" good.csv another.csv "${to[@]}"

# Outputs
fails "must end in" good.csv -p out/o.jpg
fails "folder does not exist" good.csv -p nowhere/o.png
cp good.csv good.png
fails "overwrite the input" good.png -p ./out/../good.png
fails_on_full_disk 1 good.csv "${to[@]}" --no-compare
notices_full_stdout good.csv "${to[@]}" --no-compare

# Inputs
fails "no such file" missing.csv "${to[@]}"
mkdir -p folder.csv
fails "not a regular file" folder.csv "${to[@]}"
: >empty.csv
fails "empty" empty.csv "${to[@]}"
echo "# nothing" >none.csv
fails "no minor planets" none.csv "${to[@]}"
bad() {
  { head -n 2 good.csv; echo "$1"; } >bad.csv
  fails "line 3" bad.csv "${to[@]}"
}
bad "few,1,2,3"
bad "many,2.7,0.1,1,2,3,4,5"
bad "letters,2.7,0.1,1,2,3,four"
bad "units,2.7 AU,0.1,1,2,3,4"
bad "not finite,2.7,0.1,1,2,3,nan"
bad "hyperbola,-2.7,1.1,1,2,3,4"
bad "parabola,2.7,1,1,2,3,4"

# What is accepted, checked against another method
succeeds "the same in both runs" good.csv -y 20 --check 3
succeeds "farthest from the reference" good.csv -y 20 --check 3 --no-planets
succeeds "the same in both runs" good.csv -y 5 --clones 5 --batch 2 --regroup always
succeeds "3 minor planets, 4 orbits each" good.csv -y 1 --clones 4 --no-compare --regroup never --threads 1
succeeds "least" -y 0.1 --no-compare
head -n 2 good.csv >one.csv
succeeds "1 minor planets" one.csv -y 0.001

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --clones stdout || complain "--help does not tell all"

finish
