# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Flops of a model for one input, without training it.

    from flopsprof.count import count
    counted = count(model, batch)                 # or: python -m flopsprof.count MODEL --input 1x3x224x224
    counted.flops, counted.macs, counted.params, counted.modules, counted.operators

docs/coming-from.md translates other counters' calls and numbers.
"""

__all__ = ["Count", "count"]


def __getattr__(name):
    """torch is loaded when something is counted, not with the package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import counted

    globals().update({key: getattr(counted, key) for key in __all__})
    return globals()[name]
