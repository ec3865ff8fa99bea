#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# oracle_packages.sh: fvcore, for tests/oracle, in a folder of its own beside the environment of
# the stand-in GPU, whose python it is used with: that environment stays as the product's tests
# want it. Prints the folder, for PYTHONPATH. Nothing is done when it is there.
set -euo pipefail
script_name=oracle_packages
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  fvcore==0.1.5.post20221221 iopath==0.1.10 yacs==0.1.8 portalocker==4.4.2 tabulate==0.10.0
  termcolor==3.3.0
)
packages_beside oracle-packages "${packages[@]}"
