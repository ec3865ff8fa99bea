#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# quickstart.sh: sets up what a user needs, builds the product, and profiles a small training job
# on two ranks: on this machine's GPU if there is one, else on the stand-in GPU (simulated times).
# Ends with the report. Options are passed on to flopsprof-run.
#
# The environment of the stand-in GPU is made while the product is compiled. Output of apt, pip
# and compilers goes to build/logs/; meanwhile a line says every 20 s what is waited for.
set -euo pipefail
script_name=quickstart
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
logs=$root/build/logs
begin=$SECONDS

simulated=yes
if has_gpu && python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' \
    2> /dev/null; then
  simulated=
fi

room=0
[[ -z $simulated || -e $sim_env/simgpu-stamp ]] || room=8
need_room "$room" 1

say "1/3 setting up: Debian packages that compiling needs"
begin_part "Debian packages" "$logs/setup.log" scripts/setup.sh build
wait_for_parts "Debian packages"

say "2/3 building the product"
begin_part "the product" "$logs/build.log" scripts/build.sh product
parts=("the product")
if [[ -n $simulated ]]; then
  say "no GPU with a CUDA build of PyTorch here: making the stand-in GPU (SIMULATED) meanwhile."
  say "the first time this downloads PyTorch (about 3 GB)"
  begin_part "the stand-in GPU" "$logs/simgpu_env.log" scripts/simgpu_env.sh --for jobs
  parts+=("the stand-in GPU")
fi
wait_for_parts "${parts[@]}"

if [[ -n $simulated ]]; then
  python=$(tail -n 1 "$logs/simgpu_env.log")
  ranks=2
else
  python=$(command -v python3)
  ranks=$("$python" -c 'import torch; print(min(2, torch.cuda.device_count()))')
  say "using this machine's GPU and $python"
fi
say "ready after $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s"

# Not torchrun: a python may be elsewhere than its programs.
command=(build/bin/flopsprof-run "$@" -- "$python" -m torch.distributed.run --standalone
  --nproc-per-node "$ranks" tests/programs/acceptance/cifar_net.py --batch 8)
say "3/3 running, in $root: $(printf '%q ' "${command[@]}" | sed 's/ $//')"
status=0
PATH=$(dirname "$python"):$PATH "${command[@]}" || status=$?
if [[ -n $simulated ]]; then
  say "the GPU was SIMULATED: calls and counts are real, times are the stand-in's model."
fi
exit "$status"
