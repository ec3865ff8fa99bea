# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Where optimizer steps begin and end, also those that raise."""

import functools
import sys
import threading
import weakref

import _flopsprof_step_at as step_at
from _flopsprof_base import add_hook, compiling, native, replace, torch

_names: dict = {}  # id of an optimizer -> weak reference, name
MOST_NAMES = 100
_local = threading.local()  # .optimizers: (optimizer, id of the caller's frame, depth), open steps


def optimizer_exists() -> bool:
    """Was an optimizer made in this process? Its class then carries a wrapped step()."""
    base = getattr(getattr(torch, "optim", None), "Optimizer", None)
    stack = [base] if base is not None else []
    subclasses = type.__subclasses__  # at each forward of a root, as long as there is none
    while stack:
        kind = stack.pop()
        if getattr(kind.__dict__.get("step"), "hooked", None):
            return True
        stack += subclasses(kind)
    return False


def name_of(optimizer) -> str:
    """"AdamW"; "SGD #2" for the second optimizer of the process that steps."""
    known = _names.get(id(optimizer))
    if known is not None and known[0]() is optimizer:
        return known[1]
    number = len(_names) + 1 if known is None else int(known[2])
    name = type(optimizer).__name__
    if number > MOST_NAMES:  # one that is made for each step
        return "(other optimizers)"
    if number > 1:
        name = f"{name} #{number}"
    _names[id(optimizer)] = (weakref.ref(optimizer), name, number)
    return name


def number_of(optimizer) -> int:
    """By first steps, from 0; the same for all that have no name of their own."""
    known = _names.get(id(optimizer))
    return known[2] - 1 if known is not None and known[0]() is optimizer else MOST_NAMES


def made(init):
    @functools.wraps(init)
    def run(*args, **kwargs):
        result = init(*args, **kwargs)
        try:
            if not compiling():
                native.optimizer_made()
        except Exception as error:
            native.failed(repr(error)[:200])
        return result

    return run


def leave_raised(depths, frame) -> None:
    """Ends optimizer steps that raised: their caller is not on Python's stack any more."""
    running = set()
    while frame is not None:
        running.add(id(frame))
        frame = frame.f_back
    while depths and depths[-1][1] not in running:
        native.leave(depths.pop()[2])


def before_optimizer(optimizer, args, kwargs):
    if compiling():
        return None
    try:
        depths = getattr(_local, "optimizers", None)
        if depths is None:
            depths = _local.optimizers = []
        step_at.look()
        caller = sys._getframe(1)
        if depths:
            leave_raised(depths, caller.f_back)  # the caller itself has only begun
        depths.append((weakref.ref(optimizer), id(caller), native.optimizer_begin(name_of(optimizer))))
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def after_optimizer(optimizer, args, kwargs):
    if compiling():
        return None
    try:
        depths = getattr(_local, "optimizers", [])
        while depths:  # a step() that raised has left its entry
            reference, _, depth = depths.pop()
            if reference() is optimizer:
                break
        else:
            return None
        native.optimizer_end(depth, number_of(optimizer))
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def install() -> None:
    optimizers = sys.modules.get("torch.optim.optimizer")
    for name, hook in (
        ("register_optimizer_step_pre_hook", before_optimizer),
        ("register_optimizer_step_post_hook", after_optimizer),
    ):
        register = getattr(optimizers, name, None)
        if register is not None:
            add_hook(register, hook)
    base = getattr(optimizers, "Optimizer", None)
    if base is not None:
        replace(base, "__init__", made)
