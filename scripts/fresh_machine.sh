#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# fresh_machine.sh [--home FOLDER] [--without-test-packages] COMMAND...: runs a command as on a
# machine where nothing of the project was ever built.
#
# Hidden: the home folder, the clone's neighbours, /usr/local but for its share and etc, and all
# folders of / that are not Debian's (/home, /root, /opt, /srv, /mnt, /media and others). The
# environment is PATH, HOME, CI, locale, TERM and JOBS only. HOME, and with it every cache of the
# scripts, is an empty folder: build/fresh/home, or FOLDER, which has to be new, empty, or the home
# of an earlier run.
# Not hidden: the clone with what was built in it, /tmp and /var, what the settings of pip and apt in
# /etc point to, ccache's objects (they depend on nothing but what is compiled), and all Debian
# packages.
#
# --without-test-packages hides nothing of that, and the environment stays; it hides the files of
# the Debian packages that only `setup.sh test` installs. Those that `setup.sh build` installs are
# installed first where they are missing.
#
# Needs root or user namespaces, to hide folders.
set -euo pipefail
script_name=fresh_machine
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fresh=$root/build/fresh/home
test_packages=seen
while (($#)); do
  case $1 in
    --home) fresh=${2:?--home needs a folder}; shift 2 ;;
    --without-test-packages) test_packages=hidden; shift ;;
    -h | --help) sed -n '5,22s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) die "unknown option $1; see --help" ;;
    *) break ;;
  esac
done
(($#)) || die "no command; see --help"

private=(unshare --mount --propagation private)
mounts() { "${private[@]}" mount -t tmpfs hidden "$root" 2> /dev/null; }
mounts || private=(unshare --mount --user --map-root-user)
mounts || die "cannot hide folders, in a mount namespace of its own: run as root" \
  "(in a container with CAP_SYS_ADMIN), or allow user namespaces"

# with_dependencies PACKAGE...: these and all that they depend on, of what is installed.
with_dependencies() {
  apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts \
    --no-breaks --no-replaces --no-enhances "$@" | sed -n 's/^\([a-z0-9][^: ]*\).*/\1/p' | sort -u
}

if [[ $test_packages == hidden ]]; then
  "$root/scripts/setup.sh" build
  mapfile -t build < <("$root/scripts/setup.sh" list-build)
  mapfile -t tests < <("$root/scripts/setup.sh" list-test)
  mapfile -t system < <(dpkg-query -W -f='${Essential} ${Priority} ${Package}\n' |
    sed -nE 's/^(yes .*|.* (required|important)) ([^ ]+)$/\3/p')
  mapfile -t hidden < <(comm -13 <(with_dependencies "${build[@]}" "${system[@]}") \
    <(with_dependencies "${tests[@]}"))
  say "hiding ${#hidden[@]} Debian packages: ${hidden[*]}"
  list=$(mktemp)
  # Folders that hold nothing else, and files; documents and translations do no harm.
  ((${#hidden[@]} == 0)) || dpkg -L "${hidden[@]}" | python3 -c '
import os, sys
names = sorted({line.rstrip("\n") for line in sys.stdin}, key=len)
names = [os.path.join(os.path.realpath(os.path.dirname(n)), os.path.basename(n)) for n in names]
files = {n for n in names if os.path.lexists(n) and (os.path.islink(n) or not os.path.isdir(n))}
def only_ours(folder):
    return all(
        os.path.join(parent, name) in files
        for parent, folders, others in os.walk(folder)
        for name in others + [f for f in folders if os.path.islink(os.path.join(parent, f))]
    )
folders = []
for name in names:
    inside = any(name.startswith(f + "/") for f in folders)
    if os.path.isdir(name) and name not in files and not inside and only_ours(name):
        folders.append(name)
rest = [f for f in files if not os.path.islink(f) and not f.startswith(tuple(f + "/" for f in folders))]
for name in folders + rest:
    if not name.startswith(tuple(f"/usr/share/{f}/" for f in ("doc", "man", "locale", "lintian"))):
        print(name)
' > "$list"
  hide='
  set -eu
  empty=$(mktemp -d)
  while read -r name; do
    if [ -d "$name" ]; then mount --bind "$empty" "$name"; else mount --bind /dev/null "$name"; fi
  done < "$1"
  rmdir "$empty"
  rm "$1"
  shift
  exec "$@"
  '
  exec "${private[@]}" bash -c "$hide" hide "$list" "$@"
fi

# Beside the home, which is empty: that it is ours to empty.
if [[ -e $fresh && ! -e $fresh.is-fresh && $(ls -A "$fresh") ]]; then
  die "--home $fresh: there are files in it, and not of an earlier run"
fi
rm -rf "$fresh"
mkdir -p "$fresh"
fresh=$(cd "$fresh" && pwd -P)
touch "$fresh.is-fresh"
real_home=$(cd "$HOME" && pwd -P)
clone=$(cd "$root" && pwd -P)
ccache_dir=${CCACHE_DIR:-$real_home/.cache/ccache}
mkdir -p "$ccache_dir"

# in_any NAME FOLDER...: whether NAME is one of the folders or below one.
in_any() {
  local name=$1 folder
  shift
  for folder in "$@"; do
    [[ $name == "$folder" || $name == "$folder"/* ]] && return 0
  done
  return 1
}

hidden=()
hide() {
  if [[ -d $1 && ! -L $1 ]] && ! in_any "$1" "${hidden[@]}"; then hidden+=("$1"); fi
}
for folder in /* /usr/local; do
  case $folder in
    /bin | /boot | /dev | /etc | /lib* | /proc | /run | /sbin | /sys | /tmp | /usr | /var) ;;
    *) hide "$folder" ;;
  esac
done
for folder in "$(dirname "$clone")" "$real_home"; do
  case $folder in / | /tmp | /var | /usr) ;; *) hide "$folder" ;; esac
done

kept=()
keep() {
  if [[ -e $1 ]] && in_any "$1" "${hidden[@]}" && ! in_any "$1" "${kept[@]}"; then kept+=("$1"); fi
}
keep /usr/local/share
keep /usr/local/etc
keep "$clone"
keep "$ccache_dir"
keep "$fresh"
settings() {
  grep -rhosE '^[^#;]+' /etc/pip.conf /etc/xdg/pip /etc/apt/sources.list /etc/apt/sources.list.d |
    grep -oE '(file:|[= ])/[^][ ,;"]*' | sed -E 's/^[^\/]*\/+/\//'
}
while read -r name; do
  # An index is beside its files: all of /opt/pypi for /opt/pypi/simple.
  case $name in /opt/*/* | /srv/*/* | /mnt/*/*) name=$(cut -d/ -f1-3 <<< "$name") ;; esac
  keep "$name"
done < <(settings || true)

# In the namespace: hides folders below empty ones. What lies in them and is needed is put back to
# where it was.
hide='
set -eu
hidden=$1 kept=$2 clone=$3 fresh=$4 ccache_dir=$5
shift 5
keep=$(mktemp -d /tmp/fresh_machine.XXXXXX)
n=0
while read -r name; do
  [ -n "$name" ] || continue
  n=$((n + 1))
  if [ -d "$name" ]; then mkdir "$keep/$n"; else : > "$keep/$n"; fi
  mount --rbind "$name" "$keep/$n"
done <<< "$kept"
while read -r folder; do
  mkdir -p "$folder"
  mount -t tmpfs -o mode=0755 hidden "$folder"
done <<< "$hidden"
n=0
while read -r name; do
  [ -n "$name" ] || continue
  n=$((n + 1))
  if [ -d "$keep/$n" ]; then mkdir -p "$name"; else mkdir -p "$(dirname "$name")"; fi
  [ -e "$name" ] || : > "$name"
  mount --rbind "$keep/$n" "$name"
  umount -l "$keep/$n"
done <<< "$kept"
rm -rf --one-file-system "$keep"
cd "$clone"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$fresh" \
  CCACHE_DIR="$ccache_dir" ${CI:+CI="$CI"} ${LANG:+LANG="$LANG"} ${TERM:+TERM="$TERM"} \
  ${JOBS:+JOBS="$JOBS"} "$@"
'
lines() { printf '%s\n' "$@"; }
exec "${private[@]}" bash -c "$hide" hide "$(lines "${hidden[@]}")" "$(lines "${kept[@]}")" \
  "$clone" "$fresh" "$ccache_dir" "$@"
