# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Stands in front of torch.nn.Module.__call__ while something is profiled.

One place, and not two hooks on every module: try and finally hold when a forward raises, a module's
own hooks keep their order, and calls of other models cost one look into a dict. The last session
that stops puts torch's own function back.
"""

import threading

from torch import nn

_lock = threading.RLock()
_followed = {}  # id(module) -> ((run of its session, record), ...), the session that began last first
_installed = None  # ours in front; others of ours that a tool still holds pass through


def follow(session, records) -> None:
    global _installed
    with _lock:
        for record in records:
            key = id(record.module)
            _followed[key] = ((session.run, record), *_followed.get(key, ()))
        # Another tool may have put back what was there before us, or a function of its own.
        if _installed is None or nn.Module.__call__ is not _installed:
            _installed = _in_front_of(nn.Module.__call__)
            nn.Module.__call__ = _installed


def forget(session) -> None:
    global _installed
    with _lock:
        for key in list(_followed):
            rest = tuple(entry for entry in _followed[key] if entry[0].__self__ is not session)
            if rest:
                _followed[key] = rest
            else:
                del _followed[key]
        if not _followed and _installed is not None:
            if nn.Module.__call__ is _installed:
                nn.Module.__call__ = _installed.original
            _installed = None


def _in_front_of(original):
    followed = _followed.get

    def call(self, *args, **kwargs):
        entries = followed(id(self))
        if entries is None or _installed is not call:
            return original(self, *args, **kwargs)
        if len(entries) == 1:
            run, record = entries[0]
            return run(record, original, self, args, kwargs)
        return _through(entries, original, self, args, kwargs)

    call.original = original
    return call


def _through(entries, original, module, args, kwargs):
    """Several profiles follow this module: each runs the next one."""
    if not entries:
        return original(module, *args, **kwargs)
    (run, record), rest = entries[0], entries[1:]

    def inner(module, *args, **kwargs):
        return _through(rest, original, module, args, kwargs)

    return run(record, inner, module, args, kwargs)
