# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A counter of flops per module and phase that shares nothing with the product.

It sees operations of PyTorch (a dispatch mode), where the product sees calls of libraries; takes
their flops from shapes (`formulas.py`); and follows modules by its own means: calls through a
wrapper around `nn.Module.__call__`, backward nodes by the sequence number that autograd gave them
while a module ran.

    with Yardstick() as yardstick:
        ...
    yardstick.by_module(root)   # {path: {"forward": n, "backward": n, "recompute": n}}, inclusive

Work belongs to the innermost module that runs, and to all modules above it in the tree of the
root. Forward work inside of a backward pass is recompute.
"""

import bisect
import threading
from collections import defaultdict

import torch
from formulas import NoFormula, flops_of
from torch.utils._python_dispatch import TorchDispatchMode

PHASES = ("forward", "backward", "recompute")


class Thread(threading.local):
    """What one thread runs: modules, the backward node at whose start they were entered, and
    which module was innermost from which sequence number on."""

    def __init__(self):
        self.modules = []
        self.passes = 0
        self.node, self.depth = None, 0
        self.owner = None  # of the last node that ran
        self.starts, self.owners = [], []


class Yardstick(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.counts = defaultdict(lambda: dict.fromkeys(PHASES, 0))  # of modules, alone
        self.objects = {}  # id -> module; keeps them alive, so that ids stay theirs
        self.parents = {}  # id -> id of the first caller
        self.calls = defaultdict(int)
        self.without_formula = defaultdict(set)  # operation -> ids of modules
        self.thread = Thread()
        # Backward nodes run on other threads than the one that made them.
        self.main = self.thread.starts, self.thread.owners

    # ---- modules

    def note(self) -> None:
        """From the next sequence number on, nodes belong to the module that is innermost now."""
        thread = self.thread
        number = torch._C._autograd._get_sequence_nr()
        owner = thread.modules[-1] if thread.modules else None
        if thread.starts and thread.starts[-1] == number:
            thread.owners[-1] = owner
        else:
            thread.starts.append(number)
            thread.owners.append(owner)

    def enter(self, module) -> None:
        thread = self.thread
        self.look_at_node()
        self.objects[id(module)] = module
        self.calls[id(module)] += 1
        if thread.modules:
            self.parents.setdefault(id(module), thread.modules[-1])
        thread.modules.append(id(module))
        self.note()

    def leave(self, depth: int) -> None:
        del self.thread.modules[depth:]
        self.note()

    def __enter__(self):
        self.original = torch.nn.Module.__call__
        self.original_backward = torch.autograd.backward
        yardstick = self

        def call(module, *args, **kwargs):
            depth = len(yardstick.thread.modules)
            yardstick.enter(module)
            try:
                return yardstick.original(module, *args, **kwargs)
            finally:
                yardstick.leave(depth)

        def backward(*args, **kwargs):
            yardstick.thread.passes += 1
            try:
                return yardstick.original_backward(*args, **kwargs)
            finally:
                yardstick.thread.passes -= 1

        torch.nn.Module.__call__ = call
        torch.autograd.backward = backward
        return super().__enter__()

    def __exit__(self, *error):
        torch.nn.Module.__call__ = self.original
        torch.autograd.backward = self.original_backward
        return super().__exit__(*error)

    # ---- operations

    def look_at_node(self):
        """The backward node that runs on this thread, or None. Remembers how many modules were
        open when it began: more are a forward inside of it."""
        thread = self.thread
        node = torch._C._current_autograd_node()
        key = node and (node.name(), node._sequence_nr())
        if key != thread.node:
            thread.node, thread.depth = key, len(thread.modules)
        return node

    def place(self) -> tuple:
        """(module's id or None, phase) of what this thread runs now."""
        thread = self.thread
        innermost = thread.modules[-1] if thread.modules else None
        node = self.look_at_node()
        if node is None:
            return innermost, "forward"
        if len(thread.modules) > thread.depth:
            return innermost, "recompute"
        # What runs beside the accumulation of a gradient (hooks of a parameter) is of the node that
        # made the gradient: accumulation follows at once, and has no number of its own.
        if "AccumulateGrad" not in node.name():
            # A pass inside of a pass runs nodes that this very thread made.
            starts, owners = (thread.starts, thread.owners) if thread.passes else self.main
            index = bisect.bisect_right(starts, node._sequence_nr()) - 1
            thread.owner = owners[index] if index >= 0 else None
        return thread.owner, "recompute" if torch.is_grad_enabled() else "backward"

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function not in NOT_DECOMPOSED:
            # Under inference_mode operations arrive whole; their parts are looked at as well.
            super().__enter__()
            try:
                done = function.decompose(*args, **kwargs)
            finally:
                super().__exit__(None, None, None)
            if done is not NotImplemented:
                return done
        out = function(*args, **kwargs)
        if not any(isinstance(a, torch.Tensor) and a.is_cuda for a in args):
            return out  # work of the CPU, which the product does not count either
        try:
            found = flops_of(function.namespace, function._opname, args, kwargs, out)
        except NoFormula as error:
            self.without_formula[str(error)].add(self.place()[0])
            return out
        if found:
            owner, phase = self.place()
            self.counts[owner][phase] += found["work"]
            if found.get("recompute"):
                self.counts[owner]["recompute"] += found["recompute"]
        return out

    # ---- results

    def path_of(self, owner, paths) -> tuple:
        """(path, id) of the module, or of its nearest caller that has a path."""
        while owner is not None and owner not in paths:
            owner = self.parents.get(owner)
        return ("(outside)" if owner is None else paths[owner]), owner

    def places_without_formula(self, root) -> dict:
        """{path: operations that may hold products and have no formula}."""
        paths = {id(module): path for path, module in root.named_modules()}
        result = defaultdict(set)
        for operation, owners in self.without_formula.items():
            for owner in owners:
                result[self.path_of(owner, paths)[0]].add(operation)
        return {path: sorted(operations) for path, operations in result.items()}

    def by_module(self, root) -> dict:
        """Inclusive counts of every module of the root, by path. Work of a module that the root
        does not have goes to its nearest caller that it has; "(outside)" has the rest."""
        paths = {id(module): path for path, module in root.named_modules()}
        result = {path: dict.fromkeys(PHASES, 0) for path in paths.values()}
        for owner, counts in self.counts.items():
            path, owner = self.path_of(owner, paths)
            result.setdefault(path, dict.fromkeys(PHASES, 0))
            for above in [path] if owner is None else and_above(path):
                if above in result:
                    for phase in PHASES:
                        result[above][phase] += counts[phase]
        return result


NOT_DECOMPOSED = {
    torch.ops.aten.is_contiguous.memory_format, torch.ops.aten.is_contiguous.default,
    torch.ops.aten.is_strides_like_format.default, torch.ops.aten.size.default,
    torch.ops.aten.is_non_overlapping_and_dense.default, torch.ops.aten.stride.default,
    torch.ops.aten.sym_size.default, torch.ops.aten.storage_offset.default,
    torch.ops.aten.sym_storage_offset.default, torch.ops.aten.numel.default,
    torch.ops.aten.sym_numel.default, torch.ops.aten.dim.default,
    torch.ops.prim.layout.default, torch.ops.aten.sym_stride.default,
}  # fmt: skip


def and_above(path: str) -> list:
    """"a.b" -> ["a.b", "a", ""]."""
    parts = path.split(".") if path else []
    return [".".join(parts[:n]) for n in range(len(parts), -1, -1)]


def parameters_of(root) -> dict:
    """{path: number of elements of all parameters below it, each piece of memory once}."""
    result = {}
    for path, module in root.named_modules():
        seen = {}
        for parameter in module.parameters():
            if isinstance(parameter, torch.nn.parameter.UninitializedParameter):
                continue
            key = parameter.data_ptr() or id(parameter)
            seen[key] = max(seen.get(key, 0), parameter.numel())
        result[path] = sum(seen.values())
    return result
