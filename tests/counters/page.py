# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every counter on every case and model, and writes the tables of docs/coming-from.md.

    python tests/counters/page.py            # a JSON object: what was found, and whether the page says it
    python tests/counters/page.py --write

PYTHONPATH has to hold the folder that scripts/counter_packages.sh prints; the CPU is enough.
"""

import json
import logging
import os
import sys
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "support"), os.path.join(ROOT, "injector", "shims", "python")]

import calls  # noqa: E402
import document_parts  # noqa: E402
import tools  # noqa: E402
from cases import CASES, REASONS  # noqa: E402
from models import FROM_OURS, MODELS  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "coming-from.md")


def ours_of(model, args) -> dict:
    from flopsprof.count import count

    counted = count(model, *args)
    from_ours = [[tool, name, formula(counted)] for tool, name, _, formula in FROM_OURS]
    return {"flops": counted.flops, "macs": counted.macs, "uncounted": sorted(counted.uncounted),
            "from_ours": from_ours}  # fmt: skip


def said_of(model, args) -> tuple:
    """(our numbers, those of each tool). The model is made once: what a child does to it ends with it."""
    theirs = {tool: tools.in_child(lambda: counts(model, args)) for tool, counts in tools.TOOLS.items()}
    return tools.in_child(lambda: ours_of(model, args)), theirs


def case_rows() -> list:
    rows = []
    for case in CASES:
        ours, theirs = said_of(case.make().eval(), [make() for make in case.inputs])
        row = {"name": case.name, "right": {"flops": case.flops, "macs": case.macs}, "ours": ours, "theirs": {}}
        for tool, said in theirs.items():
            numbers, reason = case.expected(tool)
            row["theirs"][tool] = {"said": said, "expected": numbers, "reason": reason}
        rows.append(row)
    return rows


def model_rows() -> list:
    rows = []
    for name, (make, inputs) in MODELS.items():
        ours, theirs = said_of(make().eval(), inputs())
        rows.append({"name": name, "ours": ours, "theirs": theirs})
    return rows


def call_rows() -> list:
    def both(tool, theirs, ours):
        return [calls.value_of(theirs, tool), calls.value_of(ours, tool)]

    return [{"tool": tool, "theirs": theirs, "ours": ours,
             "values": tools.in_child(lambda: both(tool, theirs, ours))}
            for tool, theirs, ours in calls.CALLS]  # fmt: skip


def number(said) -> str:
    if "error" in said:
        return said["error"].split(":")[0]
    return " / ".join(f"{value:,}" for value in said.values())


def table(head, rows) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def parts(found) -> dict:
    """Name of a part of the page -> its text."""
    titles = [f"{tool} {version}" for tool, version in tools.versions().items()]
    cases, models = [], []
    for row in found["cases"]:
        cells = []
        for tool in tools.TOOLS:
            entry = row["theirs"][tool]
            reason = f" `{entry['reason']}`" if entry["reason"] else ""
            cells.append(number(entry["said"]) + reason)
        cases.append([row["name"], number(row["right"]), *cells])
    for row in found["models"]:
        ours = {"flops": row["ours"]["flops"], "macs": row["ours"]["macs"]}
        models.append([row["name"], number(ours), *(number(row["theirs"][tool]) for tool in tools.TOOLS)])
    return {
        "calls": table(["tool", "its call", "ours"],
                       [[row["tool"], calls.text_of(row["theirs"]), calls.text_of(row["ours"])]
                        for row in found["calls"]]),
        "cases": table(["model", "ours: flops / MACs", *titles], cases),
        "reasons": table(["reason", "what the tool does"], [[f"`{key}`", text] for key, text in REASONS.items()]),
        "models": table(["model", "ours: flops / MACs", *titles], models),
        "formulas": table(["tool", "its number, from ours"],
                          [[tool, f"`{name}`: {words}"] for tool, name, words, _ in FROM_OURS]),
    }  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)  # threads of a pool would not survive a fork
    tools.load_all()
    found = {"calls": call_rows(), "cases": case_rows(), "models": model_rows()}
    made = parts(found)
    if "--write" in sys.argv:
        for name, text in made.items():
            document_parts.write(PAGE, name, text)
        return
    found["reasons"] = sorted(REASONS)
    found["old_parts"] = [name for name, text in made.items() if document_parts.read(PAGE, name) != text]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
