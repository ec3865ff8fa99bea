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

HELD_BY_THE_FRAME = 3  # references: also those of the variable and the argument that ask

_wanted = os.environ.get("FLOPSPROF_STEP_AT", "")
_found = False
_said = 0  # the session that was told so
_failed: list = []  # places that cannot be looked into, or whose function cannot be followed
_nothing = object()


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
    if not _wanted:
        return
    if _found:
        say()
        return
    for place in places():
        if place in _failed:
            continue
        function = None
        try:
            function = found_in(*place)
            if function is not None and begin_at(function):
                return
        except Exception as error:  # the next place may be better; the next look would not be
            _failed.append(place)
            native.failed(f"--step-at {_wanted}: {error!r}"[:200])
            if function is not None:
                native.note("step_at", f"a function that cannot be followed: {error}"[:200])


def begin_at(function) -> bool:
    """False: another thread is at it."""
    global _found
    if _found:
        return False
    _found = True  # before: two threads may look at once
    code = function.__code__
    try:
        add_prologue(function, begun)
    except BaseException:
        _found = False
        raise
    say()
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code is code and is_frame_of(frame, function):
            native.step()  # its first call is what has led here
            break
        frame = frame.f_back
    return True


def is_frame_of(frame, function) -> bool:
    """Of two functions with the same code (what a decorator makes): is the frame of this one?"""
    names = function.__code__.co_freevars
    if not names:
        return True
    variables = frame.f_locals
    same = all(
        variables.get(name, _nothing) is content_of(cell)
        for name, cell in zip(names, function.__closure__)
    )
    # Before Python 3.13 a copy that the frame keeps: `del batch` would not free what it has. One
    # that the program has from locals() is held once more.
    if type(variables) is dict and sys.getrefcount(variables) <= HELD_BY_THE_FRAME:
        code = frame.f_code
        for name in code.co_varnames + code.co_cellvars + code.co_freevars:
            variables.pop(name, None)
    return same


def content_of(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _nothing  # empty


def say() -> None:
    global _said
    session = native.session()
    if _said != session:
        _said = session
        native.note("step_at", "a function")


def begun() -> None:
    if not compiling():
        if _said != native.session():
            say()
        native.step()


def install() -> None:
    global _found, _said
    _found, _said = False, 0  # what uninstall() has taken out is looked for again
    _failed.clear()
    look()
