#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh [BUILD]: clang-tidy over what runs inside of other people's processes (injector/), with
# the compile commands of a build folder (default build). One line on stdout, "ok clang_tidy" or
# "FAIL clang_tidy"; findings go to stderr.
set -uo pipefail
script_name=tidy
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1
build=${1:-build}
[[ -f $build/compile_commands.json ]] ||
  die "$build/compile_commands.json is missing: run scripts/build.sh first"

# Of a file that is compiled as a part of another one the command of the nearest file is taken: none of
# the tests', whose headers GCC has compiled, which clang cannot read.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
python3 - "$build/compile_commands.json" "$commands/compile_commands.json" << 'EOF' || die "no compile commands"
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    kept = [entry for entry in json.load(file) if "cmake_pch" not in entry["command"]]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(kept, file)
EOF

# clang does not know all of GCC's optimisation options, and need not.
findings=$(git ls-files -z -- 'injector/*.cc' |
  xargs -0 -n 4 -P "$jobs" nice clang-tidy-14 -p "$commands" --quiet \
    --extra-arg=-Wno-ignored-optimization-argument 2> /dev/null)
status=$?
findings=$(grep -E '(warning|error):' <<< "$findings" | sort -u)
if ((status == 0)) && [[ -z $findings ]]; then
  echo 'ok clang_tidy'
else
  echo 'FAIL clang_tidy'
  printf '%s\n' "${findings:-clang-tidy ended with $status}" >&2
  exit 1
fi
