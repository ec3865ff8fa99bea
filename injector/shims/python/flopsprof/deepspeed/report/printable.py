# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Names of a program go to a terminal: what would steer it, or turn or hide what stands beside it, is shown
and not sent."""

import re

_REFUSED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff0-\ufffb\U000e0000-\U000e007f"
)
_TEXT = re.compile(f"[{_REFUSED}]")  # all but tab and newline
_CELL = re.compile(f"[{_REFUSED}\t\n]")


def _escape(found) -> str:
    return found.group().encode("unicode_escape").decode("ascii")


def printable(text) -> str:
    return _TEXT.sub(_escape, text)


def write(text, stream) -> None:
    """Whole, also where the stream has no letters for some of it."""
    try:
        stream.write(text)
    except UnicodeEncodeError as error:  # before it wrote anything
        stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))


def cell(text) -> str:
    """In a table, where a line is a row."""
    return _CELL.sub(_escape, text)
