# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Mark parts of a program for flopsprof. Without a profiler every call does nothing.

    with flopsprof.scope("attention"):
        ...
    flopsprof.step()      # a step begins here; from the first call on only these count

    @flopsprof.formula("mylib::my_op")      # flops of an operation, from its arguments' shapes
    def my_op(a, b):
        return 2 * a[0] * a[1] * b[1]
"""

import sys

__all__ = ["active", "formula", "scope", "step"]


class _Absent:
    """No profiler in this process."""

    @staticmethod
    def push_range(name):
        return 0

    @staticmethod
    def leave(depth):
        return None

    @staticmethod
    def step():
        return None


class _Library:
    """Through the exported C functions, before the profiler's Python part is there."""

    def __init__(self, library):
        self._push, self._pop, self._step = (
            library.flopsprof_push,
            library.flopsprof_pop,
            library.flopsprof_step,
        )

    def push_range(self, name):
        self._push(name.encode("utf-8", "replace"))
        return -1

    def leave(self, depth):
        self._pop()

    def step(self):
        self._step()


def _find():
    native = sys.modules.get("_flopsprof_native")
    if native is not None:
        return native
    try:
        import ctypes

        # PyDLL: a call of a few nanoseconds shall not give the interpreter lock away.
        library = ctypes.PyDLL(None)
        library.flopsprof_push.argtypes = [ctypes.c_char_p]
        library.flopsprof_push.restype = None
        library.flopsprof_pop.restype = None
        library.flopsprof_step.restype = None
        return _Library(library)
    except Exception:
        return _Absent


_backend = None


def _current():
    """The best way there is now: the native module appears when torch was imported."""
    global _backend
    if _backend is None or type(_backend) is _Library:
        native = sys.modules.get("_flopsprof_native")
        if native is not None:
            _backend = native
        elif _backend is None:
            _backend = _find()
    elif _backend is _Absent and "_flopsprof_native" in sys.modules:
        _backend = sys.modules["_flopsprof_native"]
    return _backend


def _compiling() -> bool:
    torch = sys.modules.get("torch")
    compiler = getattr(torch, "compiler", None)
    return compiler is not None and compiler.is_compiling()


class scope:
    """Context manager and decorator: work inside belongs to `name`."""

    __slots__ = ("_name", "_open")

    def __init__(self, name):
        self._name = str(name)
        self._open = []

    def __enter__(self):
        if not _compiling():
            backend = _current()
            self._open.append((backend, backend.push_range(self._name)))
        return self

    def __exit__(self, *exception):
        if self._open and not _compiling():
            backend, depth = self._open.pop()
            backend.leave(depth)
        return False

    def __call__(self, function):
        import functools

        name = self._name

        @functools.wraps(function)
        def run(*args, **kwargs):
            with scope(name):
                return function(*args, **kwargs)

        return run


_formulas: dict = {}  # name -> function; the profiler's Python part reads it when it comes


def formula(name):
    """Decorator: the function gives the flops of the operation "namespace::name", which exists.

    It gets the arguments of the operation with a shape in the place of each tensor, and returns
    a whole number. It is asked once for each combination of shapes; if it raises, that work is
    unknown, with the reason.
    """
    if "::" not in name:
        raise ValueError(f"flopsprof.formula: expected namespace::name, found {name!r}")

    def decorate(function):
        _formulas[name] = function
        shim = sys.modules.get("_flopsprof_shim")
        if shim is not None and hasattr(shim, "add_formula"):
            shim.add_formula(name, function)
        return function

    return decorate


def step() -> None:
    if not _compiling():
        _current().step()


def active() -> bool:
    """True when a profiler is in this process."""
    return _current() is not _Absent
