# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Reads callgrind's dumps: instructions by object, and those of calls between functions."""

import collections
import os
import pathlib
import re

LABEL = "desc: Trigger: Client Request: "
# Where the work of a library's own code shows that has no name of its own.
RUNTIME = re.compile(r"^(libc\.so|ld-linux|libstdc\+\+|libgcc_s|libpthread)")
IMPOSSIBLE = 1 << 48


class Counts:
    """One dump. `own`: object -> instructions; `calls`: (object, function, callee's object,
    callee) -> [number, instructions with all that they called]."""

    def __init__(self, path: pathlib.Path) -> None:
        self.label = ""
        self.total = 0
        self.own = collections.Counter()
        self.calls = {}
        names = {"ob": {}, "fn": {}}
        at = {"ob": "", "fn": "", "cob": "", "cfn": ""}
        number = None
        for line in path.open(errors="replace"):
            if line.startswith(LABEL):
                self.label = line[len(LABEL) :].strip()
            elif match := re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line):
                called, kind, short, name = match.groups()
                if name:
                    names[kind][short] = os.path.basename(name) if kind == "ob" else name
                at[called + kind] = names[kind][short]
                if called + kind == "fn":
                    at["cob"] = at["ob"]
            elif line.startswith("calls="):
                number = int(line[6:].split()[0])
            elif line[0] in "+-*0123456789":
                cost = int(line.split()[1]) if " " in line else 0
                if number is None:
                    self.own[at["ob"]] += cost
                    self.total += cost
                    continue
                key = (at["ob"], at["fn"], at["cob"], at["cfn"])
                row = self.calls.setdefault(key, [0, 0])
                # A call that had begun before counting did has no true number.
                if cost < IMPOSSIBLE:
                    row[0] += number
                    row[1] += cost
                number = None
                at["cob"] = at["ob"]

    def of_objects(self, pattern: str) -> int:
        """Instructions of these objects, and of the C and C++ run time where they call it."""
        wanted = re.compile(pattern)
        count = sum(n for name, n in self.own.items() if wanted.search(name))
        return count + sum(
            row[1] for (ob, _, cob, _), row in self.calls.items()
            if wanted.search(ob) and RUNTIME.search(cob)
        )  # fmt: skip

    def around(self, entry: str, inner: str) -> tuple:
        """(calls of `entry` from another object, instructions of one without its calls of `inner`),
        both patterns of "object function"."""
        outer, real = re.compile(entry), re.compile(inner)
        number = cost = 0
        for (ob, fn, cob, cfn), row in self.calls.items():
            if outer.search(f"{cob} {cfn}") and ob != cob:
                number += row[0]
                cost += row[1]
            elif cob != ob and "libflopsprof_inject" in ob and real.search(f"{cob} {cfn}"):
                cost -= row[1]
        return number, cost / number if number else 0


def read(folder: str) -> dict:
    """label -> Counts, of a callgrind run with --callgrind-out-file=FOLDER/..."""
    found = (Counts(path) for path in sorted(pathlib.Path(folder).iterdir()))
    return {counts.label: counts for counts in found if counts.label}
