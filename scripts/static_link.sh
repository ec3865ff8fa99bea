#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# static_link.sh OUT: links bin/flopsprof of build/ (or FLOPSPROF_BUILD_DIR) once more, fully static and stripped, so
# that it runs on any x86-64 Linux. Needs a finished scripts/build.sh.
#
# Takes the objects and the project's own archives from ninja's link line and gives the rest
# as one group of static archives: pkg-config's own order does not link ("no state pushed
# before popping"), and CMake's imported targets name shared files.
set -euo pipefail
script_name=static_link
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
out=$(realpath -m "${1:?usage: static_link.sh OUT}")
build=${FLOPSPROF_BUILD_DIR:-$root/build}
cd "$build"

line=$(ninja -t commands bin/flopsprof | grep -E -- '-o bin/flopsprof( |$)' | tail -n 1)
[[ -n $line ]] || die "ninja has no link line for bin/flopsprof"
read -ra words <<< "$line"
inputs=()
for word in "${words[@]}"; do
  case $word in
    /*) ;;
    *.o | *.a) inputs+=("$word") ;;
  esac
done
((${#inputs[@]})) || die "no inputs in: $line"

mapfile -t libraries < <(pkg-config --static --libs grpc++ protobuf | tr ' ' '\n' |
  grep '^-l' | sort -u)
libraries+=(-lupb -lgpr -laddress_sorting -lre2 -lcares -lssl -lcrypto -lz -lzstd -lsqlite3)
# Named by path, or found where the linker looks anyway.
for name in $(printf '%s\n' "${words[@]}" |
    sed -nE 's/^(\/usr\/lib\/x86_64-linux-gnu\/lib(.*)\.(so|a).*|-l(.*))$/\2\4/p' | sort -u); do
  case $name in
    spdlog | fmt) ;;
    *) [[ -f /usr/lib/x86_64-linux-gnu/lib$name.a ]] && libraries+=("-l$name") ;;
  esac
done

mkdir -p "$(dirname "$out")"
logging=$out.o  # beside the output: two links may run at the same time
g++ -std=c++20 -O1 -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -c "$root/scripts/static_link.cc" \
  -o "$logging"
# getaddrinfo and friends still load the machine's resolver at run time: the linker warns.
g++ -static -s -Wl,--gc-sections -o "$out" "${inputs[@]}" "$logging" \
  -Wl,--start-group "${libraries[@]}" -Wl,--end-group -lpthread -ldl 2> "$out.log" ||
  { grep -v "statically linked applications" "$out.log" | head -n 20 >&2; die "link failed"; }
rm -f "$out.log" "$logging"
if readelf -d "$out" 2> /dev/null | grep -q NEEDED; then die "$out is not static"; fi
say "$out: $(stat -c %s "$out" | numfmt --to=iec) bytes"
