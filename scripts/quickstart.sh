#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# quickstart.sh: sets up everything, builds, and profiles a small training job on two
# ranks: on this machine's GPU if there is one, else on the stand-in GPU (simulated times).
# Ends with the report. Options are passed on to flopsprof-run.
set -euo pipefail
script_name=quickstart
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

say "1/4 setting up (scripts/setup.sh)"
scripts/setup.sh
say "2/4 building (scripts/build.sh)"
scripts/build.sh > /dev/null

say "3/4 looking for a GPU and a PyTorch"
if has_gpu && python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' \
    2> /dev/null; then
  python=$(command -v python3)
  simulated=
  say "using this machine's GPU and $python"
else
  say "no GPU with a CUDA build of PyTorch here: using the stand-in GPU (SIMULATED)."
  say "the first time this downloads PyTorch (about 3 GB)"
  python=$(scripts/simgpu_env.sh | tail -n 1)
  simulated=yes
fi

say "4/4 running: flopsprof-run -- torchrun --nproc-per-node 2 cifar_net.py --batch 8"
ranks=2
[[ -n $simulated ]] || ranks=$("$python" -c 'import torch; print(min(2, torch.cuda.device_count()))')
status=0
PATH=$(dirname "$python"):$PATH build/bin/flopsprof-run "$@" -- \
  "$(dirname "$python")/torchrun" --standalone --nproc-per-node "$ranks" \
  tests/programs/acceptance/cifar_net.py --batch 8 || status=$?
if [[ -n $simulated ]]; then
  say "the GPU was SIMULATED: counts are exact, times are the stand-in's model."
fi
exit "$status"
