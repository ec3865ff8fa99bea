# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints every #include that goes against the way of the data.

    python3 tests/support/include_direction.py [FOLDER]

Quoted includes are relative to the root of the source tree or to the file's own folder;
only those that name a folder of the project are judged.
"""

import os
import re
import sys

# folder -> folders it may include from, besides itself
ALLOWED = {
    "proto": (),
    "injector": ("proto/shm",),
    "collector/base": (),
    "collector/model": ("proto", "flopsprof", "collector/store/run_reader.h"),
    "collector/agent": ("collector/base", "collector/model", "proto", "flopsprof"),
    "collector/store": ("collector/base", "collector/model", "proto", "flopsprof"),
    "collector/server": (
        "collector/base", "collector/model", "collector/store", "proto", "flopsprof",
    ),
    # the program hosts launcher, agent and collector (interfaces.md)
    "viewer/cli": (
        "collector/base", "collector/model", "collector/store", "collector/agent",
        "collector/server", "injector/launch", "viewer", "proto", "flopsprof",
    ),
    "viewer": ("collector/base", "collector/model", "collector/store", "proto", "flopsprof"),
}  # fmt: skip
# The rooms of a folder, the lowest first: each may include those before it, and the folder's own
# files all of them.
ROOMS = {
    "collector/model": ("peaks", "kernels", "flops"),
    "collector/agent": (
        "tables", "rings", "join", "stacks", "steps", "calls", "rows", "graphs", "processes",
        "control", "upload",
    ),
}  # fmt: skip
PROJECT = ("injector", "collector", "viewer", "proto", "flopsprof", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def owner(path: str) -> str:
    """The longest key of ALLOWED that the path lies in."""
    inside = [key for key in ALLOWED if path == key or path.startswith(key + "/")]
    return max(inside, key=len, default="")


def violations(root: str):
    for key in ("proto", "injector", "collector", "viewer"):
        for folder, _, names in sorted(os.walk(os.path.join(root, key))):
            for name in sorted(names):
                if not name.endswith((".h", ".cc", ".c", ".cpp")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                yield from judge(root, path)


def judge(root: str, path: str):
    key = owner(path)
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match or match.group(1).split("/")[0] not in PROJECT:
                continue
            target = match.group(1)
            if owner(target) == key:
                yield from against_rooms(key, path, number, target)
                continue
            if any(
                target == allowed or target.startswith(allowed + "/")
                for allowed in ALLOWED.get(key, ())
            ):
                continue
            yield f"{path}:{number}: {key or path} may not include {target}"


def room_of(key: str, path: str) -> str:
    """Of a file of the folder: its room, "" for the folder's own files."""
    head, _, rest = path[len(key) + 1 :].partition("/")
    return head if rest else ""


def against_rooms(key: str, path: str, number: int, target: str):
    """Yields what is wrong with an include inside of one folder."""
    here, there = room_of(key, path), room_of(key, target)
    if key not in ROOMS or here in ("", there):
        return
    order = ROOMS[key]
    if here not in order:
        yield f"{path}:{number}: {here} is no room of {key}: add it to ROOMS"
    elif there not in order or order.index(there) > order.index(here):
        yield f"{path}:{number}: {key}/{here} may not include {target}, which stands above it"


def main() -> int:
    root = sys.argv[1] if len(sys.argv) > 1 else os.getcwd()
    found = list(violations(root))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
