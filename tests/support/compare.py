# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Judges measured counts against a golden file.

    python tests/support/compare.py [--level visible|whole] [--need ID-PART ...] golden.json measured.json

`measured.json` is a list of objects made by whoever drives the profiler, per step and per rank:

    {"id": "...", "fwd_flops": n, "bwd_flops": n, "recompute_flops": n,
     "by_module": {"path": {"fwd_flops": n, "bwd_flops": n, "recompute_flops": n}}}

`visible`: exactly what the arguments of library calls show.  `whole` (default): all products,
those of kernels without a library call included.  Every path of the golden entry must be there
with all its keys, and no other path may have flops.  A flash-type attention backward computes
QK^T again: that may be booked as recompute at level `whole`.
"""

import argparse
import json
import sys

KEYS = ("fwd_flops", "bwd_flops", "recompute_flops")


def flash(golden: dict) -> int:
    """Flops of the QK^T that a flash-type attention backward computes again."""
    if not any("flash" in name for name in golden.get("alternatives", {})):
        return 0
    return golden["flops_by_class"]["attention"]["fwd_flops"] // 2


def expected(golden: dict, level: str) -> tuple:
    """Totals and rows per module at that level."""
    if level == "visible":
        return (
            golden["visible_in_library_calls"],
            golden.get("by_module_visible", golden["by_module"]),
        )
    totals = {
        "fwd_flops": golden["fwd"]["flops"],
        "bwd_flops": golden["bwd"]["flops"],
        "recompute_flops": golden["recompute"]["flops"],
    }
    return totals, golden["by_module"]


def repeated(golden: dict, path: str) -> int:
    """The part of flash(golden) that belongs to one module."""
    if not flash(golden):
        return 0
    seen = golden.get("by_module_visible", golden["by_module"])
    return (golden["by_module"][path]["fwd_flops"] - seen[path]["fwd_flops"]) // 2


def judge(golden: dict, measured: dict, level: str = "whole") -> list:
    """Lines of differences; empty when all is right."""
    totals, rows = expected(golden, level)
    lines = []

    def check(what, key, value, right, extra):
        accepted = {right}
        if level == "whole" and key == "recompute_flops":
            accepted.add(right + extra)
        if value is None:
            lines.append(f"{what} {key}: not measured, {right} is right")
        elif value not in accepted:
            lines.append(f"{what} {key}: {value}, not {right}")

    for key in KEYS:
        check("total", key, measured.get(key), totals[key], flash(golden))
    modules = measured.get("by_module", {})
    for path, row in rows.items():
        for key in KEYS:
            value = modules.get(path, {}).get(key)
            check(f"module {path or '(root)'}", key, value, row[key], repeated(golden, path))
    for path, row in modules.items():
        # The golden file lists every module of the first three levels, deeper ones in part.
        known = path in rows or path.startswith("(") or path.count(".") >= 3
        if not known and any(row.get(key) for key in KEYS):
            lines.append(f"module {path}: has flops, but is not in the golden file")
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
