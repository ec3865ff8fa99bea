# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The reports, byte for byte in the layout of the version that a style names."""

from . import mirror, newest, y2021, y2021_05, y2022

# Name of a style -> its page.
STYLES = {
    "deepspeed": newest,
    "deepspeed-2022": y2022,
    "deepspeed-2021-05": y2021_05,
    "deepspeed-2021": y2021,
    "flops-profiler": mirror,
}
