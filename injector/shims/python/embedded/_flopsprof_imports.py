# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Something to do once a module has been imported, now or later, whoever imports it."""

import sys

from _flopsprof_base import native, undo

_wanted: dict = {}  # name of a module -> function of the module


def when_imported(name, action) -> None:
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    if module is not None and not getattr(spec, "_initializing", False):
        run(action, module)
    else:
        _wanted[name] = action


def look_again() -> None:
    """At the first module call: what was amid its import when it was asked for, is there by now."""
    for name in list(_wanted):
        module = sys.modules.get(name)
        if module is None or getattr(getattr(module, "__spec__", None), "_initializing", False):
            continue
        action = _wanted.pop(name, None)
        if action is not None:
            run(action, module)


def run(action, module) -> None:
    try:
        action(module)
    except Exception as error:
        native.failed(repr(error)[:200])


class Loader:
    """The module's own loader, and then our action. Gone when the module is there."""

    def __init__(self, loader, name):
        self._loader, self._name = loader, name

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        action = _wanted.pop(self._name, None)  # not before: a look for the module is no import
        if action is not None:
            run(action, module)


class Finder:
    """First in sys.meta_path; for any other name than those wanted it is one look into a dict."""

    def find_spec(self, name, path=None, target=None):
        if name not in _wanted:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is None:
                continue
            if hasattr(spec.loader, "exec_module") and hasattr(spec.loader, "create_module"):
                spec.loader = Loader(spec.loader, name)
            return spec
        return None


def install() -> None:
    finder = Finder()
    sys.meta_path.insert(0, finder)

    def stop():
        _wanted.clear()
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)

    undo.append((stop, ()))
