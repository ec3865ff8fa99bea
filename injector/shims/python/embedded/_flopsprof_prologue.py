# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Something that a function of the program does before its own code, for all who hold it.

The function stays the object that it is: pickle finds it under its name, and nobody's own name for
it has to be looked for. Its code becomes one with the same parameters and of the same kind (of a
coroutine, of a generator), which calls ours and runs the code that was there before. Where
cloudpickle takes that code to a process without a profiler, only the latter is left.
"""

import ast
import inspect
import os
import types

from _flopsprof_base import skip_one, torch, undo

# Arguments are handed on, not kept: `del batch` in the function is to set the memory free. All by
# position, as no star hands them on without a tuple that lives as long as the call.
TEXT = """
def around():
    {cells}
    {kind} function({parameters}):
        try:
            from {module} import {call} as _flopsprof_call
        except ImportError:
            pass
        else:
            _flopsprof_call()
        def _flopsprof_own({own}): {free}
        {hand_over}
        return {result}
"""
STARS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def given_to(code) -> tuple:
    """Names of all that is given to the function: arguments, and the two that stars collect."""
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def parameters_of(code) -> list:
    given = list(given_to(code))
    last = [f"**{given.pop()}"] if code.co_flags & inspect.CO_VARKEYWORDS else []
    star = [f"*{given.pop()}"] if code.co_flags & inspect.CO_VARARGS else []
    count = code.co_argcount
    if code.co_kwonlyargcount and not star:
        star = ["*"]
    parameters = given[:count] + star + given[count:] + last
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    return parameters


def template(code, call) -> str:
    """Of code that calls `call` first."""
    given = given_to(code)
    result = f"_flopsprof_own({', '.join(['_flopsprof_given.pop()'] * len(given))})"
    if code.co_flags & inspect.CO_COROUTINE:
        result = f"await {result}"
    elif code.co_flags & inspect.CO_GENERATOR:
        result = f"(yield from {result})"
    return TEXT.format(
        cells=" = ".join([*code.co_freevars, "None"]),
        kind="async def" if code.co_flags & inspect.CO_COROUTINE else "def",
        parameters=", ".join(parameters_of(code)),
        own=", ".join(given),
        module=call.__module__,
        call=call.__name__,
        free=", ".join(code.co_freevars) or "pass",
        hand_over=f"_flopsprof_given = [{', '.join(given[::-1])}]; del {', '.join(given)}"
        if given else "pass",
        result=result,
    )  # fmt: skip


def by_position(code):
    """The same code, given all by position: its first variables are filled as by stars and names."""
    if not code.co_kwonlyargcount and not code.co_flags & STARS:
        return code
    return code.replace(
        co_argcount=len(given_to(code)),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~STARS,
    )


def refuses_class_cells() -> bool:
    """Does this torch's Dynamo raise (2.4: AssertionError) at inner functions that call super()?
    It compares a cell's name, `__class__`, with the attribute of that name, which all objects have.
    """
    try:
        path = os.path.join(torch.__path__[0], "_dynamo", "variables", "functions.py")
        with open(path, encoding="utf-8") as file:
            return "getattr(cell, name, name) == name" in file.read()
    except Exception:
        return False  # no Dynamo there


def code_in(code, name):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    raise ValueError(f"no {name} in {code.co_name}")


def code_with_prologue(code, call):
    """Raises where it cannot be had: an asynchronous generator, names that no text can have, what
    would raise in torch.compile and torch.export.
    """
    if code.co_flags & inspect.CO_ASYNC_GENERATOR:
        raise TypeError(f"{code.co_name} is an asynchronous generator")
    if "__class__" in code.co_freevars and refuses_class_cells():
        raise TypeError(f"{code.co_name} calls super(): this torch would fail to compile it")
    tree = ast.parse(template(code, call))
    for node in ast.walk(tree):  # a traceback shows where the function begins
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = code.co_firstlineno
            node.col_offset = node.end_col_offset = 0
    around = code_in(compile(tree, code.co_filename, "exec", dont_inherit=True), "around")
    new = code_in(around, "function")
    own = code_in(new, "_flopsprof_own")
    if not code.co_freevars == own.co_freevars == new.co_freevars:
        raise TypeError(f"{code.co_name} has free variables {code.co_freevars}")
    changes = {
        "co_consts": tuple(by_position(code) if one is own else one for one in new.co_consts),
        "co_flags": new.co_flags | code.co_flags & inspect.CO_ITERABLE_COROUTINE,
        "co_name": code.co_name,
    }
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = code.co_qualname
    return new.replace(**changes)


def add_prologue(function, call) -> None:
    """`call` is a function of one of our parts, without arguments; it must not raise."""
    old = function.__code__
    new = code_with_prologue(old, call)
    skip_one(new)
    function.__code__ = new

    def restore():
        if function.__code__ is new:
            function.__code__ = old

    undo.append((restore, ()))
