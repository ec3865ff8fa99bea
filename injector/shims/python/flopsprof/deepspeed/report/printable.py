# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Names of a program go to a terminal: what would steer it is shown and not sent."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and newline


def printable(text) -> str:
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)
