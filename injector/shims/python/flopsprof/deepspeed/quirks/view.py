# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Follows a session as DeepSpeed's profiler would, and books each difference from our count."""

import functools
import threading

import torch

from ..counting.mode import Frame, OperatorMode
from ..modules import clock
from . import rules
from .replaced import Replacements

def _add(sums, claim) -> None:
    if isinstance(sums, Frame):
        sums.flops += claim.flops
        sums.macs += claim.macs
    else:
        sums[0] += claim.flops
        sums[1] += claim.macs


_lock = threading.Lock()
_active = []  # views whose functions are in place, each in front of those before it


def _take_out(view) -> None:
    """Profiles may end in any order: those in front of it are taken off with it, and put back."""
    if view not in _active:
        return
    place = _active.index(view)
    for one in reversed(_active[place:]):
        one._replacements.take_back()
    del _active[place]
    for one in _active[place:]:
        one._replacements.put(one._wrap)


def _add_hooks(session):
    """DeepSpeed's hooks keep nn.TransformerEncoder off its fused path (bug 54); so do these."""
    for record in session.records.values():
        if not record.is_ignored and not isinstance(record.module, torch.jit.ScriptModule):  # takes none
            yield record.module.register_forward_hook(_do_nothing)


class _Thread(threading.local):
    """Where a thread is."""

    def __init__(self):
        self.inner = []
        self.last = None
        self.open = []  # [record, is a layer with a formula of ours, flops, MACs]


def _do_nothing(module, args, out) -> None:
    pass


class DeepSpeedView:
    """`explains`: the session counts by our formulas too, and `differences` gets what is not the same.

    differences: (id of the module, kind, name) -> [our flops - theirs, our MACs - theirs]; kind is
    "layer", "function" or "operator".
    """

    def __init__(self, explains=False):
        self.explains = explains
        self.differences = {}
        self.failed_rules = {}  # name -> calls on which DeepSpeed's own rule raises
        self._session = None
        self._replacements = Replacements()
        self._hooks = []
        self._thread = _Thread()

    def install(self, session) -> None:
        with _lock:
            self._session = session
            _active.append(self)
            self._replacements.put(self._wrap)
        if not self.explains:
            for handle in _add_hooks(session):
                self._hooks.append(handle)

    def remove(self) -> None:
        for handle in self._hooks:
            handle.remove()
        with _lock:
            _take_out(self)

    # ------------------------------------------------------------------ calls of functions

    def _wrap(self, function, name, rule):
        @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"), updated=())
        def replaced(*args, **kwargs):
            if not self._thread.open:
                return function(*args, **kwargs)
            return self._call(function, name, rule, args, kwargs)

        return replaced

    def _call(self, function, name, rule, args, kwargs):
        try:
            seen = rule(*args, **kwargs)
        except Exception:
            seen = None  # DeepSpeed ends the program here
            self.failed_rules[name] = self.failed_rules.get(name, 0) + 1
        entry = self._thread.open[-1]
        mode = self._session.mode() if self.explains else None
        if mode is not None and mode.entered and not entry[1]:
            return self._claim(function, name, seen, args, kwargs, mode, entry)
        if seen is None:
            seen, out = self._counted(function, args, kwargs)
        else:
            began = clock.now() if self._session.times_functions else 0
            out = function(*args, **kwargs)
            self._book(name, seen, entry, clock.now() - began if self._session.times_functions else 0)
        entry[2] += seen[0]
        entry[3] += seen[1]
        return out

    @staticmethod
    def _book(name, seen, entry, seconds):
        row = entry[0].functionals.setdefault(name, [0, 0, 0.0])
        row[0] += seen[0]
        row[1] += seen[1]
        row[2] += seconds

    @staticmethod
    def _counted(function, args, kwargs):
        """By our formulas."""
        mode = OperatorMode({})
        mode.frames.append(Frame())
        with mode:
            out = function(*args, **kwargs)
        return (mode.frames[0].flops, mode.frames[0].macs), out

    def _claim(self, function, name, seen, args, kwargs, mode, entry):
        """What our formulas find inside this call is compared with what DeepSpeed's rule says of it."""
        claim = Frame()
        depth = len(mode.frames)
        mode.frames.append(claim)
        around = self._thread.inner
        around.append([0, 0])  # what functions inside this one have claimed already
        try:
            out = function(*args, **kwargs)
        finally:
            del mode.frames[depth:]
            inner = around.pop()
            for sums in (mode.frames[-1], around[-1]) if around else (mode.frames[-1],):
                _add(sums, claim)
        ours = (claim.flops - inner[0], claim.macs - inner[1])
        seen = ours if seen is None else seen
        entry[2] += seen[0]
        entry[3] += seen[1]
        self._differ(entry[0], "function", name, ours, seen)
        return out

    # ------------------------------------------------------------------ calls of modules

    def enter(self, record, is_layer) -> None:
        if record.is_recurrent and not is_layer:
            return  # DeepSpeed has no frame for them: what they call is their parent's
        self._thread.open.append([record, is_layer, 0, 0])

    def leave(self, record) -> None:
        above = self._thread.open
        if record.is_recurrent and not (above and above[-1][0] is record):
            return
        entry = above.pop()
        if record.is_recurrent and above:
            above[-1][2] += entry[2]
            above[-1][3] += entry[3]
        elif not record.is_recurrent:
            record.seen_flops += entry[2]
            record.seen_macs += entry[3]
        self._thread.last = entry

    def count_module(self, record, args, out) -> None:
        if record.is_recurrent:
            self._count_recurrent(record, args, out, None)

    def count_layer(self, record, args, out, flops, macs) -> None:
        if record.is_recurrent:
            self._count_recurrent(record, args, out, (flops, macs))
        elif self.explains:
            name = type(record.module).__name__
            self._differ(record, "layer", name, (flops, macs), tuple(self._thread.last[2:4]))

    def _count_recurrent(self, record, args, out, ours) -> None:
        try:
            seen = rules.recurrent(record.module, args)
        except Exception:
            name = type(record.module).__name__
            self.failed_rules[name] = self.failed_rules.get(name, 0) + 1
            return
        record.seen_flops += seen
        if self.explains and ours is not None:
            self._differ(record, "layer", type(record.module).__name__, ours, (seen, 0))

    def count_operators(self, record, by_operator) -> None:
        """Work of the module outside of all functions that DeepSpeed knows."""
        if self.explains:
            for name, (flops, macs) in (by_operator or {}).items():
                self._differ(record, "operator", name, (flops, macs), (0, 0))

    def _differ(self, record, kind, name, ours, theirs) -> None:
        flops, macs = ours[0] - theirs[0], ours[1] - theirs[1]
        if flops or macs:
            sums = self.differences.setdefault((id(record.module), kind, name), [0, 0])
            sums[0] += flops
            sums[1] += macs
