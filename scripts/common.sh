# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the other scripts: where things are, how they talk, how long work shows progress.

# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache_dir=${FLOPSPROF_CACHE_DIR:-$HOME/.cache/flopsprof}
tools_env=$cache_dir/tools-env
sim_env=${FLOPSPROF_SIM_ENV:-$cache_dir/sim-env}
jax_env=${FLOPSPROF_JAX_ENV:-$cache_dir/sim-env-jax}
jobs=${JOBS:-$(nproc)}

say() { printf '%s: %s\n' "${script_name:-flopsprof}" "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# linker_finds FILE: whether programs find a library. ldconfig is where a user's PATH does not go.
# No pipe: grep -q would end it early, and pipefail would say no.
linker_finds() { [[ $(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2> /dev/null) == *"$1 "* ]]; }

# A driver and a card: what programs of this machine would really run on.
has_gpu() { [[ -e /dev/nvidia0 ]] && linker_finds libcuda.so.1; }

# need_disk GB FOLDER: dies when the disk of a folder, made or not, has less room. pip would say so
# after minutes, and not how much it takes.
need_disk() {
  local folder=$2 free_mb
  until [[ -d $folder ]]; do folder=$(dirname "$folder"); done
  free_mb=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
  ((free_mb >= $1 * 1000)) ||
    die "this takes up to $1 GB on the disk of $folder, which has $((free_mb / 1000)) GB left:" \
      "free some, or let FLOPSPROF_CACHE_DIR be a folder of another disk"
}

# need_room CACHE_GB BUILD_GB: of the disks of the cache and of the clone, if only one.
need_room() {
  mkdir -p "$cache_dir"
  if [[ $(df -P "$cache_dir") == "$(df -P "$root")" ]]; then
    need_disk $(($1 + $2)) "$cache_dir"
  else
    need_disk "$1" "$cache_dir"
    need_disk "$2" "$root"
  fi
}

# Packages of an environment of which pip had not unpacked all when it was ended: to pip they are
# installed. INSTALLER is what it writes after the last of their files.
forget_half_installed() {
  local found
  for found in "$1"/lib/python3*/site-packages/*.dist-info; do
    if [[ -d $found && ! -e $found/INSTALLER ]]; then rm -rf "$found"; fi
  done
}

# make_venv FOLDER: a virtual environment that has pip. One that was interrupted while it was made
# or filled is made anew or can be filled; other files of the folder (locks) stay.
make_venv() {
  forget_half_installed "$1"
  "$1/bin/python" -m pip --version > /dev/null 2>&1 && return
  if [[ -e $1/pyvenv.cfg ]]; then rm -rf "$1"/{bin,include,lib,lib64,pyvenv.cfg}; fi
  say "making a virtual environment in $1"
  python3 -m venv "$1" >&2 || die "python3 -m venv failed: is the package python3-venv installed?"
}

# missing_packages SITE REQUIREMENT...: prints those whose pinned (or any) version is not installed
# whole in a site-packages folder, for pip.
missing_packages() {
  local site=$1 requirement name version found
  shift
  for requirement in "$@"; do
    name=${requirement%%[=[]*}
    name=${name//-/_}
    version='*'
    [[ $requirement == *==* ]] && version=${requirement##*==}
    # compgen says whether there is one, whatever nullglob is.
    found="$site/$name-$version.dist-info/INSTALLER"
    compgen -G "$found" > /dev/null || printf '%s\n' "$requirement"
  done
}

# last_line_of LOG: what the part that writes it does now, in a few words: ninja's "[n/m]", or
# the last line of a script of ours.
last_line_of() {
  tr '\r' '\n' < "$1" 2> /dev/null |
    sed -nE 's/^\[([0-9]+\/[0-9]+)\] .*/step \1/p; s/^[a-z_]+: (.*)/\1/p' | tail -n 1
}

declare -A part_pid=() part_log=() part_begin=()

# begin_part NAME LOG COMMAND...: starts a part of the work; its output goes to LOG.
begin_part() {
  local name=$1 log=$2
  shift 2
  mkdir -p "$(dirname "$log")"
  "$@" > "$log" 2>&1 &
  part_pid[$name]=$! part_log[$name]=$log part_begin[$name]=$SECONDS
}

# end_tree PID: ends a process and all that it began; stopped first, so that it begins nothing more.
end_tree() {
  local child children
  kill -STOP "$1" 2> /dev/null || true
  children=$(cat "/proc/$1/task/$1/children" 2> /dev/null || true)  # it may have ended
  kill "$1" 2> /dev/null || true
  kill -CONT "$1" 2> /dev/null || true
  for child in $children; do end_tree "$child"; done
}

# However a script ends (Ctrl-C does not reach what runs in the background): all that it began does.
# Subshells have children of their own and not this trap.
end_children() {
  local child children
  children=$(cat "/proc/$$/task/$$/children" 2> /dev/null || true)
  for child in $children; do end_tree "$child"; done
}
trap end_children EXIT
# Without this bash forgets an interrupt when the command that it waits for ends normally just then.
trap 'trap - INT; kill -INT $$' INT

# wait_for_parts NAME...: waits for parts, with a line of progress every FLOPSPROF_PROGRESS_S
# seconds (20). A part that fails is named with the end of its log; the others are ended.
wait_for_parts() {
  local waiting=("$@") left name code next=$SECONDS told=()
  while ((${#waiting[@]})); do
    left=()
    for name in "${waiting[@]}"; do
      if kill -0 "${part_pid[$name]}" 2> /dev/null; then
        left+=("$name")
        continue
      fi
      code=0
      wait "${part_pid[$name]}" || code=$?
      if ((code != 0)); then
        tail -n 25 "${part_log[$name]}" >&2
        say "failed after $((SECONDS - part_begin[$name])) s: $name. All of its output: ${part_log[$name]}"
        for name in "${waiting[@]}"; do end_tree "${part_pid[$name]}"; done
        return 1
      fi
      say "done in $((SECONDS - part_begin[$name])) s: $name"
    done
    waiting=("${left[@]}")
    if ((${#waiting[@]} && SECONDS >= next + ${FLOPSPROF_PROGRESS_S:-20})); then
      told=()
      for name in "${waiting[@]}"; do
        told+=("$name (${part_log[$name]##*/}: $(last_line_of "${part_log[$name]}"))")
      done
      say "waiting for $(printf '%s; ' "${told[@]}" | sed 's/; $//')"
      next=$SECONDS
    fi
    sleep 0.2
  done
}

# packages_beside NAME PACKAGE ...: packages for tests in a folder of their own, beside the
# environment of the stand-in GPU, which stays as the product's tests want it. Prints the folder,
# for PYTHONPATH. Nothing is done when it is there. No dependencies: torch and the like are in that
# environment.
packages_beside() {
  local folder=$cache_dir/$1
  shift
  mkdir -p "$cache_dir"
  exec 9> "$folder.lock"
  flock 9
  if [[ ! -f $folder/stamp || $(< "$folder/stamp") != "$*" ]]; then
    say "installing $* into $folder"
    rm -rf "$folder"
    "$tools_env/bin/python" -m pip install --disable-pip-version-check -q --no-deps \
      --target "$folder" "$@" >&2
    printf '%s' "$*" > "$folder/stamp"
  fi
  printf '%s\n' "$folder"
}
