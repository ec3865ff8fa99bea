#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# python_versions.sh: unpacks CPython 3.9, 3.13, 3.14 and 3.15 from Debian 11, 13 and 14 below the
# cache folder, beside Debian 12's own 3.11: for the tests of module hooks on any Python. Nothing is
# installed, and nothing is done when they are there. 3.8, 3.10 and 3.12 are in no Debian release and not on
# PyPI: tests use them where the machine has them.
#
# Stdout: a line "VERSION PYTHON" for each.
set -euo pipefail
script_name=python_versions
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
folder=$cache_dir/pythons
mirror=http://deb.debian.org/debian

# unpack VERSION RELEASE PACKAGE...: where libc6 is among the packages (a release newer than ours),
# that is the Python's libc.
unpack() {
  local version=$1 release=$2 to=$folder/$1 apt
  shift 2
  apt=$(mktemp -d)
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  # The release's key is in the keyring of any Debian; apt checks it.
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "$mirror" "$release" > "$apt/sources.list"
  local options=(
    -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt" -o Dir::State::status=/dev/null
    -o APT::Sandbox::User=root
  )
  say "fetching Python $version from Debian's $release"
  apt-get "${options[@]}" update >&2
  (cd "$apt" && apt-get "${options[@]}" download "python$version-minimal" \
    "libpython$version-minimal" "libpython$version-stdlib" "$@" >&2)
  rm -rf "$to.new"
  mkdir -p "$to.new/root" "$to.new/bin"
  for package in "$apt"/*.deb; do dpkg -x "$package" "$to.new/root"; done
  rm -rf "$apt"
  cat > "$to.new/bin/python$version" << 'END'
#!/bin/sh
# Python of another Debian release, with that release's libraries.
here=$(cd "$(dirname "$0")/.." && pwd)/root
libraries=$here/lib/x86_64-linux-gnu:$here/usr/lib/x86_64-linux-gnu
python=$here/usr/bin/VERSION
loader=$here/usr/lib64/ld-linux-x86-64.so.2
export PYTHONHOME="$here/usr"
if [ -e "$loader" ]; then
  exec "$loader" --library-path "$libraries" "$python" "$@"
fi
LD_LIBRARY_PATH=$libraries exec "$python" "$@"
END
  sed -i "s/VERSION/python$version/" "$to.new/bin/python$version"
  chmod +x "$to.new/bin/python$version"
  rm -rf "$to"
  mv "$to.new" "$to"
}

mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
[[ -x $folder/3.9/bin/python3.9 ]] || unpack 3.9 bullseye libffi7 libexpat1 zlib1g
[[ -x $folder/3.13/bin/python3.13 ]] || unpack 3.13 trixie libc6 libffi8 libexpat1 zlib1g
[[ -x $folder/3.14/bin/python3.14 ]] || unpack 3.14 forky libc6 libffi8 libexpat1 zlib1g
[[ -x $folder/3.15/bin/python3.15 ]] || unpack 3.15 forky libc6 libffi8 libexpat1 zlib1g
for version in 3.9 3.13 3.14 3.15; do
  printf '%s %s\n' "$version" "$folder/$version/bin/python$version"
done
