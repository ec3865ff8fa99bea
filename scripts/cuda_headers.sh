#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# cuda_headers.sh: unpacks the headers of CUPTI and CUDA of every CUDA release from 12.0 that PyPI
# has, below the cache folder: for the tests that hold our declarations against each of them.
# Nothing is installed, and nothing is done for those that are there. About 15 MB to download each.
#
# Stdout: a line "VERSION FOLDER" for each.
set -euo pipefail
script_name=cuda_headers
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
folder=$cache_dir/cuda-headers
# The next one is added here.
versions=(13.0 12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9 13.1 13.2 13.3 13.4 13.5)

mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
for version in "${versions[@]}"; do
  to=$folder/$version
  if [[ ! -d $to ]]; then
    say "fetching the headers of CUDA $version"
    case $version in
      12.*) packages=("nvidia-cuda-cupti-cu12==$version.*" "nvidia-cuda-runtime-cu12==$version.*") ;;
      *) packages=("nvidia-cuda-cupti==$version.*" "nvidia-cuda-runtime==$version.*"
        "nvidia-cuda-crt==$version.*") ;;
    esac
    rm -rf "$to.new"
    mkdir -p "$to.new/wheels"
    "$tools_env/bin/python" -m pip download --disable-pip-version-check -q --no-cache-dir --no-deps \
      -d "$to.new/wheels" "${packages[@]}" >&2
    for wheel in "$to.new"/wheels/*.whl; do
      python3 -m zipfile -e "$wheel" "$to.new/unpacked"
    done
    mkdir "$to.new/include"
    cp -r "$to.new"/unpacked/nvidia/*/include/. "$to.new/include"
    # In CUDA 12 these few (attributes of the compiler) come with nvcc alone, 30 MB: 13.0's do.
    [[ $version == 12.* ]] && cp -r "$folder/13.0/include/crt" "$to.new/include"
    rm -rf "$to.new/wheels" "$to.new/unpacked"
    mv "$to.new" "$to"
  fi
  printf '%s %s\n' "$version" "$to/include"
done
