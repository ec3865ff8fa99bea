# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What every part of the embedded Python uses: PyTorch as it is here, and changes that go away.

Standard library only. Nothing here or in the other parts prints, or raises into the program: the
native side counts and notes failures.
"""

import sys
import types

import _flopsprof_native as native  # noqa: F401  (for the other parts)

torch = sys.modules["torch"]
hooks = sys.modules["torch.nn.modules.module"]
Module = hooks.Module

# Not in sys.modules before torch 2.5.
_frames = getattr(getattr(getattr(torch, "_C", None), "_dynamo", None), "eval_frame", None)
set_eval_frame = getattr(_frames, "set_eval_frame", None)

_compiler = getattr(torch, "compiler", None)
compiling = getattr(_compiler, "is_compiling", None) or (lambda: False)

# Sizes that are asked for while this is not None become part of the traced graph.
tracing = getattr(getattr(torch, "_C", None), "_get_tracing_state", lambda: None)

undo: list = []  # (function, arguments) that take our changes out again


def skip_in_dynamo(function) -> None:
    """Keeps Dynamo from compiling our functions where they run between compiled pieces."""
    try:
        skip_code(function.__code__)
    except Exception:
        pass  # then Dynamo sees a few frames more


def skip_one(code) -> None:
    """Of this code, not of what is defined in it."""
    if hasattr(_frames, "skip_code"):
        _frames.skip_code(code)
    elif hasattr(_frames, "set_code_exec_strategy"):
        action = _frames._FrameAction
        strategy = _frames._FrameExecStrategy(action.SKIP, action.DEFAULT)
        _frames.set_code_exec_strategy(code, strategy)


def skip_code(code) -> None:
    skip_one(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            skip_code(constant)


def skip_part(part) -> None:
    """skip_in_dynamo() for all functions of a part: it compiles what a skipped one calls."""
    for value in list(vars(part).values()):
        if isinstance(value, types.FunctionType) and value.__module__ == part.__name__:
            skip_in_dynamo(value)


def replace(owner, name, make, changes=undo) -> None:
    """owner.name = make(old), remembered for uninstall()."""
    old = owner.__dict__.get(name)
    if old is None:
        return
    new = make(old)
    try:
        new.__wrapped__ = old
    except Exception:
        pass
    setattr(owner, name, new)
    skip_in_dynamo(new)

    def restore():
        if owner.__dict__.get(name) is new:
            setattr(owner, name, old)

    changes.append((restore, ()))


def replace_inside(function, make, changes=undo) -> bool:
    """As replace(), of what a decorated function calls: so for all who hold the function."""
    old = getattr(function, "__wrapped__", None)
    for cell in getattr(function, "__closure__", None) or ():
        if old is None or cell.cell_contents is not old:
            continue
        new = make(old)
        cell.cell_contents = new
        skip_in_dynamo(new)

        def restore(cell=cell, new=new):
            if cell.cell_contents is new:
                cell.cell_contents = old

        changes.append((restore, ()))
        return True
    return False


def add_hook(register, hook, changes=undo, **options) -> None:
    skip_in_dynamo(hook)
    handle = register(hook, **options)
    changes.append((handle.remove, ()))


def take_out(changes) -> None:
    while changes:
        function, arguments = changes.pop()
        function(*arguments)
