#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# fresh_machine.sh [--home FOLDER] COMMAND...: runs a command as on a machine where nothing of the
# project was ever built. Its environment is PATH, HOME, CI and locale only; HOME is an empty
# folder (default build/fresh/home), and with it every cache that the scripts use. The files of
# the real home folder and those beside the clone cannot be seen: a Python, a torch or an
# environment from there that a script would use is not there. Packages of the system (/usr), the
# clone and what the command makes itself are all there is.
#
# ccache's objects are kept: they depend on nothing but what is compiled.
# Needs root or user namespaces, to hide folders.
set -euo pipefail
script_name=fresh_machine
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fresh=$root/build/fresh/home
if [[ ${1:-} == --home ]]; then
  fresh=${2:?--home needs a folder}
  shift 2
fi
(($#)) || die "no command; usage: fresh_machine.sh [--home FOLDER] COMMAND..."
rm -rf "$fresh"
mkdir -p "$fresh"
fresh=$(cd "$fresh" && pwd)
real_home=$(cd "$HOME" && pwd)
ccache_dir=${CCACHE_DIR:-$real_home/.cache/ccache}
mkdir -p "$ccache_dir"

private=(unshare --mount --propagation private)
"${private[@]}" true 2> /dev/null || private=(unshare --mount --user --map-root-user)
"${private[@]}" true 2> /dev/null ||
  die "cannot make a mount namespace: run as root, or allow user namespaces"

# In the namespace: hides folders below empty ones. What lies in them and is needed (the clone, the
# objects) is put back to where it was.
hide='
set -eu
clone=$1 fresh=$2 ccache_dir=$3 real_home=$4
shift 4
beside=$(dirname "$clone")
keep=$(mktemp -d)
mkdir "$keep/clone" "$keep/ccache"
mount --bind "$clone" "$keep/clone"
mount --bind "$ccache_dir" "$keep/ccache"
for folder in "$real_home" "$beside"; do
  case $folder in / | /tmp) continue ;; esac
  mount -t tmpfs -o mode=0755 hidden "$folder"
done
mkdir -p "$clone" "$ccache_dir"
mount --bind "$keep/clone" "$clone"
mount --bind "$keep/ccache" "$ccache_dir"
umount "$keep/clone" "$keep/ccache"
rm -rf "$keep"
cd "$clone"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$fresh" \
  CCACHE_DIR="$ccache_dir" ${CI:+CI="$CI"} ${LANG:+LANG="$LANG"} ${TERM:+TERM="$TERM"} \
  ${JOBS:+JOBS="$JOBS"} "$@"
'
exec "${private[@]}" bash -c "$hide" hide "$root" "$fresh" "$ccache_dir" "$real_home" "$@"
