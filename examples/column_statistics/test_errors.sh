#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/column_statistics path/to/volume.nii.gz
#
# Every error of column_statistics ends in one line on stderr, a status of 1 or 2, and no output file; tables of every
# kind that it accepts are correlated, and their correlations are what they should be. Needs no more than bash and
# coreutils.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

# succeeds <words that the output must have> <arguments>...
succeeds() {
  local words=$1
  shift
  rm -rf out
  mkdir out
  if ! "$program" "$@" --out-dir out >stdout 2>stderr </dev/null; then complain "status: $*"; fi
  if [[ -s stderr ]]; then complain "unexpected message: $*"; fi
  if [[ $(ls -A out | wc -l) != 1 || $(ls -A out) != *_correlation.png ]]; then complain "outputs: $(ls -A out): $*"; fi
  if [[ $(head -c 4 out/*.png | tail -c 3) != PNG ]]; then complain "no picture: $*"; fi
  if ! tr -s ' ' <stdout | grep -qF -- "$words"; then
    complain "the output lacks \"$words\": $*"
    sed 's/^/    /' stdout
  fi
}

# csv <file> <lines>...
csv() {
  local file=$1
  shift
  printf '%s\n' "$@" >"$file"
}

to=(--out-dir out)
csv good.csv a,b,c 1,2,4 2,4,3 3,6,2.5 4,8,-1

# The command line
fails "--every" --csv good.csv "${to[@]}" --every 0
fails "--every" --csv good.csv "${to[@]}" --every some
fails "--top" --csv good.csv "${to[@]}" --top -1
fails "--repeat" --csv good.csv "${to[@]}" --repeat 0
fails "--threads" --csv good.csv "${to[@]}" --threads -1
fails "--header" --csv good.csv "${to[@]}" --header maybe
fails "--separator" --csv good.csv "${to[@]}" --separator ""
fails "--separator" --csv good.csv "${to[@]}" --separator ";;"
fails "--separator" --csv good.csv "${to[@]}" --separator .
fails "--nonsense" --csv good.csv "${to[@]}" --nonsense
fails "--csv" --csv good.csv --volume "$volume" "${to[@]}"
fails "expected" good.csv "${to[@]}"

# Outputs
fails "folder does not exist" --csv good.csv --out-dir nowhere
mkdir -p folder/good_correlation.png
fails "is a folder" --csv good.csv --out-dir folder
fails_on_full_disk 1 --volume "$volume" --every 40 "${to[@]}"
notices_full_stdout --csv good.csv "${to[@]}"

# Inputs: files
fails "no such file" --csv missing.csv "${to[@]}"
fails "not a regular file" --csv folder "${to[@]}"
: >empty.csv
fails "empty" --csv empty.csv "${to[@]}"
csv blank.csv "" "  " ""
fails "blank" --csv blank.csv "${to[@]}"
head -c 5000 "$program" >noise.csv
fails "noise.csv" --csv noise.csv "${to[@]}"
fails "no such file" --volume missing.nii "${to[@]}"
fails "not a NIfTI-1 file" --volume good.csv "${to[@]}"

# Inputs: tables
csv names.csv a,b,c
fails "there are none" --csv names.csv "${to[@]}"
csv one.csv a,b,c 1,2,3
fails "only one" --csv one.csv "${to[@]}"
fails "only one" --csv good.csv --every 4 "${to[@]}"
csv ragged.csv a,b,c 1,2,3 "" 4,5
fails "line 4: has 2 columns, but the first line has 3" --csv ragged.csv "${to[@]}"
csv wide.csv 1,2 3,4,5
fails "line 2: has 3 columns, but the first line has 2" --csv wide.csv "${to[@]}"
csv word.csv a,b 1,2 3,four
fails 'line 3, column 2: "four" is not a number' --csv word.csv "${to[@]}"
csv partly.csv 1,2 3,4x
fails 'line 2, column 2: "4x" is not a number' --csv partly.csv "${to[@]}"
csv missing_cell.csv a,b,c 1,,3
fails "line 2, column 2: a value is missing" --csv missing_cell.csv "${to[@]}"
csv nan.csv a,b 1,2 nan,3 4,5
fails 'line 3, column 1: "nan" is not finite' --csv nan.csv "${to[@]}"
csv infinite.csv a,b 1,-inf 2,3
fails 'line 2, column 2: "-inf" is not finite' --csv infinite.csv "${to[@]}"
csv out_of_range.csv 1,2 1e999,3
fails 'line 2, column 1: "1e999" is not finite' --csv out_of_range.csv "${to[@]}"
csv skipped.csv 1,2 3,bad 4,5 6,7
fails 'line 2, column 2: "bad"' --csv skipped.csv --every 2 "${to[@]}"
csv mixed_names.csv name,2020 1,2 3,4
fails 'line 1, column 1: "name" is not a number' --csv mixed_names.csv "${to[@]}"
fails 'line 1, column 1: "a" is not a number' --csv good.csv --header no "${to[@]}"
csv quotes.csv '"a,b' 1,2
fails "line 1, column 1: the quotes are not closed" --csv quotes.csv "${to[@]}"
csv large.csv a,b 1e200,1 -1e200,2
fails "a: the values are too large" --csv large.csv "${to[@]}"
csv small.csv a,b 1,1e-170 2,2e-170 3,4e-170
fails "b: the values differ by too little" --csv small.csv "${to[@]}"
{ seq -s ' ' 10001; seq -s ' ' 10001; } >too_wide.csv
fails "10001 columns" --csv too_wide.csv --separator ' ' "${to[@]}"
{ header 2 8 3 20 1 1 1 1 1 1; zeros 20; } >one_sample.nii
fails "only one" --volume one_sample.nii "${to[@]}"

# What is accepted. The 3rd column of good.csv: r = -7.75 / sqrt(5 * 14.1875) with the first, by hand.
succeeds "+1.0000 a, b" --csv good.csv
succeeds "-0.9202 a, c" --csv good.csv
succeeds "Koalesce read" --csv good.csv --no-compare
csv nameless.csv 1,-2 2,-4 3,-6
succeeds "-1.0000 column 1, column 2" --csv nameless.csv
succeeds "-1.0000 1, -2" --csv nameless.csv --header yes
succeeds "+1.0000 name, 2020" --csv mixed_names.csv --header yes
printf '\xEF\xBB\xBF"first; ""name""";b\r\n+1;" 2 "\r\n\r\n 3;1e1\r\n' >windows.csv
succeeds '+1.0000 first; "name", b' --csv windows.csv --separator ';'
printf '1\t2\n3\t1' >tabs.csv
succeeds "-1.0000 column 1, column 2" --csv tabs.csv --separator tab
csv constant.csv a,b,c 1,0.1,3 2,0.1,1 3,0.1,2
succeeds "constant columns, which correlate with nothing 1: b" --csv constant.csv
succeeds "-0.5000 a, c" --csv constant.csv
csv single.csv a 1 2 3
succeeds "3 samples of 1 columns" --csv single.csv
csv all_constant.csv 1 1 1
succeeds "constant columns, which correlate with nothing 1: column 1" --csv all_constant.csv
# A mean that is large against the deviation: naive formulas lose it.
csv offset.csv a,b 1000000001,1000000003 1000000002,1000000001 1000000003,1000000002
succeeds "-0.5000 a, b" --csv offset.csv
{ seq -s ' ' 1500; seq -s ' ' 1500 -1 1; } >many.csv
succeeds "2 samples of 1500 columns" --csv many.csv --separator ' ' --repeat 1
{ header 2 8 3 20 24 16 1 1 1 1; head -c 7680 "$program"; } >good.nii
succeeds "384 samples of 20 columns" --volume good.nii
{ header 16 32 3 4 4 4 1 1 1 1; bytes 4 $((0x7fc00000)) $((0x7f800000)) $((0x42c80000)); zeros 244; } >not_finite.nii
succeeds "not finite, taken as 0 2" --volume not_finite.nii
succeeds "731 samples of 301 columns" --volume "$volume" --every 160 --repeat 1

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --separator stdout || complain "--help does not tell all"

finish
