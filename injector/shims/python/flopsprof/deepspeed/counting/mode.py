# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Sees every operator that runs below autograd, and adds its work to the module that runs.

A TorchDispatchMode and not replaced functions: a program that took a function before (`from
torch.nn.functional import relu`, an activation stored in a module), operators, functions inside C++,
scripted modules, quantised layers are all seen, and nothing of the program changes its way. (A
TorchFunctionMode would: nn.MultiheadAttention leaves its fast path for one.)
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .operators import UNKNOWN, formula_of, name_of

# id of an operator -> (operator, what calls it, formula or None or UNKNOWN, whether it is made of others).
# By id, because the hash of an operator is a function in Python; it is held, so that no id is used again.
_known = {}


def _look_at(func) -> tuple:
    # The operator's own __call__ is one more frame of Python.
    call = func._op if type(func) is torch._ops.OpOverload else func
    _known[id(func)] = entry = (func, call, formula_of(func), _is_composite(func))
    return entry


class Frame:
    """What the operators of one call of a module add up to."""

    __slots__ = ("flops", "macs", "by_operator")

    def __init__(self):
        self.flops = self.macs = 0
        self.by_operator = None


class OperatorMode(TorchDispatchMode):
    """`frames` is the stack of the modules that run on this thread; the last one gets the work."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls):
        # The wrapper that keeps Dynamo out of a mode costs as much as the operator itself.
        return False

    @classmethod
    def ignore_compile_internals(cls):
        # Else compiled code would not run compiled, and Dynamo would compile __torch_dispatch__.
        return True

    def __init__(self, uncounted: dict):
        super().__init__()
        self.entered = False
        self.notes = 0  # operators that are in no number
        self.muted = 0  # layers that are counted by a formula of their own and run now
        self.frames = []
        self.uncounted = uncounted  # name -> [calls, why]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        _, call, formula, is_composite = _known.get(id(func)) or _look_at(func)
        if is_composite and formula is UNKNOWN and _all_are_strided(args):
            with self:
                return func.decompose(*args, **(kwargs or {}))
        out = call(*args, **kwargs) if kwargs else call(*args)
        if formula is not None and self.frames and not self.muted:
            self.add(func, formula, args, kwargs or {}, out)
        return out

    def add(self, func, formula, args, kwargs, out):
        if formula is UNKNOWN:
            self.note(func, "no formula")
            return
        try:
            flops, macs = formula(args, kwargs, out)
        except Exception as error:  # a layout that the formula does not know: told, not raised
            self.note(func, repr(error)[:120])
            return
        frame = self.frames[-1]
        frame.flops += flops
        frame.macs += macs
        if frame.by_operator is not None:
            entry = frame.by_operator.setdefault(name_of(func), [0, 0])
            entry[0] += flops
            entry[1] += macs

    def note(self, func, why):
        entry = self.uncounted.setdefault(name_of(func), [0, why])
        entry[0] += 1
        self.notes += 1


_OWN_KERNELS = ("CPU", "CUDA", "Meta", "PrivateUse1")


def _is_composite(func) -> bool:
    """It is only other operators, as it would have come apart above autograd.

    Inference mode has no autograd to do that, so that it arrives whole.
    """
    if not isinstance(func, torch._ops.OpOverload):
        return False
    name, has_kernel = func.name(), torch._C._dispatch_has_kernel_for_dispatch_key
    is_made_of_others = has_kernel(name, "CompositeImplicitAutograd")
    return is_made_of_others and not any(has_kernel(name, key) for key in _OWN_KERNELS)


def _all_are_strided(args) -> bool:
    """Nested and sparse tensors have kernels of their own for some composite operators."""
    return not any(
        isinstance(x, torch.Tensor) and (x.is_nested or x.layout is not torch.strided) for x in args
    )


_depth = torch._C._len_torch_dispatch_stack
_pop = torch._C._pop_torch_dispatch_stack
_push = torch._C._push_on_torch_dispatch_stack


def is_alone() -> bool:
    """One mode is on the stack: ours, where it is entered."""
    return _depth() == 1


def suspend(mode) -> bool:
    """Takes the mode off the stack for a layer with a formula of its own; True if it was the top."""
    if not _depth():
        return False
    top = _pop(None)
    if top is mode:
        return True
    _push(top)
    return False


def resume(mode) -> None:
    _push(mode)
