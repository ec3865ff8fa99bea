#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# setup.sh: installs what building and testing need on a bare Debian 12 machine, from apt
# and pip only. Does nothing, in well under a second, when all of it is there.
#
#   setup.sh build    what building and running the product needs
#   setup.sh [test]   that, and what its tests need
#   setup.sh full     and what test.sh --full needs beside it
#   setup.sh list-build, list-test   names of these Debian packages, and nothing is done
#
# JOBS, FLOPSPROF_CACHE_DIR: see docs/building.md.
set -euo pipefail
script_name=setup
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_packages=(
  build-essential cmake ninja-build ccache git pkg-config python3 python3-venv
  # collector and viewer
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev
  libsqlite3-dev libzstd-dev zlib1g-dev nlohmann-json3-dev libfmt-dev libspdlog-dev
  libcli11-dev libtomlplusplus-dev libncurses-dev libcpp-httplib-dev libcurl4-openssl-dev libpq-dev
  libiberty-dev libunwind-dev
)
test_packages=(
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
  # static archives for portable tools
  libre2-dev libc-ares-dev libssl-dev
  libgtest-dev libgmock-dev libbenchmark-dev liblttng-ust-dev lttng-tools
  # python3-dev: headers, and the shared libpython that a test embeds
  python3-dev procps sqlite3 tmux jq zstd valgrind
)
# Launchers, and networks for their nodes.
full_packages=(slurm-client slurmctld slurmd munge openmpi-bin mpich pdsh iproute2)
python_packages=(pytest==9.2.0 pytest_xdist==3.8.0 jsonschema==4.26.0)

what=${1:-test}
case $what in
  build) packages=("${build_packages[@]}") ;;
  test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
  full) packages=("${build_packages[@]}" "${test_packages[@]}" "${full_packages[@]}") ;;
  list-build) printf '%s\n' "${build_packages[@]}"; exit 0 ;;
  list-test) printf '%s\n' "${test_packages[@]}"; exit 0 ;;
  -h | --help) sed -n '5,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) die "unknown argument $what: build, test or full; see --help" ;;
esac

# Names among the arguments that dpkg does not have installed.
missing_debian() {
  local have
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2> /dev/null |
    sed -n 's/^installed //p' | sort -u || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$have")
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

command -v dpkg-query > /dev/null ||
  die "this is not Debian; install the equivalents of: ${packages[*]}"

mapfile -t missing < <(missing_debian "${packages[@]}")
if ((${#missing[@]})); then
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root apt-get update -q >&2
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
fi

if [[ $what != build ]]; then
  site=("$tools_env"/lib/python3*/site-packages)
  mapfile -t missing < <(missing_packages "${site[0]}" "${python_packages[@]}")
  if ((${#missing[@]})); then
    say "installing ${missing[*]} into $tools_env"
    make_venv "$tools_env"
    "$tools_env/bin/python" -m pip install --disable-pip-version-check -q "${missing[@]}" >&2
  fi
fi
say "ready"
