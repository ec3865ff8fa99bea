#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# deepspeed_packages.sh: profilers whose reports flopsprof.deepspeed can write, for tests/deepspeed:
# the stand-alone package flops-profiler, and the one file of old versions of DeepSpeed that prints
# the report. In a folder of its own; DeepSpeed 0.19.8 itself is in the stand-in's environment.
# Prints the folder. Nothing is done when it is there.
set -euo pipefail
script_name=deepspeed_packages
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=$cache_dir/deepspeed-packages
mirror=flops-profiler==0.1.2
versions=(0.3.11 0.4.0 0.6.0)

mkdir -p "$cache_dir"
exec 9> "$folder.lock"
flock 9
if [[ ! -f $folder/stamp || $(< "$folder/stamp") != "$mirror ${versions[*]}" ]]; then
  say "fetching $mirror and DeepSpeed ${versions[*]} into $folder"
  rm -rf "$folder"
  mkdir -p "$folder"
  "$tools_env/bin/python" -m pip install --disable-pip-version-check -q -q --no-deps \
    --target "$folder/mirror" "$mirror" >&2
  pids=()
  for version in "${versions[@]}"; do
    # Its setup asks for torch and nvcc even to be downloaded.
    (CUDA_VISIBLE_DEVICES='' DS_BUILD_OPS=0 "$sim_env/bin/python" -m pip download \
      --disable-pip-version-check -q -q --no-deps --no-build-isolation --no-binary :all: \
      -d "$folder/$version" "deepspeed==$version" >&2
    tar xzf "$folder/$version/deepspeed-$version.tar.gz" -C "$folder/$version" --strip-components 4 \
      "deepspeed-$version/deepspeed/profiling/flops_profiler/profiler.py"
    rm "$folder/$version/deepspeed-$version.tar.gz") &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
  printf '%s' "$mirror ${versions[*]}" > "$folder/stamp"
fi
printf '%s\n' "$folder"
