#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# counter_packages.sh: other counters of flops, for tests/counters, in a folder of their own beside
# the environment of the stand-in GPU, whose python they are used with. Prints the folder, for
# PYTHONPATH. Nothing is done when it is there.
set -euo pipefail
script_name=counter_packages
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  ptflops==0.7.5 thop==0.1.1.post2209072238 calflops==0.3.2 torchinfo==1.8.0
  # calflops imports it
  accelerate==1.15.0
  # fvcore and what it imports
  fvcore==0.1.5.post20221221 iopath==0.1.10 yacs==0.1.8 portalocker==4.4.2 tabulate==0.10.0
  termcolor==3.3.0
)
packages_beside counter-packages "${packages[@]}"
