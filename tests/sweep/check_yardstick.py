# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The yardstick on the cases of tests/oracle, whose flops are formulas by hand. Prints a JSON
object: {"cases": n, "equal": n, "different": {case: [what it said, by hand]}}.

    python check_yardstick.py        # the python of the stand-in GPU
"""

import contextlib
import json
import logging
import os
import sys
import warnings

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "oracle")]
from cases import all_cases  # noqa: E402
from yardstick import PHASES, Yardstick  # noqa: E402


def said_of(case):
    """Counts of the case, or the operations without a formula, or how it failed."""
    root = nn.Module()
    root.add_module("case", case.module("cuda"))
    root.case.train(not case.facts.get("eval", False))
    inputs = case.inputs("cuda")
    with Yardstick() as yardstick:
        with case.context() if case.context else contextlib.nullcontext():
            with torch.enable_grad() if case.backward is not None else torch.no_grad():
                out = root.case(*inputs)
            if case.backward is not None:
                out.backward(torch.ones_like(out))
    if yardstick.without_formula:
        return sorted(yardstick.without_formula)
    counts = yardstick.by_module(root)
    if counts[""] != counts["case"] or any(counts.get("(outside)", {}).values()):
        return "work outside of the case"
    return [counts["case"][phase] for phase in PHASES]


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    cases, different = all_cases(), {}
    for case in cases:
        right = [case.forward, case.backward or 0, case.recompute]
        try:
            said = said_of(case)
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0]
        if said != right:
            different[case.id] = [said, right]
    found = {"cases": len(cases), "equal": len(cases) - len(different), "different": different}
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
