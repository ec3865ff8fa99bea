#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# build.sh: builds into build/: bin/flopsprof, bin/flopsprof-run, lib/libflopsprof_inject.so.
# Needs no GPU and no stand-in GPU.
#
#   build.sh [--preset NAME] [TARGET ...]     default: preset release, target all
#
# Target product is what a user runs and nothing else: `setup.sh build` installs all that it needs.
# Target all has tests and benchmarks too (`setup.sh test`), which are built against the headers of
# the stand-in GPU's environment where it is there.
set -euo pipefail
script_name=build
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
targets=()
while (($#)); do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift 2 ;;
    -h | --help) sed -n '5,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) targets+=("$1"); shift ;;
  esac
done

cd "$root"
folder=build
[[ $preset == release ]] || folder=build-$preset
mkdir -p "$folder"
# Two builds at once in one folder leave truncated objects.
exec 8> "$folder/build-lock"
flock 8

# A folder that was copied along with a clone builds in the one that it was copied from.
cached=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$folder/CMakeCache.txt" 2> /dev/null || true)
if [[ -n $cached && ! $cached -ef $folder ]]; then
  say "$folder was configured as $cached: configuring it anew"
  rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja" "$folder/configured-for"
fi

# Configures anew when what was found last time may not be what is there now: headers and
# libraries that came later, another home.
shopt -s nullglob
headers=("$sim_env"/lib/python3*/site-packages/nvidia/*/include)
configured=
[[ -f $folder/build.ninja && -f $folder/configured-for ]] && configured=$(< "$folder/configured-for")
# Of tests and benchmarks not even CMake knows where nothing but the product was ever asked for:
# their libraries (GoogleTest, Google Benchmark) are not among what a user installs.
tests=ON
[[ ${targets[*]} == product && $configured != *' tests=ON '* ]] && tests=OFF
# What a sanitizer slows down is not measured.
benchmarks=$tests
[[ $preset == *san ]] && benchmarks=OFF
found="$preset tests=$tests benchmarks=$benchmarks $tools_env $sim_env ${headers[*]}"
if [[ $configured != "$found" ]]; then
  say "configuring preset $preset"
  log=$root/build/logs/cmake-$preset.log
  mkdir -p "$(dirname "$log")"
  cmake --preset "$preset" -DFLOPSPROF_BUILD_TESTS=$tests \
    -DFLOPSPROF_BUILD_BENCHMARKS=$benchmarks -DFLOPSPROF_SIM_ENV="$sim_env" \
    -DFLOPSPROF_TOOLS_ENV="$tools_env" > "$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "cmake failed; all of its output: $log"
  }
  printf '%s' "$found" > "$folder/configured-for"
fi
# Objects of another clone are as good: paths below this one are relative to it in ccache's eyes.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-yes}
say "building ${targets[*]:-all} in $folder with $jobs jobs"
nice ninja -C "$folder" -j "$jobs" "${targets[@]}" >&2
if [[ $preset == release && (${#targets[@]} -eq 0 || ${targets[0]} == product) ]]; then
  for file in bin/flopsprof bin/flopsprof-run lib/libflopsprof_inject.so; do
    [[ -e build/$file ]] || die "build/$file is missing after the build"
    printf '%s\n' "$root/build/$file"
  done
fi
