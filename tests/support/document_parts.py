# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A document with parts that different programs make. A part stands between two comments:

<!-- part NAME -->
...
<!-- end NAME -->
"""


def marks(name: str) -> tuple:
    return f"<!-- part {name} -->\n", f"<!-- end {name} -->\n"


def text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def part_of(text: str, name: str) -> str:
    begin, end = marks(name)
    if begin not in text or end not in text:
        return ""
    return text.partition(begin)[2].partition(end)[0]


def replaced(text: str, name: str, part: str) -> str:
    """The text with another part; a new part stands at the end."""
    begin, end = marks(name)
    if begin in text and end in text:
        before, _, rest = text.partition(begin)
        return before + begin + part + end + rest.partition(end)[2]
    return text + ("\n" if text else "") + begin + part + end


def read(path: str, name: str) -> str:
    return part_of(text_of(path), name)


def write(path: str, name: str, part: str) -> None:
    text = replaced(text_of(path), name, part)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
