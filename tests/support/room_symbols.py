#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints every name that a room of the injector takes from a room above it.

    room_symbols.py BUILD              a folder with compile_commands.json, after a build

What files include is held by include_direction.py; a function that a room declares itself and a room
above it defines is seen only in the objects. Two headers may do so: DEFINED_ABOVE.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import include_direction

INJECTOR = Path(__file__).resolve().parents[2] / "injector"
# Headers whose names are defined in a room above the header's.
DEFINED_ABOVE = ("transport/session_calls.h", "loader/hook_table.h")
OBJECT = re.compile(r"injector/(?:(\w+)/)?CMakeFiles/flopsprof_inject(?:or_\w+)?\.dir/(.*)\.o")
# libc's functions whose names the library exports too; rooms below the loader's hooks mean libc's.
LIBCS = {"dlopen", "dlsym"}
GENERATED = "hooks/table"  # wrappers and the table of hooks, which lie in no folder of the sources


def room_of_object(path: str) -> str:
    """The room of an object, whose path is relative to the build; "" for others."""
    match = OBJECT.fullmatch(path)
    if not match:
        return ""
    folder = "/".join(filter(None, (match[1], os.path.dirname(match[2]))))
    # Batches of a room are in a folder of their own.
    return folder.removesuffix("/Unity") or GENERATED


def names_of(objects: list) -> tuple:
    """(defined, wanted) of objects: names as the linker has them."""
    out = subprocess.run(["nm", "-A", "-P", *objects], check=True, stdout=subprocess.PIPE,
                         text=True).stdout  # fmt: skip
    defined, wanted = set(), set()
    for line in out.splitlines():
        name, kind = line.rsplit(": ", 1)[1].split()[:2]
        if kind in "TDBRSG":  # weak ones are inline functions, which every room has
            defined.add(name)
        elif kind == "U":
            wanted.add(name)
    return defined, wanted


def allowed_names() -> set:
    text = "".join((INJECTOR / header).read_text(encoding="utf-8") for header in DEFINED_ABOVE)
    text = re.sub(r"//[^\n]*", "", text)
    functions = re.findall(r"\b(\w+)\([^)]*\);", text)
    return {*functions, *re.findall(r"\b(flopsprof_\w+)\b", text), *LIBCS}


def plain(name: str) -> str:
    """The last part of a mangled name: _ZN9flopsprof8injector12StartSessionEv -> StartSession."""
    parts = re.match(r"_ZN9flopsprof8injector(\d+)(\w+)", name)
    return parts[2][: int(parts[1])] if parts else name


def upward(rooms: dict, allowed: set) -> list:
    """Of {room: (defined, wanted)}: what rooms take from above them, as lines."""
    order = include_direction.ROOMS["injector"]  # the lowest first
    found = []
    for above, (defined, _) in rooms.items():
        for below, (_, wanted) in rooms.items():
            if order.index(above) <= order.index(below):
                continue
            found += [f"injector/{below} takes {name} from injector/{above}, above it"
                      for name in sorted(defined & wanted) if plain(name) not in allowed]
    return sorted(found)


def rooms_of(build: str) -> dict:
    commands = json.loads((Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    objects = {}
    for path in sorted(re.search(r" -o (\S+)", each["command"])[1] for each in commands):
        room = room_of_object(path)
        if room:
            objects.setdefault(room, []).append(os.path.join(build, path))
    return {room: names_of(paths) for room, paths in objects.items()}


def main() -> int:
    rooms = rooms_of(sys.argv[1])
    missing = set(include_direction.ROOMS["injector"]) - set(rooms)
    found = [f"no objects of injector/{room} in {sys.argv[1]}" for room in sorted(missing)]
    found += upward(rooms, allowed_names())
    print("\n".join(found) or f"{len(rooms)} rooms take nothing from above")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
