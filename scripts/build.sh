#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# build.sh: builds the product into build/: bin/flopsprof, bin/flopsprof-run,
# lib/libflopsprof_inject.so. Needs no GPU and no stand-in GPU.
#
#   build.sh [--preset NAME] [TARGET ...]     default: preset release, target all
set -euo pipefail
script_name=build
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
targets=()
while (($#)); do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift 2 ;;
    -h | --help) sed -n 's/^# \{0,1\}//; 4,9p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) targets+=("$1"); shift ;;
  esac
done

cd "$root"
folder=build
[[ $preset == release ]] || folder=build-$preset
if [[ ! -f $folder/build.ninja ]]; then
  say "configuring preset $preset"
  cmake --preset "$preset" > "/tmp/flopsprof-cmake-$$.log" 2>&1 ||
    { cat "/tmp/flopsprof-cmake-$$.log" >&2; die "cmake failed"; }
  rm -f "/tmp/flopsprof-cmake-$$.log"
fi
say "building ${targets[*]:-all} in $folder with $jobs jobs"
nice ninja -C "$folder" -j "$jobs" "${targets[@]}" >&2
if [[ $preset == release && ${#targets[@]} -eq 0 ]]; then
  for file in bin/flopsprof bin/flopsprof-run lib/libflopsprof_inject.so; do
    [[ -e build/$file ]] || die "build/$file is missing after the build"
    printf '%s\n' "$root/build/$file"
  done
fi
