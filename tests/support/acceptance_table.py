# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The dated Markdown table of an acceptance run, from pytest's JUnit file.

    python tests/support/acceptance_table.py build/test-logs/acceptance.xml > docs/acceptance.md

Of several files, the last one that has a row counts.
"""

import datetime
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Golden's yardstick of library arguments does not read cuDNN's attention plans; we do. And it takes
# the products with inner dimension 1 of T5's first token for library calls: they are a Triton
# kernel of PyTorch's. Such rows are judged at level whole only.
WHOLE_ONLY = ("sdpa-backend-cudnn-", "t5-batch-4-seq-128-generate-16-mode-fwd")


def verdict(case) -> tuple:
    skipped = case.find("skipped")
    if skipped is not None:
        return "not run", skipped.get("message", "")
    for tag in ("failure", "error"):
        if case.find(tag) is not None:
            return "DIFFERS", case.find(tag).get("message", "").splitlines()[0][:160]
    return "equal", ""


def main() -> int:
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        golden = {entry["id"]: entry for entry in json.load(file)}
    rows = {}
    for case in (c for path in sys.argv[1:] for c in ElementTree.parse(path).getroot().iter("testcase")):
        name = case.get("name", "")
        if "[" not in name:
            continue
        entry = golden.get(name.split("[", 1)[1].rstrip("]"))
        if entry:
            rows[entry["id"]] = (entry, *verdict(case), float(case.get("time", 0)))
    rows = list(rows.values())
    today = datetime.datetime.now(datetime.timezone.utc).date()
    equal = sum(row[1] == "equal" for row in rows)
    print("# Acceptance programs\n")
    print(
        f"{today}, on the stand-in GPU (simulated; counts are of real calls): {equal} of"
        f" {len(rows)} rows equal `tests/golden/golden.json` to the integer for every module"
        " and phase: at level *visible* (what library calls show) and at level *whole* (with what"
        " formulas give for kernels without a library call). Written by `scripts/test.sh --full`.\n"
    )
    print("The counts are those of level *whole*; `visible` is the share that library calls show."
          " Not judged: rows in which the file and we call different work a library call.\n")
    print("| program | forward flops | backward | recompute | visible | result | s |")
    print("|---|---|---|---|---|---|---|")
    for entry, result, why, seconds in rows:
        visible = entry["visible_in_library_calls"]
        share = f"{100 * visible['step_flops'] / entry['step_flops']:.4g} %"
        if entry["id"].startswith(WHOLE_ONLY):
            share = "not judged"
        line = " ".join([entry["argv"][0][:-3], *entry["argv"][1:]]).replace("--", "")
        note = f": {why}" if why else ""
        print(
            f"| {line} | {entry['fwd']['flops']:,} | {entry['bwd']['flops']:,} |"
            f" {entry['recompute']['flops']:,} |"
            f" {share} |"
            f" {result}{note.replace('|', '/')} | {seconds:.0f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
