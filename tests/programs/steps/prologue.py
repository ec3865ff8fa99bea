# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The shim's parts of --step-at on any Python, without torch: prologue.py FOLDER_OF_THE_PARTS.

Each function says what it was given and when an object was freed; with and without a prologue.
"""

import asyncio
import contextlib
import inspect
import os
import sys
import types
import weakref


class Batch:
    pass


def is_free(reference):
    return reference() is None


def one(batch, i=1):
    w = weakref.ref(batch)
    del batch
    return is_free(w), i


def star(batch, *rest):
    w, v = weakref.ref(batch), weakref.ref(rest[0])
    count = len(rest)
    del batch, rest
    return is_free(w), is_free(v), count


def stars(batch, /, a, *rest, b=2, **named):
    w, v, u = weakref.ref(batch), weakref.ref(rest[0]), weakref.ref(named["batch"])
    del batch, rest
    named.pop("batch")
    return is_free(w), is_free(v), is_free(u), a, b, named


def keyword(*, batch, c=3):
    w = weakref.ref(batch)
    del batch
    return is_free(w), c


def both(*rest, **named):
    return rest, named, sorted(locals())


class Base:
    def method(self, *rest):
        return rest


class Derived(Base):
    def method(self, batch, *rest, **named):
        w = weakref.ref(batch)
        inner = lambda: (rest, named)  # noqa: E731
        del batch
        return is_free(w), super().method(*rest), inner()


async def awaited(*rest, two=2):
    await asyncio.sleep(0)
    w, count = weakref.ref(rest[0]), len(rest)
    del rest
    return is_free(w), count, two


def generated(*rest, **named):
    w = weakref.ref(rest[0])
    del rest
    named["sent"] = yield is_free(w)
    return (named,)


def drive():
    running = generated(Batch(), x=1)
    seen = [next(running)]
    try:
        running.send("s")
    except StopIteration as end:
        seen.append(end.value)
    return seen


def wrong(call):
    try:
        call()
    except TypeError as error:
        return str(error)


def all_of_it() -> list:
    return [
        one(Batch()), star(Batch(), Batch(), 3), stars(Batch(), 1, Batch(), batch=Batch(), d=4),
        keyword(batch=Batch()), both(), both(1, 2, x=3), Derived().method(Batch(), 5, y=6),
        asyncio.run(awaited(Batch(), 1)),
        drive(), wrong(lambda: one()), wrong(lambda: stars(1)), wrong(lambda: keyword(1)),
        [str(inspect.signature(f)) for f in FOLLOWED],
    ]  # fmt: skip


FOLLOWED = [one, star, stars, keyword, both, Derived.method, awaited, generated]


def stand_ins(folder):
    """Of the native side and of torch. What was noted and how many steps began."""
    seen = types.SimpleNamespace(steps=0, notes=[], failures=[], session=1)
    native = sys.modules["_flopsprof_native"] = types.ModuleType("_flopsprof_native")

    def step():
        seen.steps += 1

    native.step = step
    native.note = lambda *note: seen.notes.append(note)
    native.failed = seen.failures.append
    native.session = lambda: seen.session
    sys.modules["torch"] = types.ModuleType("torch")
    modules = sys.modules["torch.nn.modules.module"] = types.ModuleType("torch.nn.modules.module")
    modules.Module = object
    sys.path.insert(0, folder)
    return seen


def decorated(function):
    def wrapper(*args):
        batch = Batch()
        reference = weakref.ref(batch)
        if args:
            exec("kept = 7")  # before Python 3.13, in the dict of this frame's variables
        function()
        del batch
        return eval("kept", None, locals()) if args else is_free(reference)

    return wrapper


look = None


@decorated
def wanted():
    look()


@decorated
def other():
    look()


@contextlib.contextmanager
def checked(text):
    try:
        yield
    except AssertionError as error:
        raise AssertionError(text) from error


def main():
    global look
    os.environ["FLOPSPROF_STEP_AT"] = "wanted"
    seen = stand_ins(sys.argv[1])
    import _flopsprof_base as base
    import _flopsprof_prologue as prologue
    import _flopsprof_step_at as step_at

    before = all_of_it()
    for function in FOLLOWED:
        prologue.add_prologue(function, step_at.begun)
    after = all_of_it()
    assert before == after, (before, after)
    assert seen.steps == 9, seen.steps  # of those calls that are not wrong

    look = lambda: None  # noqa: E731
    assert wanted() is True
    look = step_at.look
    seen.steps, seen.notes, step_at._said = 0, [], 0
    with checked("the frame of another function with the same code counts"):
        assert other() is True, "the frame keeps a variable"
        assert seen.steps == 0
    wanted()
    assert (seen.steps, seen.notes) == (1, [("step_at", "a function")])
    base.take_out(base.undo)
    step_at.install()  # again: it finds what was taken out
    wanted()
    assert seen.steps == 2, "no step after uninstall() and install()"
    with checked("its own first call begins the first step"):
        base.take_out(base.undo)
        step_at._found = False
        assert wanted() is True, "the frame keeps a variable"
        assert seen.steps == 3
    if sys.version_info < (3, 13):
        base.take_out(base.undo)
        step_at._found = False
        assert other(1) == 7, "a variable of exec() is lost"
    seen.session, seen.notes = 2, []
    step_at.look()
    assert seen.notes == [("step_at", "a function")], "a new session is not told"
    assert seen.failures == []
    print("same")


if __name__ == "__main__":
    main()
