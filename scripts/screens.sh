#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# screens.sh [RUN RUN]: makes the pictures in docs/screens/ and the texts of docs/screens.md anew.
# Without run folders it records two small trainings on two ranks, on the stand-in GPU: all times are
# SIMULATED. tmux shows the reports, screens.py draws what tmux shows (with rich, in an environment of
# its own). Look at each picture before you commit it.
set -euo pipefail
script_name=screens
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
command -v tmux > /dev/null || die "tmux is needed: apt-get install tmux"
[[ -x build/bin/flopsprof ]] || die "build first: scripts/build.sh"
flopsprof=$root/build/bin/flopsprof
work=$(mktemp -d)
socket=$work/tmux
trap 'tmux -S "$socket" kill-server 2> /dev/null || true; rm -rf "$work"' EXIT

# record NAME PROGRAM OPTIONS...: on two ranks.
record() {
  local name=$1
  shift
  python=$(scripts/simgpu_env.sh --for jobs)
  say "recording $name (SIMULATED)"
  PATH=$(dirname "$python"):$PATH build/bin/flopsprof-run -q -o "$work/$name" -- python \
    -m torch.distributed.run --standalone --nproc-per-node 2 "$@" > "$work/job.log" 2>&1 ||
    die "the job failed: $(tail -n 3 "$work/job.log")"
}

if (($# == 2)); then
  # The folder's name stands in the report: always the same.
  ln -s "$(realpath "$1")" "$work/flopsprof-gpt2"
  ln -s "$(realpath "$2")" "$work/flopsprof-cifar"
else
  record flopsprof-gpt2 tests/programs/acceptance/gpt2_megatron.py --steps 16 --layers 6 --batch 2 --seq 512
  record flopsprof-cifar tests/programs/acceptance/cifar_net.py --steps 16 --batch 64
fi

env=$cache_dir/screens-env
if [[ ! -e $env/done ]]; then
  make_venv "$env"
  "$env/bin/pip" -q install rich==15.0.0
  touch "$env/done"
fi

# capture NAME WIDTH RUN OPTIONS...: what a terminal of that width shows.
capture() {
  local name=$1 width=$2
  shift 2
  printf 'cd %q && TERM=xterm-256color LC_ALL=C.UTF-8 %q report --color always %s; tmux -S %q wait-for -S shown; cat\n' \
    "$work" "$flopsprof" "$(printf '%q ' "$@")" "$socket" > "$work/show.sh"
  tmux -S "$socket" -f /dev/null new-session -d -x "$width" -y 250 -s shown "bash $work/show.sh"
  tmux -S "$socket" wait-for shown
  tmux -S "$socket" capture-pane -e -p -t shown | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > "$work/$name.ansi"
  tmux -S "$socket" kill-session -t shown
  "$env/bin/python" scripts/screens.py "$work/$name.ansi" "$width" "docs/screens/$name.svg"
}

mkdir -p docs/screens
capture report-80 80 flopsprof-gpt2
capture report-120 120 flopsprof-gpt2
capture report-160 160 flopsprof-gpt2
capture report-ascii-80 80 flopsprof-gpt2 --ascii
capture communication-120 120 flopsprof-cifar --view communication,steps,timeline
(
  cd "$work"
  export LC_ALL=C.UTF-8
  "$flopsprof" report flopsprof-cifar --style markdown --view time,modules,ranks --top 5
) > "$work/report.md"
(
  cd "$work"
  "$flopsprof" report flopsprof-cifar --view communication --csv
) > "$work/communication.csv"
python3 scripts/screens.py --page docs/screens.md "$work/report.md" "$work/communication.csv"
du -cb docs/screens.md docs/screens/*.svg | tail -n 1
