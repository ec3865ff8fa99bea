#!/bin/sh
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
# build.sh OUT: builds the stand-in libraries into the folder OUT (incremental).
# NVIDIA: .../site-packages/nvidia of an environment with the wheels of torch, of CUDA 12 or 13
#         (their headers, and the symbol names of the real libraries).
# HEADERS: a folder with the headers that CUDA 12 wheels lack (crt), as cuda_headers.sh makes it.
# JOBS:   parallel compilers (default 2).
set -eu
out=${1:?usage: build.sh OUT}
: "${NVIDIA:?path of site-packages/nvidia}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
python3 "$here/configure.py" --out "$out" --nvidia "$NVIDIA" ${HEADERS:+--headers "$HEADERS"}
exec ninja -k 0 -C "$out" -j "${JOBS:-2}"
