#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# check_injector_abi.sh LIB: is LIB fit to be loaded into other people's processes?
#   it needs libc and libdl (and the loader) only;
#   it asks for no symbol version above GLIBC_2.28, and for nothing of libstdc++;
#   it exports the hooks of injector/hooks/table/api_table.toml and of injector/operations, the entry
#   points and flopsprof_*, and nothing else; and of the hooks it misses none.
# Prints what is wrong and exits with 1; exits with 0 and one line otherwise.
set -euo pipefail

if (($# != 1)) || [[ ! -r ${1:-} ]]; then
  echo "usage: check_injector_abi.sh LIB" >&2
  exit 2
fi
library=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
newest_allowed=2.28
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
complain() {
  echo "check_injector_abi: $*" >&2
  wrong=1
}

readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' > "$work/needed"
while read -r name; do
  case $name in
    libc.so.6 | libdl.so.2 | ld-linux-x86-64.so.2) ;;
    *) complain "needs $name" ;;
  esac
done < "$work/needed"
[[ -s $work/needed ]] || complain "needs nothing: is it a shared library?"

readelf -V "$library" | grep -oE 'Name: [A-Z]+_[0-9.]+' | sed 's/Name: //' | sort -Vu > "$work/versions"
while read -r version; do
  number=${version#GLIBC_}
  if [[ $version != GLIBC_* ]]; then
    complain "asks for $version"
  elif [[ $(printf '%s\n%s\n' "$number" "$newest_allowed" | sort -V | tail -n 1) != "$newest_allowed" ]]; then
    complain "asks for $version, above GLIBC_$newest_allowed"
  fi
done < "$work/versions"
[[ -s $work/versions ]] || complain "asks for no symbol version at all"

# Python may end a thread of ours by pthread_exit, which unwinds it: a function that lets nothing pass
# would end the process.
sections=$(readelf -SW "$library")
[[ $sections == *.eh_frame* ]] || complain "has no unwind table"
[[ $sections != *.gcc_except_table* ]] || complain "has handlers of exceptions"

python3 "$root/injector/hooks/table/generate_hooks.py" "$root/injector/hooks/table/api_table.toml" \
  symbols "$work/hooks"
python3 "$root/injector/operations/list_symbols.py" > "$work/operations"
[[ -s $work/operations ]] || complain "injector/operations has no hooks"
{
  cat "$work/hooks" "$work/operations"
  echo InitializeInjection
} | sort > "$work/required"
nm -D --defined-only "$library" | awk '{print $3}' | sort > "$work/exported"
while read -r name; do
  complain "does not export $name"
done < <(comm -23 "$work/required" "$work/exported")
while read -r name; do
  case $name in
    InitializeInjectionNvtx2 | InitializeInjectionNvtxExtension | flopsprof_*) ;;
    *) complain "exports $name" ;;
  esac
done < <(comm -13 "$work/required" "$work/exported")

((wrong == 0)) || exit 1
echo "check_injector_abi: $(wc -l < "$work/exported") exported symbols," \
  "newest version $(tail -n 1 "$work/versions"): fit"
