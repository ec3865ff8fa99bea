#!/bin/sh
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# run.sh SIMGPU WORK [GTEST OPTIONS]: compiles the tests of the stand-in libcudnn into the
# folder WORK and runs them on the libraries that build.sh wrote into SIMGPU.
# NVIDIA: .../site-packages/nvidia, whose headers are used and whose real libcudnn_*.so.9
#         stand behind the stand-in.
set -eu
simgpu=$(cd "${1:?usage: run.sh SIMGPU WORK}" && pwd)
mkdir -p "${2:?usage: run.sh SIMGPU WORK}"
work=$(cd "$2" && pwd)
shift 2
: "${NVIDIA:?path of site-packages/nvidia}"
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$simgpu" SIMGPU_CUDNN_DIR="$NVIDIA/cudnn/lib"
for source in "$here"/*_test.cpp; do
  program=$work/$(basename "$source" .cpp)
  nice g++ -std=c++17 -O1 -g -Wall -Wextra -Wno-deprecated-declarations -I"$here/.." \
    -isystem "$NVIDIA/cu13/include" -isystem "$NVIDIA/cudnn/include" "$source" \
    "$here/../rnn_layout.cpp" -o "$program" "$simgpu/libcudnn.so.9" \
    "$simgpu/libcudart.so.13" -L"$simgpu" -lgmock -lgtest -lgtest_main
  "$program" "$@"
done
# Without the real library, plans made by hand say the same of a graph.
SIMGPU_CUDNN_DIR=/nonexistent "$work/plan_test" --gtest_filter='*JsonDescribes*:*Launches*'
