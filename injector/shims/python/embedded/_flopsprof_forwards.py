# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Children that a module's code calls by `forward`: such calls are not seen, and this says so."""

import dis
import types

from _flopsprof_base import native

MOST = 8  # of those that are named
LOADS = ("LOAD_ATTR", "LOAD_METHOD")

_looked_at: set = set()  # classes
_found: list = []


def attributes_called_by_forward(function) -> set:
    """Names X of `self.X.forward(...)` in the function's code."""
    names = set()
    before = None
    for instruction in dis.get_instructions(function):
        if instruction.opname in LOADS and instruction.argval == "forward":
            if before is not None and before.opname == "LOAD_ATTR":
                names.add(before.argval)
        before = instruction
    return names


def look_at(module) -> None:
    """Once for each class: notes the children that its code calls so."""
    cls = type(module)
    if cls in _looked_at or cls.__module__.startswith("torch."):
        return
    _looked_at.add(cls)
    names = set()
    for function in vars(cls).values():
        if isinstance(function, types.FunctionType) and "forward" in function.__code__.co_names:
            names |= attributes_called_by_forward(function)
    new = [f"{name} ({type(module._modules[name]).__name__}) of {cls.__name__}"
           for name in sorted(names) if module._modules.get(name) is not None]  # fmt: skip
    if new:
        _found.extend(new)
        more = len(_found) - MOST
        text = ", ".join(_found[:MOST]) + (f" and {more} more" if more > 0 else "")
        native.note("called_by_forward", text)
