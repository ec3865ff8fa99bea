#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# sweep_packages.sh: the model libraries of tests/sweep that the stand-in GPU's environment has
# not, in a folder of their own beside it: that environment stays as the product's tests want it.
# Prints the folder, for PYTHONPATH. Nothing is done when it is there.
set -euo pipefail
script_name=sweep_packages
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  timm==1.0.31 diffusers==0.42.1 peft==0.21.2 accelerate==1.15.0
  importlib_metadata==10.2.0 zipp==4.1.2
  lightning==2.6.6 pytorch-lightning==2.6.6 lightning-utilities==0.15.3 torchmetrics==1.9.0
)
packages_beside sweep-packages "${packages[@]}"
