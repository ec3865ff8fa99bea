# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the other scripts: where things are, how they talk.

# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache_dir=${FLOPSPROF_CACHE_DIR:-$HOME/.cache/flopsprof}
tools_env=$cache_dir/tools-env
jobs=${JOBS:-$(nproc)}

say() { printf '%s: %s\n' "${script_name:-flopsprof}" "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# A driver and a card: what programs of this machine would really run on.
has_gpu() { [[ -e /dev/nvidia0 ]] && ldconfig -p 2> /dev/null | grep -q 'libcuda\.so\.1'; }
