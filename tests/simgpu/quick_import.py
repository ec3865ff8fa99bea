# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Imports PyTorch and what stands on it without collecting garbage, a quarter of the CPU time of a
short job: tests start a thousand of them.

A `.pth` file of the stand-in's environment imports this where `SIM_QUICK_IMPORT` is 1. While a module of
these packages is imported nothing is collected, and what is there after a package was is never looked at
again, not even at exit. Of objects that the program makes later nothing changes: it has no model yet.
"""

import gc
import sys
from importlib.machinery import PathFinder

PACKAGES = {"deepspeed", "torch", "torch_geometric", "torchvision", "transformers"}


class QuickFinder:
    """Finds modules of PACKAGES as Python does; the outermost that is executed holds the collector."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in PACKAGES or not gc.isenabled():
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module
            spec.loader.exec_module = lambda module: without_collector(execute, module)
        return spec


def without_collector(execute, module) -> None:
    if not gc.isenabled():
        return execute(module)
    gc.disable()
    try:
        execute(module)
    finally:
        if module.__name__ in PACKAGES:
            gc.freeze()
        gc.enable()


sys.meta_path.insert(0, QuickFinder)
