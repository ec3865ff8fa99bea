# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Judges measured counts of a program's step against the golden files.

    python tests/support/compare.py [--level visible|whole] [--need ID-PART ...] golden.json measured.json

`measured.json` is a list of objects made by whoever drives the profiler, per step and per rank:

    {"id": "...", "fwd_flops": n, "bwd_flops": n, "recompute_flops": n, "rest_flops": 0,
     "by_module": {"path": {"fwd_flops": n, "bwd_flops": n, "recompute_flops": n}},
     "by_module_self": the same of each module without its children}

`visible`: exactly what the arguments of library calls show.  `whole` (default): all products,
those of kernels without a library call included.  Every module of the program is judged, with
its children and alone, by `modules.json` beside the golden file: a module that is not there has
no work.  A path that the golden file lists must be measured even then.  A flash-type attention
backward computes QK^T again: that may be booked as recompute at level `whole`.
"""

import argparse
import functools
import json
import os
import sys

KEYS = ("fwd_flops", "bwd_flops", "recompute_flops")
OUTSIDE = "(outside)"
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")


@functools.lru_cache(maxsize=None)
def read_modules(folder: str = GOLDEN) -> dict:
    with open(os.path.join(folder, "modules.json"), encoding="utf-8") as file:
        return json.load(file)


def is_flash(golden: dict) -> bool:
    return any("flash" in name for name in golden.get("alternatives", {}))


def flash(golden: dict) -> int:
    """Flops of the QK^T that a flash-type attention backward computes again."""
    return golden["flops_by_class"]["attention"]["fwd_flops"] // 2 if is_flash(golden) else 0


def expected_totals(golden: dict, level: str) -> dict:
    if level == "visible":
        return golden["visible_in_library_calls"]
    return {key: golden[key[: -len("_flops")]]["flops"] for key in KEYS}


def own_rows(golden: dict, own: dict, level: str) -> tuple:
    """{path: [forward, backward, recompute]} of each module alone, and of its repeated QK^T."""
    unseen = golden["visible_in_library_calls"]["not_visible"] if level == "visible" else ()
    rows, again = {}, {}
    for path, kinds in own.items():
        seen = [row for kind, row in kinds.items() if kind not in unseen]
        rows[path] = [sum(column) for column in zip(*seen, strict=True)] or [0, 0, 0]
        if level == "whole" and is_flash(golden):
            again[path] = kinds.get("attention", [0])[0] // 2
    return rows, again


def with_children(rows: dict, nothing) -> dict:
    """Adds what each module does to all above it; works on numbers and on lists of them."""
    total = {}
    for path, value in rows.items():
        parts = path.split(".") if path else []
        for name in {".".join(parts[:n]) for n in range(len(parts) + 1)}:
            old = total.get(name, nothing)
            total[name] = (
                [a + b for a, b in zip(old, value, strict=True)]
                if isinstance(value, list)
                else old + value
            )
    return total


def judge(golden: dict, measured: dict, level: str = "whole", again: bool = None) -> list:
    """Lines of differences; empty when all is right.

    `again`: whether the QK^T that a flash-type backward repeats must be in recompute at level
    whole (True), must not (False), or may (None).
    """
    lines = []

    def check(what, key, value, right, extra):
        accepted = {None: {right, right + extra}, True: {right + extra}, False: {right}}[again]
        if value is None:
            lines.append(f"{what} {key}: not measured, {right} is right")
        elif value not in accepted:
            lines.append(f"{what} {key}: {value}, not {' or '.join(map(str, sorted(accepted)))}")

    def check_row(what, row, right, extra):
        for key, number in zip(KEYS, right, strict=True):
            repeated = extra if key == "recompute_flops" else 0
            check(what, key, row.get(key), number, repeated)

    totals = expected_totals(golden, level)
    whole_again = flash(golden) if level == "whole" else 0
    check_row("total", measured, [totals[key] for key in KEYS], whole_again)
    check("total", "rest_flops", measured.get("rest_flops"), 0, 0)

    own, repeated = own_rows(golden, read_modules()[golden["id"]], level)
    for name, rows, extras in (
        ("by_module", with_children(own, [0, 0, 0]), with_children(repeated, 0)),
        ("by_module_self", own, repeated),
    ):
        found = measured.get(name, {})
        needed = set(golden["by_module"]) | set(rows)
        for path in [*sorted(needed), *sorted(set(found) - needed)]:
            what = f"module {path or '(root)'}" + (" alone" if name == "by_module_self" else "")
            row = rows.get(path, [0, 0, 0])
            check_row(what, found.get(path, {}), row, extras.get(path, 0))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", choices=("visible", "whole"), default="whole")
    parser.add_argument("--need", nargs="*", default=[], help="ids (parts) that must be judged")
    parser.add_argument("golden")
    parser.add_argument("measured")
    args = parser.parse_args()
    with open(args.golden) as file:
        golden = {entry["id"]: entry for entry in json.load(file)}
    with open(args.measured) as file:
        measured = json.load(file)
    failed = 0
    for result in measured:
        entry = golden[result["id"]]
        entry = golden[entry.get("same_as", entry["id"])]
        lines = judge(entry, result, args.level)
        failed += bool(lines)
        print("ok  " if not lines else "FAIL", result["id"])
        for line in lines[:12]:
            print("      ", line)
    ids = [result["id"] for result in measured]
    absent = [part for part in args.need if not any(part in name for name in ids)]
    for part in absent:
        print("FAIL", part, "was not measured")
    print(f"{len(measured) - failed} of {len(measured)} right, {len(absent)} missing")
    return 0 if measured and not failed and not absent else 1


if __name__ == "__main__":
    sys.exit(main())
