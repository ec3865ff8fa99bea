# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints every function of the product in C++ that is longer than 60 lines, and every file longer
than 500.

    python3 tests/support/function_length.py [FOLDER]

A function is what clang-format lays out as one: it begins at column 0 or 2 with a line that ends in
"{" (its head may begin some lines above), and ends at the next "}" of the same column. Comments and
empty lines in it count.
"""

import os
import re
import sys

MOST_LINES = 60
MOST_LINES_OF_FILE = 500
FOLDERS = ("injector", "collector", "viewer")
# No functions: what begins so holds functions, or is data.
NOT_A_FUNCTION = re.compile(
    r"^ *(namespace|extern \"C\" \{|(typedef )?(struct|class|enum|union)\b"
    r"|(switch|if|for|while|do)\b|(static |inline )*(constexpr|const)\b[^()]*= *\{$|.*\] *= *\{$)"
)
# File and first words of the head -> why it may be longer: lists of data and texts, which have no
# branches to follow.
LISTS = {
    ("collector/model/peaks/peaks_cards.cc", "MakeCards"): "the table of cards",
    ("collector/store/row_setters.cc", "AllSetters"): "the table of fields",
    ("collector/store/schema.cc", "RowTables"): "the table of tables",
    ("collector/store/schema_tables.cc", "TablesSql"): "a text in SQL",
    ("collector/store/schema_views.cc", "ViewsSql"): "a text in SQL",
}

# Files: tables without branches.
LONG_FILES = {"collector/model/kernels/kernel_class_table.cc": "the table of kernels' names"}
# Longer than allowed today. Only ever taken out, never added to.
FILES_TO_BE_SPLIT = ("injector/session/session.cc",)


def head_of(lines: list, first: int, column: int) -> tuple:
    """(index, text) of the head of what opens at line `first`: the lines above it that belong to it,
    further to the right, and the one in its own column."""
    begin = first
    while begin > 0 and len(lines[begin]) - len(lines[begin].lstrip()) > column:
        begin -= 1
    return begin, " ".join(line.strip() for line in lines[begin : first + 1])


def functions(text: str):
    """(number of the first line, lines, head) of each."""
    lines = text.split("\n")
    open_at = {}  # column -> (line of the head, head)
    for number, line in enumerate(lines):
        column = len(line) - len(line.lstrip())
        if line.rstrip().endswith("{") and not line.lstrip().startswith(("//", "}")):
            begin, head = head_of(lines, number, 0 if column in (0, 4) else 2)
            own = len(lines[begin]) - len(lines[begin].lstrip())
            # A namespace closes far below, and holds functions in its own column.
            is_space = head.startswith(("namespace", 'extern "C" {'))
            if own in (0, 2) and own not in open_at and not is_space:
                open_at[own] = (begin, head)
        if column in (0, 2) and line.lstrip().startswith("}") and column in open_at:
            begin, head = open_at.pop(column)
            if "(" in head and not NOT_A_FUNCTION.match(head):
                yield begin + 1, number - begin + 1, head
            if column == 0:
                open_at.pop(2, None)


def sources(root: str):
    """(path, text) of each file that is judged."""
    for folder in FOLDERS:
        for where, _, files in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(files):
                if name.endswith((".cc", ".h")):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), file.read()


def violations(root: str, named=tuple(LISTS)):
    known = set()
    for path, text in sources(root):
        for line, length, head in functions(text):
            if length <= MOST_LINES:
                continue
            entries = [entry for entry in named if entry[0] == path and entry[1] in head]
            known.update(entries)
            if not entries:
                yield f"{path}:{line}: {length} lines: {head[:70]}"
    for entry in named:
        if entry not in known:
            yield f"{entry[0]}: {entry[1]} is not longer than {MOST_LINES} lines: take it out of the list"


def long_files(root: str, named=(*LONG_FILES, *FILES_TO_BE_SPLIT)):
    long = {path: text.count("\n") for path, text in sources(root)}
    long = {path: lines for path, lines in long.items() if lines > MOST_LINES_OF_FILE}
    for path in sorted(long.keys() - set(named)):
        yield f"{path}: {long[path]} lines"
    for path in sorted(set(named) - long.keys()):
        yield f"{path} is not longer than {MOST_LINES_OF_FILE} lines: take it out of the list"


def main() -> int:
    root = sys.argv[1] if len(sys.argv) > 1 else os.getcwd()
    found = [*violations(root), *long_files(root)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
