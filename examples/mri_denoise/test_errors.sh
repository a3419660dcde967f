#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: test_errors.sh path/to/mri_denoise path/to/volume.nii.gz
#
# Every error of mri_denoise ends in one line on stderr, a status of 1 or 2, and no output file; small volumes of every
# kind that it accepts are denoised. Needs no more than bash and coreutils.

. "$(dirname "${BASH_SOURCE[0]}")/../common/test_support.sh"

# succeeds <bytes that the output has> <arguments>...
succeeds() {
  local size=$1
  shift
  rm -rf out
  mkdir out
  if ! "$program" "$@" -o out/o.nii -p out/o.png >stdout 2>stderr </dev/null; then complain "status: $*"; fi
  if [[ -s stderr ]]; then complain "unexpected message: $*"; fi
  if [[ $(ls -A out | tr '\n' ' ') != "o.nii o.png " ]]; then complain "outputs: $(ls -A out): $*"; fi
  if [[ $(stat -c %s out/o.nii) != "$size" ]]; then complain "o.nii has $(stat -c %s out/o.nii) bytes: $*"; fi
}

to=(-o out/o.nii.gz -p out/o.png --no-compare -n 1)
{ header 2 8 3 20 24 16 1 1 1 1; head -c 7680 "$program"; } >good.nii

# The command line
fails "--steps" good.nii "${to[@]}" --steps 0
fails "--steps" good.nii "${to[@]}" --steps -3
fails "--steps" good.nii "${to[@]}" --steps many
fails "--step" good.nii "${to[@]}" --step 1.5
fails "--step" good.nii "${to[@]}" --step nan
fails "--k" good.nii "${to[@]}" --k -1
fails "--k" good.nii "${to[@]}" --k inf
fails "--add-noise" good.nii "${to[@]}" --add-noise 1000
fails "--threads" good.nii "${to[@]}" --threads -1
fails "--nonsense" good.nii "${to[@]}" --nonsense
fails "expected" good.nii another.nii "${to[@]}"
fails "" good.nii "${to[@]}" -o

# Outputs
fails "must end in" good.nii -o out/o.txt -p out/o.png
fails "must end in" good.nii -o out/o.nii -p out/o.jpg
fails "must end in" good.nii -o /dev/full -p out/o.png
fails "overwrite the input" good.nii -o good.nii -p out/o.png
fails "overwrite the input" good.nii -o ./out/../good.nii -p out/o.png
fails "folder does not exist" good.nii -o nowhere/o.nii -p out/o.png
fails "folder does not exist" good.nii -o out/o.nii -p nowhere/o.png
mkdir -p folder.nii
fails "is a folder" good.nii -o folder.nii -p out/o.png

# Inputs
fails "no such file" missing.nii "${to[@]}"
fails "not a regular file" folder.nii "${to[@]}"
: >empty.nii
fails "empty" empty.nii "${to[@]}"
echo "This is no volume." >text.nii
fails "not a NIfTI-1 file" text.nii "${to[@]}"
head -c 5000 "$program" >noise.nii
fails "not a NIfTI-1 file" noise.nii "${to[@]}"
cp noise.nii noise.nii.gz
fails "not a NIfTI-1 file" noise.nii.gz "${to[@]}"
head -c 300 good.nii >header_cut.nii
fails "not a NIfTI-1 file" header_cut.nii "${to[@]}"
head -c 8000 good.nii >data_cut.nii
fails "truncated" data_cut.nii "${to[@]}"
head -c 352 good.nii >no_data.nii
fails "truncated" no_data.nii "${to[@]}"
head -c 1000000 "$volume" >volume_cut.nii.gz
fails "truncated" volume_cut.nii.gz "${to[@]}"
gzip -c good.nii >good.nii.gz
head -c -6 good.nii.gz >checksum_cut.nii.gz
fails "truncated" checksum_cut.nii.gz "${to[@]}"
for cut in 1 4 8 9; do
  head -c -$cut good.nii.gz >end_cut.nii.gz
  fails "truncated" end_cut.nii.gz "${to[@]}"
done
{ head -c -8 good.nii.gz; printf '12345678'; } >checksum_bad.nii.gz
fails "damaged" checksum_bad.nii.gz "${to[@]}"
header 2 8 3 32767 32767 32767 1 1 1 1 >huge.nii
fails "truncated" huge.nii "${to[@]}"
{ header 2 8 3 0 24 16 1 1 1 1; zeros 7680; } >zero.nii
fails "0 points" zero.nii "${to[@]}"
{ header 2 8 3 20 -24 16 1 1 1 1; zeros 7680; } >negative.nii
fails "-24 points" negative.nii "${to[@]}"
{ header 2 8 4 20 24 16 3 1 1 1; zeros 23040; } >series.nii
fails "only 3-D" series.nii "${to[@]}"
{ header 2 8 2 20 24 1 1 1 1 1; zeros 480; } >plane.nii
fails "only 3-D" plane.nii "${to[@]}"
{ header 32 64 3 20 24 16 1 1 1 1; zeros 61440; } >complex.nii
fails "not supported" complex.nii "${to[@]}"
{ header 128 24 3 20 24 16 1 1 1 1; zeros 23040; } >color.nii
fails "not supported" color.nii "${to[@]}"
{ header 2 8 3 20 24 16 1 1 1 1; zeros 7680; } >constant.nii
fails "same value" constant.nii "${to[@]}"

# A disk that is full
{ header 2 8 3 200 200 100 1 1 1 1; gzip -dc "$volume" | tail -c 20000000 | head -c 4000000; } >large.nii
limited() { fails_on_full_disk "$1" large.nii -o "$2" -p out/o.png --no-compare -n 1 --float --add-noise 5; }
limited 1 out/o.nii.gz     # the picture does not fit
limited 2048 out/o.nii     # the picture does, the volume does not
limited 2048 out/o.nii.gz
notices_full_stdout good.nii "${to[@]}"

# What is accepted
succeeds 8032 good.nii -n 2
succeeds 8032 good.nii.gz -n 2 --add-noise 5
{ head -c 5000 good.nii | gzip -c; tail -c +5001 good.nii | gzip -c; } >two_members.nii.gz
succeeds 8032 two_members.nii.gz -n 2
{ cat good.nii.gz; zeros 100; } >padded.nii.gz
succeeds 8032 padded.nii.gz -n 2
cp good.nii not_compressed.nii.gz
succeeds 8032 not_compressed.nii.gz -n 2
succeeds 31072 good.nii -n 2 --float
{ header 2 8 4 20 24 16 1 1 1 1; head -c 7680 "$program"; } >one_of_a_series.nii
succeeds 8032 one_of_a_series.nii -n 2 --no-compare
{ header 2 8 3 1 1 2 1 1 1 1; printf 'ab'; } >tiny.nii
succeeds 354 tiny.nii -n 2
for kind in 256:8 4:16 512:16 8:32 768:32 16:32; do
  { header "${kind%:*}" "${kind#*:}" 3 20 24 16 1 1 1 1; head -c $((960 * ${kind#*:})) "$program"; } >typed.nii
  succeeds $((352 + 960 * ${kind#*:})) typed.nii -n 2 --no-compare
done
{ header 64 64 3 20 24 16 1 1 1 1; head -c 61440 "$program"; } >double.nii
succeeds 31072 double.nii -n 2 --no-compare
{ header 16 32 3 4 4 4 1 1 1 1; bytes 4 $((0x7fc00000)) $((0x7f800000)) $((0x42c80000)); zeros 244; } >not_finite.nii
succeeds 608 not_finite.nii -n 2 --no-compare
grep -q "not finite.* 2$" stdout || complain "voxels that are not finite are not counted"
{ header 16 32 3 4 4 4 1 1 1 1; bytes 4 $((0x7f7fffff)) $((0xff7fffff)) $((0x42c80000)); zeros 244; } >largest.nii
succeeds 608 largest.nii -n 2 --no-compare
grep -q "not finite.* 2$" stdout || complain "voxels whose squares overflow are not counted"
succeeds 8032 good.nii -n 2 --no-compare --k 1e-30

# Scaling and byte order: 2 x 2 x 2 points of 258 and 514, a step of nearly nothing, big-endian, slope 2 and inter 1.
swap=1
{ header 4 16 3 2 2 2 1 1 1 1 $((0x40000000)) $((0x3f800000)); bytes 2 258 514 258 514 258 514 258 514; } >big.nii
swap=0
succeeds 368 big.nii -n 1 --k 1e-6 --no-compare
[[ $(tail -c 16 out/o.nii | od -An -v -t u2 | tr -s ' \n' ' ') == " 258 514 258 514 258 514 258 514 " ]] ||
  complain "big-endian data came back as $(tail -c 16 out/o.nii | od -An -v -t u2)"

"$program" --help >stdout 2>stderr || complain "--help"
grep -q -- --add-noise stdout || complain "--help does not tell all"

finish
