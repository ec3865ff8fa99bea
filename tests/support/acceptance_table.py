# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""docs/acceptance.md from the JUnit files of acceptance runs; it is never edited.

    python tests/support/acceptance_table.py build/test-logs/acceptance.xml [MORE.xml ...] \\
        > docs/acceptance.md

Of several files the last one that ran a row counts; each row says of which day and code it is
when they are not all of one. A row that no file has is "not run".
"""

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import compare

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "acceptance.md")

# Golden's yardstick of library arguments does not read cuDNN's attention plans; we do. And it takes
# the products with inner dimension 1 of T5's first token for library calls: they are a Triton
# kernel of PyTorch's. Such rows are judged at level whole only.
WHOLE_ONLY = ("sdpa-backend-cudnn-", "t5-batch-4-seq-128-generate-16-mode-fwd")

# What the counter of golden/modules.json takes by convention: marks in the rows, their meaning.
CONVENTIONS = {
    "a": "fused attention is counted dense, whatever its mask, with four products backward; the"
    " fifth, the QK^T that the kernel's backward runs again, must be in recompute",
    "r": "recurrent layers by cuDNN's nominal formula (every gate of every step, twice in backward),"
    " not by operations: the counter sees them decomposed",
    "g": "grouped products: all rows once; how many rows a group has is on the device and not judged",
    "c": "compiled: modules as the model without the compiler has them; which kernel did what is"
    " not judged",
    "h": "CUDA graphs: work as that of the eager step; which replay did what is not judged",
    "m": "mixed precision: counted on the CPU, by sizes alone; types are not judged",
}

HEAD = """# Acceptance programs

On the stand-in GPU (simulated; counts are of real calls). Written from runs alone by
`tests/support/acceptance_table.py`; do not edit. `scripts/test.sh --full --only acceptance` runs all
rows and writes this page.

**{equal} of {rows} rows equal** `tests/golden` to the integer, {modules:,} modules with work in all;
{differ} differ, {not_run} were not run.
Judged in each row, for one step (a run of three steps less a run of two):

- the totals of forward, backward and recompute, and that no other phase has flops;
- the same three of *every* module, with its children and alone, and that no other module has
  flops: against `tests/golden/modules.json`, from a counter of our own that is not the
  profiler, whose sums equal `golden.json`;
- at level *visible* (what library calls show) and at level *whole* (with what formulas give for
  kernels without a library call). The counts below are *whole*, `visible` is its share;
- in both runs, in every module and phase: inclusive = self + children, for flops, MACs, what is
  modelled, GPU time, unknown time and communication.

Not judged here: values of GPU times (`tests/integration/ledger_test.py` holds them against the
stand-in's ledger), calls, parameters, types, several ranks (`main_job_test.py`,
`parallel_test.py`), what kernels compute (nothing). Nor, by row, what `by convention` marks:

{conventions}
- *visible* "not judged": the file and we call different work a library call.
{of}
"""


@dataclass
class Row:
    result: str = "not run"
    why: str = ""
    seconds: float = 0
    of: str = ""  # day and code


def verdict(case) -> tuple:
    skipped = case.find("skipped")
    if skipped is not None:
        return "not run", skipped.get("message", "")
    for tag in ("failure", "error"):
        if case.find(tag) is not None:
            return "DIFFERS", (case.find(tag).get("message", "").splitlines() or [""])[0][:160]
    return "equal", ""


def read(paths: list, ids) -> dict:
    """{id: Row} of all ids. A run that skipped a row does not replace one that ran it."""
    rows = {name: Row() for name in ids}
    for path in paths:
        for suite in ElementTree.parse(path).getroot().iter("testsuite"):
            day = suite.get("timestamp", "")[:10]
            for case in suite.iter("testcase"):
                name = case.get("name", "").partition("[")[2].rstrip("]")
                if name not in rows:
                    continue
                result, why = verdict(case)
                if result == "not run" and rows[name].result != "not run":
                    continue
                code = {p.get("name"): p.get("value") for p in case.iter("property")}.get("code")
                of = f"{day}, {code or 'code not known'}"
                rows[name] = Row(result, why, float(case.get("time", 0)), of)
    return rows


def conventions(entry: dict) -> str:
    kinds = entry["flops_by_class"]
    program = entry["argv"][0]
    marks = {
        "a": "attention" in kinds and "math" not in entry["argv"],
        "r": "rnn" in kinds,
        "g": "grouped mm" in kinds,
        "c": program == "compiled.py",
        "h": program == "graphs.py",
        "m": program == "amp.py",
    }
    return " ".join(mark for mark, holds in marks.items() if holds)


def line(entry: dict, row: Row, with_of: bool) -> str:
    visible = entry["visible_in_library_calls"]
    share = f"{100 * visible['step_flops'] / entry['step_flops']:.4g} %"
    if entry["id"].startswith(WHOLE_ONLY):
        share = "not judged"
    cells = [
        " ".join([entry["argv"][0][:-3], *entry["argv"][1:]]).replace("--", ""),
        str(len(compare.read_modules()[entry["id"]])),
        f"{entry['fwd']['flops']:,}",
        f"{entry['bwd']['flops']:,}",
        f"{entry['recompute']['flops'] + compare.flash(entry):,}",
        share,
        conventions(entry),
        row.result + (f": {row.why.replace('|', '/')}" if row.why else ""),
        f"{row.seconds:.0f}",
        *([row.of] if with_of else []),
    ]
    return "| " + " | ".join(cells) + " |"


def render(golden: list, rows: dict) -> str:
    ran = {row.of for row in rows.values() if row.result != "not run"}
    with_of = len(ran) > 1
    of = (
        "\nThe rows are of several runs: `of` says of which day and code each is."
        if with_of
        else f"\nAll of {''.join(ran)}."
    )
    judged = [e for e in golden if rows[e["id"]].result == "equal"]
    head = HEAD.format(
        equal=len(judged),
        rows=len(golden),
        differ=sum(rows[e["id"]].result == "DIFFERS" for e in golden),
        not_run=sum(rows[e["id"]].result == "not run" for e in golden),
        modules=sum(len(compare.read_modules()[e["id"]]) for e in judged),
        conventions="\n".join(f"- *{mark}*: {what}." for mark, what in CONVENTIONS.items()),
        of=of,
    )
    names = ["program", "modules", "forward flops", "backward", "recompute", "visible",
             "by convention", "result", "s", *(["of"] if with_of else [])]  # fmt: skip
    table = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    table += [line(entry, rows[entry["id"]], with_of) for entry in golden]
    return head + "\n" + "\n".join(table) + "\n"


def read_golden() -> list:
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        return [entry for entry in json.load(file) if "same_as" not in entry]


def main() -> int:
    golden = read_golden()
    print(render(golden, read(sys.argv[1:], [entry["id"] for entry in golden])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
