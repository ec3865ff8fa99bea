# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""From start to stop: every call of a module of the model is timed, and gets the work done in it."""

import threading

from ..counting import leaves, straight
from ..counting.mode import Frame, OperatorMode, is_alone, resume, suspend
from . import calls, clock
from .gpu_time import device_module, gpu_time_of
from .records import Record


def synchronizer(model):
    """Waits for the device that the model is on; None on a CPU."""
    return getattr(device_module(model), "synchronize", None)


class Session:
    """One profile of one model. `quirks` is DeepSpeed's own view, or None (quirks/view.py)."""

    def __init__(self, model, ignored_types=(), quirks=None, count_operators=True):
        self.model = model
        self.quirks = quirks
        self.count_operators = count_operators
        self.times_functions = False  # seconds of each function that DeepSpeed's rules know
        self.times_recurrent = count_operators  # DeepSpeed has no timing hooks on RNNs (bug 34)
        self.only_thread = None  # where wanted: the identifier of the one thread whose calls count
        self.operators = None  # where wanted: operator or layer -> [flops, MACs]
        self.times_gpu = False
        self.gpu_time = None  # where wanted, and there is a GPU
        self.uncounted = {}  # operators without a formula: name -> [calls, why]
        self.straight = {}  # key of a straight call (counting/straight.py) -> Frame
        self.records = {}  # id(module) -> Record; holds the modules, so that no id is used again
        self.failed_calls = 0  # outermost calls that an exception ended
        self.following = False
        self._local = threading.local()
        self._synchronize = None
        self._now = clock.now
        for module in model.modules():
            record = Record(module)
            record.is_ignored = bool(ignored_types) and type(module) in ignored_types
            record.formula = leaves.formula_of(module)
            if record.formula is None:
                record.attributes = straight.attributes_of(module)
            record.is_recurrent = type(module) in leaves.RECURRENT
            self.records[id(module)] = record

    def start(self) -> None:
        self._synchronize = synchronizer(self.model)
        self._now = clock.source()
        self.gpu_time = gpu_time_of(self.model) if self.times_gpu else None
        self.following = True
        try:
            if self.quirks is not None:
                self.quirks.install(self)
            calls.follow(self, [r for r in self.records.values() if not r.is_ignored])
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if not self.following:
            return
        self.following = False
        calls.forget(self)
        if self.quirks is not None:
            self.quirks.remove()

    def reset(self) -> None:
        if self.operators is not None:
            self.operators.clear()
        if self.gpu_time is not None:
            self.gpu_time.reset()
        for record in self.records.values():
            record.reset()

    def mode(self) -> OperatorMode:
        """This thread's."""
        try:
            return self._local.mode
        except AttributeError:
            mode = self._local.mode = OperatorMode(self.uncounted)
            return mode

    def run(self, record, inner, module, args, kwargs):
        """Calls `inner`, and books what it did. Whatever happens, nothing of ours is left behind."""
        if self.only_thread is not None and threading.get_ident() != self.only_thread:
            return inner(module, *args, **kwargs)
        try:
            mode = self._local.mode
        except AttributeError:
            mode = self.mode()
        if self.gpu_time is not None:
            inner = self.gpu_time.around(record, inner)
        if self.count_operators:
            if record.formula is not None:
                x = leaves.input_of(record.formula, module, args, kwargs)
                if x is not None:
                    return self._run_layer(record, inner, module, args, kwargs, mode, x)
            elif record.attributes is not None and mode.entered and self.quirks is None:
                return self._run_straight(record, inner, module, args, kwargs, mode)
        return self._run_module(record, inner, module, args, kwargs, mode, Frame())

    def _run_straight(self, record, inner, module, args, kwargs, mode):
        """The first call of its kind is counted by its operators; the others do what it did."""
        # A mode of the program may change what runs.
        key = straight.key_of(record.attributes, module, args, kwargs) if is_alone() else None
        if key is None:
            return self._run_module(record, inner, module, args, kwargs, mode, Frame())
        known = self.straight.get(key)
        if known is None:
            frame, notes = Frame(), mode.notes
            out = self._run_module(record, inner, module, args, kwargs, mode, frame)
            if mode.notes == notes and len(self.straight) < straight.MOST:
                self.straight[key] = frame
            return out
        suspend(mode)
        wait, now = self._synchronize, self._now
        if wait is not None:
            wait()
        began = now()
        try:
            out = inner(module, *args, **kwargs)
        finally:
            resume(mode)
        if wait is not None:
            wait()
        record.duration += now() - began
        record.calls += 1
        self._book(record, known)
        return out

    def _run_layer(self, record, inner, module, args, kwargs, mode, x):
        taken = mode.entered and suspend(mode)
        if not taken:  # a mode of the program lies above ours, which stays where it is
            mode.muted += 1
        quirks, wait, now = self.quirks, self._synchronize, self._now
        if quirks is not None:
            quirks.enter(record, is_layer=True)
        if wait is not None:
            wait()
        began = now()
        try:
            out = inner(module, *args, **kwargs)
            if wait is not None:
                wait()
            record.duration += now() - began
        except BaseException as error:
            self._note_failure(error, not mode.frames)
            raise
        finally:
            if taken:
                resume(mode)
            else:
                mode.muted -= 1
            if quirks is not None:
                quirks.leave(record)
        record.calls += 1
        try:
            flops, macs = leaves.count(record.formula, module, x, out)
        except Exception as error:  # shapes that the formula does not know: told, not raised
            flops = macs = 0
            self.uncounted.setdefault(type(module).__name__, [0, repr(error)[:120]])[0] += 1
        record.flops += flops
        record.macs += macs
        if self.operators is not None:
            self._add_to_operator("nn." + type(module).__name__, flops, macs)
        if quirks is not None:
            quirks.count_layer(record, args, out, flops, macs)
        return out

    def _run_module(self, record, inner, module, args, kwargs, mode, frame):
        frames, quirks = mode.frames, self.quirks
        depth = len(frames)
        outermost = depth == 0
        if quirks is not None:
            quirks.enter(record, is_layer=False)
        if quirks is not None or self.operators is not None:
            frame.by_operator = {}
        timed = self.times_recurrent or not record.is_recurrent
        wait, now = self._synchronize, self._now
        if wait is not None and timed:
            wait()
        began = now() if timed else 0
        frames.append(frame)
        entered = outermost and self.count_operators
        if entered:
            mode.__enter__()
            mode.entered = True
        try:
            out = inner(module, *args, **kwargs)
            if timed:
                if wait is not None:
                    wait()
                record.duration += now() - began
        except BaseException as error:
            self._note_failure(error, outermost)
            raise
        finally:
            if entered:
                mode.entered = False
                mode.__exit__(None, None, None)
            del frames[depth:]
            self._book(record, frame)
            if quirks is not None:
                quirks.leave(record)
                quirks.count_operators(record, frame.by_operator)
        record.calls += 1
        if quirks is not None:
            quirks.count_module(record, args, out)
        return out

    def _book(self, record, frame) -> None:
        record.flops += frame.flops
        record.macs += frame.macs
        if self.operators is not None:
            for name, (flops, macs) in frame.by_operator.items():
                self._add_to_operator(name, flops, macs)

    def _add_to_operator(self, name, flops, macs) -> None:
        sums = self.operators.setdefault(name, [0, 0])
        sums[0] += flops
        sums[1] += macs

    def _note_failure(self, error, outermost: bool) -> None:
        """Following goes on: a program may end a forward early with an exception of its own.

        One that leaves the outermost module is told; others are the model's own. Checkpointing ends
        a recomputation early with an exception of its own: no failure.
        """
        if outermost and type(error).__name__ != "_StopRecomputationError":
            self.failed_calls += 1
