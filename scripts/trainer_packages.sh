#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# trainer_packages.sh: Hugging Face's Accelerate, for tests of jobs that it or its Trainer starts with
# DeepSpeed. In a folder of its own; all that it needs is in the stand-in's environment. Prints the
# folder. Nothing is done when it is there.
set -euo pipefail
script_name=trainer_packages
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages_beside trainer-packages accelerate==1.15.0
