#!/bin/sh
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# run.sh SIMGPU WORK: compiles the tests of the stand-in libnccl into the folder WORK and runs
# them on the libraries that build.sh wrote into SIMGPU.
# NVIDIA: .../site-packages/nvidia, whose headers are used.
set -eu
simgpu=$(cd "${1:?usage: run.sh SIMGPU WORK}" && pwd)
mkdir -p "${2:?usage: run.sh SIMGPU WORK}"
work=$(cd "$2" && pwd)
: "${NVIDIA:?path of site-packages/nvidia}"
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$simgpu"

# test_program NAME SOURCE...: compiles and runs one program.
test_program() {
  name=$1
  shift
  nice g++ -std=c++17 -O1 -g -Wall -Wextra -Wno-missing-field-initializers -I"$here/.." \
    -isystem "$NVIDIA/cu13/include" -isystem "$NVIDIA/nccl/include" "$here/$name.cpp" "$@" \
    -o "$work/$name" -lgmock -lgtest -lpthread
  "$work/$name"
}
test_program reduction_test "$here/../reduction.cpp" -lgtest_main
test_program rendezvous_test "$here/../rendezvous.cpp"
test_program nccl_test "$simgpu/libnccl.so.2" "$simgpu/libcudart.so.13" -lgtest_main -L"$simgpu"
