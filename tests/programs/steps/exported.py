# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch.export of methods that --step-at follows where it can: exported.py FOLDER_OF_THE_PARTS.

On the CPU, on any torch. Prints how many operations each graph has.
"""

import os
import sys
import types

import torch
from torch import nn


class Plain(nn.Module):
    def forward(self, x):
        return x * 2 + 1


class Doubled(nn.Module):
    def forward(self, x):
        return x * 2


class Derived(Doubled):
    def forward(self, x):
        return super().forward(x) + 1


def main():
    os.environ["FLOPSPROF_STEP_AT"] = "forward"
    native = sys.modules["_flopsprof_native"] = types.ModuleType("_flopsprof_native")
    native.step = native.note = native.failed = lambda *_: None
    native.session = lambda: 1
    sys.path.insert(0, sys.argv[1])
    import _flopsprof_base as base
    import _flopsprof_prologue as prologue
    import _flopsprof_step_at as step_at

    for part in (base, prologue, step_at):
        base.skip_part(part)
    for kind in (Plain, Derived):
        try:
            prologue.add_prologue(kind.forward, step_at.begun)
        except TypeError:
            pass  # one that cannot be followed
        program = torch.export.export(kind(), (torch.ones(3),), strict=True)
        print(sum(node.op == "call_function" for node in program.graph.nodes))


if __name__ == "__main__":
    main()
