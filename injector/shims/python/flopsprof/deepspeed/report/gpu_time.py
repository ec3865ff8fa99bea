# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What stands below DeepSpeed's layout where GPU time was asked for."""

from .printable import printable

_RULE = "-" * 78
_NOTE = (
    "flopsprof, not DeepSpeed: GPU time of each module beside its latency. Latency is the wall clock around the",
    "synchronised module. GPU time is between two events of the current stream around its forward, gaps among it.",
)


def section(rows, to_string) -> list:
    """`rows`: (path, class, seconds of latency, seconds of the GPU or None) of each module."""
    table = [("module", "class", "latency", "GPU time")]
    for path, kind, latency, gpu in rows:
        known = "unknown" if gpu is None else to_string(gpu)
        table.append((path or "(model)", kind, to_string(latency), known))
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    lines = ["  ".join((row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2]),
                        row[3].rjust(widths[3]))) for row in table]  # fmt: skip
    return [_RULE, *_NOTE, "", *map(printable, lines)]
