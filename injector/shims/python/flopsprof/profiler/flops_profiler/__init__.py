# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`from flopsprof.profiler.flops_profiler import ...`: another name of flopsprof.deepspeed."""

from ...deepspeed import *  # noqa: F401,F403
from ...deepspeed import __all__  # noqa: F401
