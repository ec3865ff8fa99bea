# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a script up to its first call of a model, counts this call, and ends the script there."""

import contextlib
import dis
import os
import runpy
import signal
import sys
import threading

from torch import nn

from .counted import count_call
from .errors import CountError, loading_error, words_of


class _Counted(BaseException):
    """Leaves the script. No Exception, so that a script that goes on after its own errors ends too."""


class _Watch:
    """Stands in front of nn.Module.__call__; after the count each call of a model leaves the script."""

    def __init__(self, kind, tell):
        self.counted = None
        self.failure = None  # of the first call that failed: class of the model, error
        self._kind = kind  # a class by name; else whatever has parameters is a model
        self._tell = tell
        self._told = False
        self._telling = threading.Lock()
        self._claiming = threading.Lock()
        self._claimed = False
        self._left = threading.local()  # whether this thread was told to leave
        self._original = nn.Module.__call__
        self._hook = threading.excepthook
        self._process, self._main = os.getpid(), threading.get_ident()

    def __enter__(self):
        watch, original = self, self._original

        def call(module, *args, **kwargs):
            if not watch.wants(module):
                return original(module, *args, **kwargs)
            return watch.meet(module, args, kwargs)

        def hook(args):
            if not isinstance(args.exc_value, _Counted):
                watch._hook(args)

        self._call = nn.Module.__call__ = call
        threading.excepthook = hook
        return self

    def __exit__(self, *exception):
        if self.counted is None or threading.active_count() == 1:
            nn.Module.__call__ = self._original  # else a thread that goes on would train
        return False

    def wants(self, module) -> bool:
        if os.getpid() != self._process:  # a worker that loads data
            return False
        if self._kind and self.counted is None:
            return type(module).__name__ == self._kind
        return next(module.parameters(), None) is not None

    def meet(self, module, args, kwargs):
        with self._claiming:
            mine = self.counted is None and not self._claimed
            self._claimed = self._claimed or mine
        if mine:
            self._count(module, args, kwargs)
        elif self.counted is None:  # another thread's call is counted now
            return self._original(module, *args, **kwargs)
        if getattr(self._left, "told", False):  # it caught what should have ended it
            self.end_process()
        self._left.told = True
        if threading.get_ident() == self._main:
            _when_caught(sys._getframe(), self.end_process)
        raise _Counted

    def _count(self, module, args, kwargs) -> None:
        nn.Module.__call__ = self._original
        try:
            self.counted = count_call(module, args, kwargs, quietly=True)
        except Exception as error:
            self.failure = self.failure or (type(module).__name__, error)
            raise
        finally:
            self._claimed = False
            nn.Module.__call__ = self._call

    def tell(self) -> None:
        """Once, whichever thread comes first; the others wait until it is written."""
        with self._telling:
            if not self._told:
                self._told = True
                self._tell(self.counted)

    def end_process(self) -> None:
        """Without the script's atexit: it has caught what it should not."""
        status = 0
        try:
            self.tell()
        except CountError as error:
            print(f"flopsprof.count: {error}", file=sys.stderr)
            status = 1
        except BrokenPipeError:
            status = 128 + signal.SIGPIPE
        finally:
            for stream in (sys.__stdout__, sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            os._exit(status)


def _when_caught(frame, then) -> None:
    """Calls `then` at the first line after a handler that swallowed the exception, in any frame of the script.

    While handlers and `finally` run, the exception is the one that is handled; once swallowed it is not.
    """

    def at_line(frame, event, _):
        if event == "line" and not _is_handled() and not _begins_handler(frame):
            then()
        return at_line

    frame = frame.f_back
    while frame is not None and frame.f_code is not count_script.__code__:
        if frame.f_globals.get("__name__") not in (__name__, "runpy"):
            frame.f_trace = at_line
        frame = frame.f_back
    sys.settrace(lambda *_: None)


_BEGINS_HANDLER = dis.opmap.get("PUSH_EXC_INFO")  # before Python 3.11 the exception is handled at once


def _begins_handler(frame) -> bool:
    """The line of a `with` comes before its handler has the exception."""
    return frame.f_code.co_code[frame.f_lasti] == _BEGINS_HANDLER


def _is_handled() -> bool:
    error = sys.exc_info()[1]
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, _Counted):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def count_script(path, arguments, kind, tell, behind=()) -> None:
    """The script's own output goes to stderr. `tell` gets the count. `behind`: options of ours among the arguments."""
    if not os.path.isfile(path):
        raise CountError(f"no file {path}", "check the path")
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    how = "it ended"
    with _Watch(kind, tell) as watch, contextlib.redirect_stdout(sys.stderr):
        try:
            runpy.run_path(path, run_name="__main__")
        except _Counted:
            pass
        except SystemExit as end:
            how = f"it ended with status {end.code or 0}"
        except Exception as error:
            if watch.counted is None and watch.failure is None:
                raise _with_options(loading_error("run", path, error), behind) from error
        finally:
            sys.settrace(None)
        if watch.counted is not None:
            watch.tell()
            return
    if watch.failure:
        name, error = watch.failure
        raise CountError(f"{path}: no call of a model succeeded; the first, of {name}, failed: {words_of(error)}",
                         f"mend the call, or name a model: {path}:NAME --input SIZES")  # fmt: skip
    wanted = f"a module of class {kind}" if kind else "a module with parameters"
    step = f"give it the arguments that it needs, or name a model: {path}:NAME --input SIZES"
    raise CountError(f"{path} called no model: {how} without a call of {wanted}", _behind(behind) or step)


def _behind(options) -> str:
    return f"options of flopsprof.count stand before the script: {' '.join(options)}" if options else ""


def _with_options(error, behind) -> CountError:
    return CountError(*f"{error}{'; ' if behind else ''}{_behind(behind)}".split("\n  ", 1))
