# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Seconds of a clock that does not jump. A function of its own, so that tests can give another."""

from time import perf_counter

_source = perf_counter


def now() -> float:
    return _source()


def source():
    """What now() asks, for who asks often."""
    return _source
