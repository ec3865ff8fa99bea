# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Children that a module's code calls by `forward`: such calls are not seen, and this says so."""

import dis
import types
import weakref

from _flopsprof_base import native

MOST = 8  # of those that are named
MOST_KEPT = 1000
LOADS = ("LOAD_ATTR", "LOAD_METHOD")

_names_of = weakref.WeakKeyDictionary()  # class -> what its code calls by `forward`
_found: dict = {}  # texts, in order


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


def attributes_called_in(cls) -> set:
    names = set()
    for function in vars(cls).values():
        if isinstance(function, types.FunctionType) and "forward" in function.__code__.co_names:
            names |= attributes_called_by_forward(function)
    return names


def look_at(module) -> None:
    """Notes the children that the code of the module's class calls so, where it has them."""
    cls = type(module)
    names = _names_of.get(cls)
    if names is None:
        _names_of[cls] = ()  # also where the rest raises: it would again
        if cls.__module__.startswith("torch."):
            return
        names = _names_of[cls] = tuple(sorted(attributes_called_in(cls)))
    more = len(_found)
    for name in names:
        child = module._modules.get(name)
        if child is not None and len(_found) < MOST_KEPT:
            _found[f"{name} ({type(child).__name__}) of {cls.__name__}"] = None
    if len(_found) == more:
        return
    more = len(_found) - MOST
    text = ", ".join(list(_found)[:MOST]) + (f" and {more} more" if more > 0 else "")
    native.note("called_by_forward", text)
