# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, with a limit instead of a fixed sleep."""

import time
from typing import Callable


def wait_until(condition: Callable[[], bool], seconds: float = 60, what: str = "") -> None:
    """Returns when condition() holds; AssertionError when it does not within the limit."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        time.sleep(0.02)
