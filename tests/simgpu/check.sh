#!/bin/sh
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# check.sh OUT [PART]: builds the stand-in libraries into OUT and runs their tests, or those
# whose name contains PART. NVIDIA as for build.sh.
set -eu
out=${1:?usage: check.sh OUT [PART]}
part=${2:-}
: "${NVIDIA:?path of site-packages/nvidia}"
here=$(cd "$(dirname "$0")" && pwd)
"$here/build.sh" "$out"
out=$(cd "$out" && pwd)
work=$out/tests
mkdir -p "$work"
ccache=$(command -v ccache || true)
flags="-std=c++17 -O1 -g -Wall -Wextra -Wno-unused-parameter -I$here/tests
  -isystem $NVIDIA/cu13/include"
objects=
for source in "$here"/tests/*.cpp; do
  object=$work/$(basename "$source" .cpp).o
  # shellcheck disable=SC2086
  nice $ccache g++ $flags -c "$source" -o "$object"
  objects="$objects $object"
done
# shellcheck disable=SC2086
g++ $objects -o "$work/simgpu_test" "$out/libcudart.so.13" "$out/libcublas.so.13" \
  "$out/libcublasLt.so.13" "$out/libcupti.so.13" "$out/libcuda.so.1" -L"$out" -lgtest \
  -lpthread -ldl -Wl,-rpath,"$out"
LD_LIBRARY_PATH=$out "$work/simgpu_test" "$part"
[ -n "$part" ] && exit 0
for run in "$here"/*/tests/run.sh; do
  [ -e "$run" ] || continue
  "$run" "$out" "$work/$(basename "$(dirname "$(dirname "$run")")")"
done
