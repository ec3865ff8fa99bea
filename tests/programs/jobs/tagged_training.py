# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an acceptance program and tells the stand-in GPU which module and phase every
launch belongs to, by means that share nothing with the profiler: per-module Python hooks
(forward, recompute), torch's node creation hook with a pre-hook on every node (backward),
optimizer step hooks and wrappers of GradScaler's methods. The ledger's lines then carry "path|phase" as their tag.

    python tagged_training.py lenet5.py --batch 8 --steps 3
"""

import ctypes
import os
import sys

import torch
from torch.autograd.graph import node_creation_hook
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "acceptance"))

import harness  # noqa: E402

OUTSIDE = "(outside)"


def load_tagger():
    """simgpu_tag of the stand-in that this process has mapped."""
    torch.cuda.init()
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = {line.split()[-1] for line in file if "libcudart.so" in line}
    library = ctypes.PyDLL(paths.pop())
    library.simgpu_tag.argtypes = [ctypes.c_char_p]
    library.simgpu_tag.restype = None
    return library.simgpu_tag


class Tags:
    """One stack per thread would be needed for models that call modules on several
    threads; the programs used here call them on one and run backward on another."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.set = load_tagger()
        self.stack = []
        self.node_tag = b""  # of the backward node that runs
        for path, module in model.named_modules():
            module.register_forward_pre_hook(self.entry(path))
            module.register_forward_hook(self.leave, always_call=True)
        register_optimizer_step_pre_hook(self.optimizer_begin)
        register_optimizer_step_post_hook(self.optimizer_end)
        for name in ("scale", "unscale_", "step", "update"):
            method = getattr(torch.amp.GradScaler, name)
            setattr(torch.amp.GradScaler, name, self.in_scaling(method))
        self.show()

    def show(self) -> None:
        path, phase = self.stack[-1] if self.stack else (OUTSIDE, "other")
        self.set(f"{path}|{phase}".encode())

    def entry(self, path: str):
        def enter(module, inputs) -> None:
            inside_backward = torch._C._current_graph_task_id() >= 0
            self.stack.append((path, "recompute" if inside_backward else "forward"))
            self.show()

        return enter

    def leave(self, module, inputs, output) -> None:
        self.stack.pop()
        if not self.stack and torch._C._current_graph_task_id() >= 0:
            self.set(self.node_tag)  # recomputed: the node goes on
        else:
            self.show()

    def on_node(self, node) -> None:
        path = self.stack[-1][0] if self.stack else OUTSIDE
        tag = f"{path}|backward".encode()

        def begin(*unused) -> None:
            self.node_tag = tag
            self.set(tag)

        node.register_prehook(begin)

    def in_scaling(self, method):
        def scaling(*args, **kwargs):
            self.stack.append((OUTSIDE, "scaling"))
            self.show()
            try:
                return method(*args, **kwargs)
            finally:
                self.stack.pop()
                self.show()

        return scaling

    def optimizer_begin(self, *unused) -> None:
        self.set(f"{OUTSIDE}|optimizer".encode())

    def optimizer_end(self, *unused) -> None:
        self.show()


def main() -> None:
    program = sys.argv[1]
    module = harness.load(os.path.join(os.path.dirname(HERE), "acceptance", program))
    args = harness.parse(module, sys.argv[2:])
    args.distributed = False
    work = harness.create(module, args)
    tags = Tags(work.model)
    with node_creation_hook(tags.on_node):
        for _ in range(args.steps):
            harness.step(work, args)
    torch.cuda.synchronize()
    print("done")


if __name__ == "__main__":
    main()
