# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints every #include that goes against the way of the data.

    python3 tests/support/include_direction.py [FOLDER]

Quoted includes are relative to the root of the source tree or to the file's own folder;
only those that name a folder of the project are judged. Where a folder has rooms, each may include
itself and those below it: their order is declared here, so that there can be no circle.
"""

import os
import re
import sys

# folder -> folders it may include from, besides itself
ALLOWED = {
    "proto": (),
    "injector": ("proto/shm",),
    "collector/base": (),
    "collector/model": ("collector/base", "proto", "flopsprof"),
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
# The rooms of a folder, the lowest first: each may include those before it. "": the folder's own
# files; where it is not listed, the folder has none.
ROOMS = {
    "collector/model": ("peaks", "kernels", "flops", ""),
    "injector": (
        "base", "transport", "loader", "scopes", "graphs", "stacks", "cupti", "operations",
        "hooks", "hooks/cublas", "hooks/graphs", "hooks/nccl", "hooks/cudnn", "hooks/solvers",
        "hooks/table",
        "python", "session",
    ),
    "collector/store": ("log", "live", ""),
    "collector/agent": (
        "tables", "rings", "join", "stacks", "steps", "calls", "rows", "graphs", "processes",
        "control", "upload", "",
    ),
}  # fmt: skip
# Folders beside the rooms, which include none of them and are included by none.
BESIDE = {"injector": ("launch", "shims")}
PROJECT = ("injector", "collector", "viewer", "proto", "flopsprof", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def owner(path: str) -> str:
    """The longest key of ALLOWED that the path lies in."""
    inside = [key for key in ALLOWED if path == key or path.startswith(key + "/")]
    return max(inside, key=len, default="")


def room_of(key: str, path: str) -> str:
    """Of a file of the folder `key`: its room, "" for the folder's own files."""
    room = os.path.dirname(path)[len(key) + 1 :]
    head = room.partition("/")[0]
    return head if head in BESIDE.get(key, ()) else room


def has_room(key: str, path: str) -> bool:
    """False: the file lies in a folder whose rooms are declared, and in none of them."""
    return key not in ROOMS or room_of(key, path) in ROOMS[key] + BESIDE.get(key, ())


def room_problem(key: str, path: str, target: str) -> str:
    """What is wrong with a file that includes another one of the folder `key`; "": nothing is."""
    here, there = room_of(key, path), room_of(key, target)
    if key not in ROOMS or here == there or not has_room(key, path):
        return ""  # a file without a room has been found already
    if not has_room(key, target):
        return f"{target} lies in no room of {key}"
    if {here, there} & set(BESIDE.get(key, ())):
        return f"{key}/{here} may not include {target}"
    if ROOMS[key].index(here) < ROOMS[key].index(there):
        return f"{key}/{here} may not include {target}, a higher room"
    return ""


def sources(root: str):
    """Paths of the files that include others: generators, too, write includes line by line."""
    for key in ("proto", "injector", "collector", "viewer"):
        for folder, _, names in sorted(os.walk(os.path.join(root, key))):
            for name in sorted(names):
                if name.endswith((".h", ".cc", ".c", ".cpp", ".S", ".py")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def violations(root: str):
    for path in sources(root):
        if not has_room(owner(path), path):
            yield f"{path}:1: lies in no room of {owner(path)}: add it to ROOMS"
        yield from judge(root, path)


def full_path(root: str, path: str, target: str) -> str:
    """Of a file that is included: from its includer's folder if it is there, else from the root."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return beside if os.path.isfile(os.path.join(root, beside)) else target


def judge(root: str, path: str):
    key = owner(path)
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = full_path(root, path, match.group(1))
            if target.split("/")[0] not in PROJECT:
                continue
            if owner(target) == key:
                problem = room_problem(key, path, target)
                if problem:
                    yield f"{path}:{number}: {problem}"
                continue
            if any(
                target == allowed or target.startswith(allowed + "/")
                for allowed in ALLOWED.get(key, ())
            ):
                continue
            yield f"{path}:{number}: {key or path} may not include {target}"


def main() -> int:
    root = sys.argv[1] if len(sys.argv) > 1 else os.getcwd()
    found = list(violations(root))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
