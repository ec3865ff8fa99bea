# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Answers imports of DeepSpeed's profiler, and of the stand-alone package, with this package."""

import importlib
import importlib.abc
import importlib.util
import sys

_PACKAGE = __name__.rsplit(".", 2)[0]  # flopsprof.deepspeed
_OURS = _PACKAGE
_MIRROR = _PACKAGE + ".dropin.mirror"
# Imported name -> the module whose names it has.
_PROFILERS = {
    "deepspeed.profiling.flops_profiler": _OURS,
    "deepspeed.profiling.flops_profiler.profiler": _OURS,
    "flops_profiler": _MIRROR,
    "flops_profiler.profiler": _MIRROR,
}
# Only where DeepSpeed is not there.
_STAND_INS = ("deepspeed", "deepspeed.profiling", "deepspeed.accelerator")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, stand_in: bool):
        self._stand_in = stand_in

    def find_spec(self, name, path=None, target=None):
        if name in _PROFILERS or (self._stand_in and name in _STAND_INS):
            # A package, so that names below it may be asked for.
            return importlib.util.spec_from_loader(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module) -> None:
        name = module.__name__
        if name in _PROFILERS:
            source = importlib.import_module(_PROFILERS[name])
            module.__dict__.update({key: getattr(source, key) for key in source.__all__})
            module.__all__ = list(source.__all__)
            return
        from . import stand_in

        module.__getattr__ = stand_in.refuse(name)
        if name == "deepspeed.accelerator":
            module.get_accelerator = stand_in.get_accelerator


def _is_installed(name) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def install(without_deepspeed=False) -> None:
    """Before the script runs. A profiler that was imported already is asked for again."""
    finder = _Finder(without_deepspeed or not _is_installed("deepspeed"))
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, _Finder)]
    sys.meta_path.insert(0, finder)
    for name in _PROFILERS:
        sys.modules.pop(name, None)
