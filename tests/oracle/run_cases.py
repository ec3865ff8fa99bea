# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The job that is profiled: every case once, forward and backward, each a child of one module.

    flopsprof-run -o DIR -- python run_cases.py ERRORS.json [FAMILY]
"""

import json
import os
import sys

import torch
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import all_cases  # noqa: E402


def child_name(number: int) -> str:
    return f"case{number:04d}"


def run(case, module: nn.Module, device: str) -> None:
    """Forward and, where the case has one, backward."""
    inputs = case.inputs(device)
    with torch.enable_grad() if case.backward is not None else torch.no_grad():
        out = module(*inputs)
    if case.backward is not None:
        out.backward(torch.ones_like(out))


class Oracle(nn.Module):
    def __init__(self, cases, device) -> None:
        super().__init__()
        self.cases, self.device = cases, device
        self.errors = {}
        for number, case in cases:
            self.add_module(child_name(number), case.module(device))

    def forward(self) -> None:
        for number, case in self.cases:
            try:
                run(case, getattr(self, child_name(number)), self.device)
            except Exception as error:
                self.errors[case.id] = f"{type(error).__name__}: {error}".splitlines()[0]


def main() -> None:
    family = sys.argv[2] if len(sys.argv) > 2 else ""
    numbered = [(i, c) for i, c in enumerate(all_cases()) if not family or c.family == family]
    oracle = Oracle(numbered, "cuda")
    oracle.train()
    for number, case in numbered:
        # Each case decides for itself: an encoder layer in eval takes another way.
        getattr(oracle, child_name(number)).train(not case.facts.get("eval", False))
    oracle()
    torch.cuda.synchronize()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(oracle.errors, file)


if __name__ == "__main__":
    main()
