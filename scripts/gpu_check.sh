#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_check.sh: checks on a real GPU what cannot be checked without one.
#
#   gpu_check.sh --pack [FILE]        builds one self-contained archive
#                                     (default dist/flopsprof-gpu-check.tar.gz, < 60 MiB)
#   gpu_check.sh --run [--out FOLDER] [--python PYTHON]
#                                     on a machine with a GPU: at most 8 minutes, no network. In
#                                     the source tree packs first, which sets up and builds what
#                                     is missing (or takes --archive FILE), and writes to
#                                     docs/gpu-results; in the unpacked archive to
#                                     ./gpu-results. Default python3
#   gpu_check.sh --simulated [--archive FILE] [--out FOLDER] [--python PYTHON]
#                                     packs (or takes FILE), unpacks elsewhere and runs on the
#                                     stand-in GPU with nothing of the source tree; writes to
#                                     build/gpu-results
#   --only PART,...                   only questions with a PART in their id (tests/gpu)
#   --budget SECONDS                  for all of them together (450)
#   --contradict                      (simulated) each question under the fault script that makes
#                                     its assumption false
#
# Exit status: 0 every assumption held; 1 one is contradicted, or something has failed; 2 no GPU, or
# not the kind that was said; 3 nothing is contradicted, but not every question was answered.
#
# SIMGPU_FAULTS is the stand-in's fault script (tests of the checks themselves).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
max_mib=60

say() { printf 'gpu_check: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The word behind the first option of "$@".
value() { [[ ${2:-} ]] || die "$1 needs a value; see --help"; printf '%s\n' "$2"; }

mode='' file='' out='' python='' stage='' elsewhere='' more=()
while (($#)); do
  case $1 in
    --pack)
      mode=pack; shift
      if [[ ${1:-} && $1 != --* ]]; then file=$1; shift; fi ;;
    --run) mode=run; shift ;;
    --simulated) mode=simulated; shift ;;
    --archive) file=$(value "$@"); shift 2 ;;
    --out) out=$(value "$@"); shift 2 ;;
    --python) python=$(value "$@"); shift 2 ;;
    --only) given=$(value "$@"); more+=(--only "$given"); shift 2 ;;
    --contradict) more+=(--contradict); shift ;;
    --budget) given=$(value "$@"); more+=(--budget "$given"); shift 2 ;;
    -h | --help) sed -n '5,29s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown option $1; see --help" ;;
  esac
done

trap 'rm -rf "$stage" "$elsewhere"' EXIT

# What goes in: the product, the programs that need only torch, what judges them.
pack() {
  local root=$here/.. name=flopsprof-gpu-check
  [[ -f $root/CMakeLists.txt ]] || die "--pack needs the source tree"
  "$root/scripts/setup.sh"
  # FLOPSPROF_BUILD_DIR: pack what is already built there.
  local build=${FLOPSPROF_BUILD_DIR:-$root/build}
  [[ -n ${FLOPSPROF_BUILD_DIR:-} ]] || "$root/scripts/build.sh" > /dev/null
  file=${file:-$root/dist/$name.tar.gz}
  mkdir -p "$(dirname "$file")"
  file=$(cd "$(dirname "$file")" && pwd)/$(basename "$file")
  stage=$(mktemp -d)
  mkdir -p "$stage/$name"/{bin,lib,tests/programs,tests/golden}
  "$root/scripts/static_link.sh" "$stage/$name/bin/flopsprof"
  ln -s flopsprof "$stage/$name/bin/flopsprof-run"
  cp "$build/lib/libflopsprof_inject.so" "$stage/$name/lib/"
  strip --strip-unneeded "$stage/$name/lib/libflopsprof_inject.so"
  # What the product loads at run time from beside its library.
  if [[ -d $build/lib/flopsprof ]]; then
    cp -r "$build/lib/flopsprof" "$stage/$name/lib/"
  fi
  cp -r "$root/tests/programs/acceptance" "$stage/$name/tests/programs/"
  cp -r "$root/tests/support" "$root/tests/gpu" "$stage/$name/tests/"
  cp "$root/tests/golden/"{golden,modules}.json "$stage/$name/tests/golden/"
  cp "$root/scripts/gpu_check.sh" "$root/LICENSE" "$stage/$name/"
  python3 "$root/tests/gpu/check.py" > "$stage/questions.json"
  mv "$stage/questions.json" "$stage/$name/tests/gpu/"
  find "$stage" -name __pycache__ -prune -exec rm -rf {} +
  git -C "$root" describe --always --dirty > "$stage/$name/VERSION" 2> /dev/null ||
    echo unknown > "$stage/$name/VERSION"
  tar -C "$stage" --owner=0 --group=0 -czf "$file" "$name"
  local bytes
  bytes=$(stat -c %s "$file")
  ((bytes < max_mib << 20)) || die "$file has $bytes bytes, more than $max_mib MiB"
  say "packed $file ($((bytes >> 10)) KiB)"
}

# Unpacks the archive, made now when none was given, into a folder of its own: $elsewhere.
unpack() {
  if [[ -z $file ]]; then pack; fi
  file=$(realpath "$file")
  elsewhere=$(mktemp -d)
  tar -C "$elsewhere" -xzf "$file"
}

in_source_tree() { [[ -f $here/../CMakeLists.txt ]]; }

case $mode in
  pack)
    pack
    printf '%s\n' "$file"
    ;;
  run)
    python=${python:-$(command -v python3)} || die "no python3"
    "$python" -c 'import sys, torch; sys.exit(sys.version_info < (3, 10))' 2> /dev/null ||
      die "$python needs Python 3.10 or newer with torch (name another with --python)"
    folder=$here
    if in_source_tree; then
      out=${out:-$here/../docs/gpu-results}
      unpack
      folder=$elsewhere/flopsprof-gpu-check
    fi
    [[ -x $folder/bin/flopsprof ]] || die "run this in the source tree or the unpacked archive"
    PYTHONDONTWRITEBYTECODE=1 "$python" "$folder/tests/gpu/gpu_check.py" \
      --out "${out:-gpu-results}" "${more[@]}"
    ;;
  simulated)
    [[ -n $python ]] || python=$("$here/simgpu_env.sh" | tail -n 1)
    out=$(realpath -m "${out:-$here/../build/gpu-results}")
    unpack
    cd "$elsewhere"/flopsprof-gpu-check
    here=$PWD
    say "SIMULATED: on the stand-in GPU, from $PWD"
    # A clean environment: nothing of the caller's points back into the source tree.
    clean=(env -i "PATH=/usr/bin:/bin" "HOME=$HOME" "TMPDIR=${TMPDIR:-/tmp}")
    [[ -z ${SIMGPU_FAULTS:-} ]] || clean+=("SIMGPU_FAULTS=$SIMGPU_FAULTS")
    "${clean[@]}" PYTHONDONTWRITEBYTECODE=1 "$python" tests/gpu/gpu_check.py --simulated \
      --out "$out" "${more[@]}"
    ;;
  *) die "say --pack, --run or --simulated; see --help" ;;
esac
