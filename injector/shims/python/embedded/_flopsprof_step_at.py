# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""--step-at NAME, where NAME is a function: a step begins with each call of it.

NAME is "function", "Class.method" of the program itself, or "module.function", "module:function".
The function is replaced where it can be reached by name; it is looked for until it is there.
"""

import functools
import os
import sys
import types

from _flopsprof_base import compiling, native, undo

_wanted = os.environ.get("FLOPSPROF_STEP_AT", "")
_found = False


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


def look() -> None:
    """Cheap where there is nothing to look for; else some dicts."""
    global _found
    if not _wanted or _found:
        return
    for module, path in places():
        owner = sys.modules.get(module)
        *above, last = path.split(".")
        for name in above:
            owner = getattr(owner, "__dict__", {}).get(name)
        function = getattr(owner, "__dict__", {}).get(last)
        if isinstance(function, types.FunctionType):
            _found = True
            wrap(owner, last, function)
            return


def wrap(owner, name, function) -> None:
    @functools.wraps(function)
    def run(*args, **kwargs):
        if not compiling():
            native.step()
        return function(*args, **kwargs)

    # Others hold it under a name of their own: `from train import train_step`.
    owners = [owner]
    owners += [m for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]
    for one in owners:
        for key, value in list(getattr(one, "__dict__", {}).items()):
            if value is function:
                setattr(one, key, run)
                undo.append((restore, (one, key, run, function)))
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code is function.__code__:  # its first call is what has led here
            native.step()
            return
        frame = frame.f_back


def restore(owner, key, run, function) -> None:
    if owner.__dict__.get(key) is run:
        setattr(owner, key, function)


def install() -> None:
    look()
