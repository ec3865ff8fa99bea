#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh: checks that need no build. One line per check, "ok NAME" or "FAIL NAME"; what
# is wrong goes to stderr. Reads only files that git tracks.
set -uo pipefail
script_name=lint
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1

failed=0

# verdict NAME LINES: LINES are what is wrong.
verdict() {
  if [[ -z $2 ]]; then
    printf 'ok %s\n' "$1"
  else
    failed=1
    printf 'FAIL %s\n' "$1"
    printf '%s\n' "$2" | head -n 20 | sed "s/^/  $1: /" >&2
  fi
}

# Tracked files that are there, by pathspec; deleted but not yet committed ones left out.
files() { git ls-files -z -- "$@" | xargs -0r ls -1d 2> /dev/null; }

cxx_format() {
  files '*.h' '*.cc' '*.cpp' '*.c' | xargs -r -n 40 -P "$jobs" clang-format-14 --dry-run 2>&1 |
    sed -n 's/^\([^ ]*\):[0-9]*:[0-9]*: warning: .*/\1: not formatted as .clang-format says/p' |
    sort -u
}

spdx_lines() {
  files '*.h' '*.cc' '*.cpp' '*.c' '*.py' '*.sh' '*.proto' '*.cmake' '*CMakeLists.txt' '.ci/run' |
    xargs -r grep -L 'SPDX-License-Identifier: Apache-2.0' | sed 's/$/: no SPDX lines/'
}

# Which folders a folder may include (docs/interfaces.md). Headers of one's own folder and
# below are always right.
include_direction() {
  python3 tests/support/include_direction.py
}

folder_readmes() {
  local folder
  files 'injector' 'collector' 'viewer' 'proto' 'tests' 'scripts' |
    sed -n 's|^\([^/]*\(/[^/]*\)\?\)/[^/]*$|\1|p' | sort -u | while read -r folder; do
      case $folder in
        tests/unit | proto/flopsprof) continue ;;
      esac
      [[ -f $folder/README.md || -f $folder/FORMAT.md ]] || echo "$folder: no README.md"
    done
}

# The project must build and test where it is cloned: no absolute path of one machine.
machine_paths() {
  files . | grep -v '^tests/golden/' |
    xargs -r grep -nIE '(^|[^[:alnum:]_])/(work|root)/[[:alnum:]_.-]+|/home/[a-z]+/' |
    grep -v '^scripts/lint.sh:' | cut -c1-160
}

shell_syntax() {
  local file
  files '*.sh' '.ci/run' | while read -r file; do
    bash -n "$file" 2>&1
    [[ -x $file || $file == scripts/common.sh ]] || echo "$file: not executable"
  done
}

python_syntax() {
  files '*.py' | xargs -r python3 -c '
import ast, sys
for path in sys.argv[1:]:
    try:
        ast.parse(open(path, encoding="utf-8").read(), path)
    except SyntaxError as error:
        print(f"{path}:{error.lineno}: {error.msg}")' 2>&1
}

verdict format "$(cxx_format)"
verdict spdx "$(spdx_lines)"
verdict include_direction "$(include_direction 2>&1)"
verdict architecture "$(python3 scripts/draw_architecture.py --check 2>&1)"
verdict locks "$(python3 tests/support/lock_list.py 2>&1)"
verdict function_length "$(python3 tests/support/function_length.py 2>&1)"
verdict folder_readmes "$(folder_readmes)"
verdict machine_paths "$(machine_paths)"
verdict shell_syntax "$(shell_syntax)"
verdict python_syntax "$(python_syntax)"
exit "$failed"
