# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# What the test_errors.sh of the examples share: sourced with the arguments `path/to/program [path/to/volume.nii.gz]`, it
# goes to an empty folder. Needs no more than bash and coreutils.

set -u
program=$(realpath "$1")
volume=${2:+$(realpath "$2")}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LC_ALL=C OMP_PROC_BIND=false
failures=0

complain() {
  echo "FAILED: $1"
  sed 's/^/    /' stderr
  failures=$((failures + 1))
}

# The bytes of numbers, least significant first: bytes <size> <number>...; big-endian with `swap=1`.
swap=0
bytes() {
  local size=$1 number i order
  shift
  for number in "$@"; do
    for ((i = 0; i < size; ++i)); do
      order=$((swap ? size - 1 - i : i))
      printf "\\x$(printf %02x $((number >> (8 * order) & 255)))"
    done
  done
}

zeros() { head -c "$1" /dev/zero; }

# header <datatype> <bits> <8 dimensions> [slope, inter as IEEE bits]: a NIfTI-1 header in 352 bytes, no data.
header() {
  local datatype=$1 bits=$2 one=$((0x3f800000))
  bytes 4 348
  zeros 36
  bytes 2 "${@:3:8}"
  zeros 14
  bytes 2 "$datatype" "$bits" 0
  bytes 4 $one $one $one $one $one $one $one $one $((0x43b00000)) "${11:-0}" "${12:-0}"
  zeros 224
  printf 'n+1\0'
  zeros 4
}

# succeeds <words that the output must have> <arguments>...: for programs that write one picture, -p
succeeds() {
  local words=$1
  shift
  rm -rf out
  mkdir out
  if ! "$program" "$@" -p out/o.png >stdout 2>stderr </dev/null; then complain "status: $*"; fi
  if [[ -s stderr ]]; then complain "unexpected message: $*"; fi
  if [[ $(ls -A out) != "o.png" ]]; then complain "outputs: $(ls -A out): $*"; fi
  if [[ $(head -c 4 out/o.png | tail -c 3) != PNG ]]; then complain "no picture: $*"; fi
  if ! tr -s ' ' <stdout | grep -qF -- "$words"; then
    complain "the output lacks \"$words\": $*"
    sed 's/^/    /' stdout
  fi
}

# fails <words that the message must have> <arguments>...
fails() {
  local words=$1 status
  shift
  rm -rf out
  mkdir out
  "$program" "$@" >stdout 2>stderr </dev/null
  status=$?
  if ((status != 1 && status != 2)); then complain "status $status: $*"; fi
  if [[ $(wc -l <stderr) != 1 ]]; then complain "$(wc -l <stderr) lines on stderr: $*"; fi
  if ! grep -qF -- "$words" stderr; then complain "the message lacks \"$words\": $*"; fi
  if [[ -n $(ls -A out) ]]; then complain "it left $(ls -A out): $*"; fi
}

# fails_on_full_disk <limit on the size of files, which has the same effect, in KiB> <arguments>...
fails_on_full_disk() {
  local limit=$1
  shift
  (
    failures=0
    ulimit -f "$limit"
    fails "cannot be written" "$@"
    exit $failures
  ) || failures=$((failures + 1))
}

# notices_full_stdout <arguments>...
notices_full_stdout() {
  [[ -w /dev/full ]] || return 0
  "$program" "$@" >/dev/full 2>stderr && complain "a full standard output went unnoticed"
  if [[ $(wc -l <stderr) != 1 ]]; then complain "$(wc -l <stderr) lines on stderr for a full standard output"; fi
}

finish() {
  ((failures == 0)) && echo "all passed"
  exit $((failures > 0))
}
