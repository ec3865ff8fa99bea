#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# package.sh: makes a wheel that pip installs, by its symbols, on any x86-64 Linux with the glibc that
# its name says, without a compiler, other packages or PyTorch.
#
#   package.sh [FOLDER]     the folder that the wheel is written to (default dist/)
#
# In the wheel: flopsprof, fully static; flopsprof-run, which starts it; the library that goes into
# the job; the Python package with flopsprof.deepspeed; the licences of all of it. The last line of
# stdout is the path of the wheel. Sets up and builds what is missing.
#
# FLOPSPROF_BUILD_DIR   package what is already built in this folder
set -euo pipefail
script_name=package
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  -h | --help) sed -n '5,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) die "unknown option $1; see --help" ;;
esac
(($# <= 1)) || die "one folder at most; see --help"
max_mib=15
out=$(realpath -m "${1:-$root/dist}")
mkdir -p "$out" || die "cannot write to $out: give another folder"

build=$(realpath -m "${FLOPSPROF_BUILD_DIR:-$root/build}")
if [[ -z ${FLOPSPROF_BUILD_DIR:-} ]]; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh" product > /dev/null
fi
for file in build.ninja lib/libflopsprof_inject.so; do
  [[ -f $build/$file ]] || die "$build/$file is missing: run scripts/build.sh"
done

# Whose code is in the static program and in the library, as Debian names it.
linked=(
  libabsl-dev libc-ares-dev libc6-dev libcli11-dev libfmt-dev libgcc-12-dev libgrpc++-dev
  libiberty-dev libprotobuf-dev libre2-dev libspdlog-dev libsqlite3-dev libssl-dev
  libstdc++-12-dev libtomlplusplus-dev libzstd-dev nlohmann-json3-dev zlib1g-dev
)

stage=$(mktemp -d)
trap 'rm -rf "$stage"; end_children' EXIT
mkdir -p "$stage"/{scripts,data/lib/flopsprof,package,licenses/linked}
FLOPSPROF_BUILD_DIR=$build "$root/scripts/static_link.sh" "$stage/scripts/flopsprof"
gcc -static -Os -s -Wall -Werror -o "$stage/scripts/flopsprof-run" "$root/scripts/start_beside.c"
cp "$build/lib/libflopsprof_inject.so" "$stage/data/lib/flopsprof/"
strip --strip-unneeded "$stage/data/lib/flopsprof/libflopsprof_inject.so"
cp -r "$root/injector/shims/python/flopsprof" "$stage/package/"
find "$stage/package" -name __pycache__ -prune -exec rm -rf {} +
cp "$root/LICENSE" "$stage/licenses/"
for package in "${linked[@]}"; do
  cp -L "/usr/share/doc/$package/copyright" "$stage/licenses/linked/$package.txt" ||
    die "the licence of $package is not in /usr/share/doc: install it again with its copyright file"
done

version=$(sed -n 's/^project(flopsprof VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
wheel=$(python3 "$root/scripts/wheel.py" "$stage" "$version" "$out") || exit 1
bytes=$(stat -c %s "$wheel")
if ((bytes >= max_mib << 20)); then
  rm -f "$wheel"
  die "the wheel has $bytes bytes, more than $max_mib MiB"
fi
say "packed $wheel ($((bytes >> 10)) KiB)"
printf '%s\n' "$wheel"
