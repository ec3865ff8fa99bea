#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# old_torch_envs.sh [VERSION ...]: makes Python environments with older PyTorch (2.4.1 and 2.8.0)
# in their CUDA 12 builds: for the tests of scopes and phases, on the CPU, and on CUDA 12. About
# 3 GB to download and 5 to 7 GB on disk each. Nothing is done for those that are there.
#
# Stdout: a line "VERSION PYTHON" for each.
set -euo pipefail
script_name=old_torch_envs
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

versions=("$@")
((${#versions[@]})) || versions=(2.4.1 2.8.0)

for version in "${versions[@]}"; do
  folder=$cache_dir/torch-$version
  python=$folder/bin/python
  mkdir -p "$folder"
  exec 9> "$folder.lock"
  flock 9
  site=$(echo "$folder"/lib/python3*/site-packages)
  if [[ -n $(missing_packages "$site" "torch==$version*") ]]; then
    need_disk 8 "$folder"
    say "installing PyTorch $version into $folder"
    make_venv "$folder"
    # No cache: the wheels would be on disk twice.
    "$python" -m pip install --disable-pip-version-check -q --no-cache-dir "torch==$version" >&2
  fi
  printf '%s %s\n' "$version" "$python"
  exec 9>&-
done
