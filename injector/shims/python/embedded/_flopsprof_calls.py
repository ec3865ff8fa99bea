# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of modules where the native hook did not fit: sys.monitoring, or global hooks."""

import functools
import sys
import threading

from _flopsprof_backward import on_first_call
from _flopsprof_base import (
    Module,
    add_hook,
    compiling,
    hooks,
    native,
    replace,
    skip_in_dynamo,
    take_out,
    torch,
)

undo_calls: list = []  # those changes that step_aside() takes out before the others
_local = threading.local()  # .calls: see enter_call()


def is_call(frame) -> bool:
    """Does the frame run torch's Module._call_impl?"""
    return frame.f_code.co_name == "_call_impl" and frame.f_globals is hooks.__dict__


def leave_lost(calls, frame) -> None:
    """Leaves calls that are not on Python's stack, from `frame` down, any more.

    A frame that was looked at once keeps its id while it runs, and whichever id is used again
    later belongs to a call that has been through here; so no frame is kept alive for this.
    """
    running = set()
    while frame is not None:
        if is_call(frame):
            if id(frame) == calls[-1][0]:
                return
            running.add(id(frame))
        frame = frame.f_back
    while calls and calls[-1][0] not in running:
        native.leave(calls.pop()[1])


def enter_call(frame, module) -> None:
    """Open calls of this thread are (id of the frame of _call_impl, native depth before it)."""
    calls = getattr(_local, "calls", None)
    if calls is None:
        calls = _local.calls = []
    if calls:
        leave_lost(calls, frame.f_back)
    calls.append((id(frame), native.depth()))  # before: a signal may raise between the two
    native.module_enter(module)


def leave_call(frame) -> None:
    calls = getattr(_local, "calls", ())
    for position in range(len(calls) - 1, -1, -1):
        if calls[position][0] == id(frame):
            native.leave(calls[position][1])
            del calls[position:]
            return


def follow_by_monitoring():
    """sys.monitoring on the one function that all calls go through. Says why not, or nothing."""
    monitoring = getattr(sys, "monitoring", None)
    code = getattr(Module._call_impl, "__code__", None)
    if monitoring is None:
        return "no sys.monitoring before Python 3.12"
    if code is None:
        return "_call_impl has no code to monitor"

    def own_self(self):
        return native.self_of(sys._getframe())

    if own_self(code) is not code:
        return "frames of this Python do not tell their variables"
    free = [tool for tool in (4, 3) if monitoring.get_tool(tool) is None]  # unnamed tools
    if not free:
        return "sys.monitoring is taken by other tools"
    tool, events = free[0], monitoring.events

    def on_start(_code, _offset):
        try:
            frame = sys._getframe(1)
            module = native.self_of(frame)
            if module is not None:
                enter_call(frame, module)
        except Exception as error:
            native.failed(repr(error)[:200])

    def on_end(ended, _offset, _result):
        if ended is not code:
            return  # another function's exception
        try:
            leave_call(sys._getframe(1))
        except Exception as error:
            native.failed(repr(error)[:200])

    def stop():
        monitoring.set_events(tool, 0)
        monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

    callbacks = {
        events.PY_START: on_start,
        events.PY_RETURN: on_end,
        events.PY_UNWIND: on_end,
    }
    monitoring.use_tool_id(tool, "flopsprof")
    undo_calls.append((stop, ()))
    for event, callback in callbacks.items():
        skip_in_dynamo(callback)
        monitoring.register_callback(tool, event, callback)
    # Unwinding cannot be watched in one function only. It costs the unwound frames, nothing else.
    monitoring.set_events(tool, events.PY_UNWIND)
    monitoring.set_local_events(tool, code, events.PY_START | events.PY_RETURN)
    return None


def compiler_used() -> bool:
    """Has anything been handed to Dynamo? Its import alone means little: optimizers import it."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    if dynamo is None:
        return False
    backends = getattr(dynamo, "cached_backends", None)  # of everything made for compiling
    return not isinstance(backends, dict) or any(map(callable, list(backends.values())))


def refuse(reason) -> None:
    native.modules_refused(reason)
    on_first_call()


def step_aside() -> None:
    """Takes the global hooks out for good: they would change what is compiled."""
    if not undo_calls:
        return
    take_out(undo_calls)
    for call in getattr(_local, "calls", ())[:1]:
        native.leave(call[1])
    _local.calls = []
    refuse("torch.compile is used, and global hooks would break its graphs")


def frame_of_call(frame):
    """Hooks are called by _call_impl or by a function inside of it."""
    return frame if is_call(frame) else frame.f_back if is_call(frame.f_back) else None


def before_call(module, args):
    if compiling():
        return None
    try:
        if not getattr(_local, "calls", None) and compiler_used():
            step_aside()
            return None
        frame = frame_of_call(sys._getframe(1))
        if frame is not None:
            enter_call(frame, module)
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def after_call(module, args, output):
    if compiling():
        return None
    try:
        frame = frame_of_call(sys._getframe(1))
        if frame is not None:
            leave_call(frame)
    except Exception as error:
        native.failed(repr(error)[:200])
    return None


def follow_by_hooks():
    """Global module hooks, until something is compiled. Says why not, or nothing."""
    before = getattr(hooks, "register_module_forward_pre_hook", None)
    after = getattr(hooks, "register_module_forward_hook", None)
    if before is None or after is None:
        return "no global module hooks in this torch"
    if compiler_used():
        return "torch.compile is used, and global hooks would break its graphs"

    def make(original):
        @functools.wraps(original)
        def compile(*args, **kwargs):
            step_aside()
            return original(*args, **kwargs)

        return compile

    for function in (is_call, leave_lost, enter_call, leave_call, frame_of_call):
        skip_in_dynamo(function)
    replace(torch, "compile", make, undo_calls)
    add_hook(before, before_call, undo_calls)
    try:
        add_hook(after, after_call, undo_calls, always_call=True)
    except TypeError:  # an older torch: after an exception, until the next call
        add_hook(after, after_call, undo_calls)
    return None


def follow_modules(way, reason) -> None:
    """Follows calls without the native hook, which did not fit for `reason`.

    `way` is the only one to try, or empty.
    """
    reasons = [reason] if reason else []
    for name, follow, text in (
        ("monitoring", follow_by_monitoring, "sys.monitoring"),
        ("hooks", follow_by_hooks, "global hooks"),
    ):
        if way not in ("", name):
            continue
        problem = follow()
        if problem is None:
            native.note("modules", text)
            return
        reasons.append(problem)
    refuse("; ".join(reasons))
