# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""--step-at NAME, where NAME is a function: a step begins with each call of it.

NAME is "function", "Class.method" of the program itself, or "module.function", "module:function".
It is looked for until it is there. Of an asynchronous function a step begins when it runs.
"""

import os
import sys
import types

from _flopsprof_base import compiling, native
from _flopsprof_prologue import add_prologue

_wanted = os.environ.get("FLOPSPROF_STEP_AT", "")
_found = False
_failed: list = []  # places that cannot be looked into


def places():
    """(module, path inside of it) that NAME can mean."""
    if ":" in _wanted:
        module, _, path = _wanted.partition(":")
        yield module, path
        return
    yield "__main__", _wanted
    parts = _wanted.split(".")
    for end in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:end]), ".".join(parts[end:])


def found_in(module, path):
    """The function of that path; None: there is none, or not yet."""
    thing = sys.modules.get(module)
    for name in path.split("."):
        thing = getattr(thing, "__dict__", {}).get(name)
    if isinstance(thing, (staticmethod, classmethod)):
        thing = thing.__func__
    return thing if isinstance(thing, types.FunctionType) else None


def look() -> None:
    """Cheap where there is nothing to look for; else some dicts. Raises nothing."""
    global _found
    if not _wanted or _found:
        return
    for place in places():
        if place in _failed:
            continue
        try:
            function = found_in(*place)
            if function is not None:
                _found = True
                begin_at(function)
                return
        except Exception as error:  # the next place may be better; the next look would not be
            _failed.append(place)
            native.failed(f"--step-at {_wanted}: {error!r}"[:200])


def begin_at(function) -> None:
    code = function.__code__
    add_prologue(function, begun)
    native.note("step_at", "a function")
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code is code:  # its first call is what has led here
            native.step()
            return
        frame = frame.f_back


def begun() -> None:
    if not compiling():
        native.step()


def install() -> None:
    look()
