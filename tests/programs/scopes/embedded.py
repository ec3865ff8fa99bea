# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Run by embedded.cc, once each round: a model of the torch of a few lines, and a subinterpreter.

Two products in the model (`first`, `second`), one in a model of the subinterpreter.
"""

import ctypes
import os
import sys
import time

sys.path.insert(0, os.environ["MINI_TORCH"])
import torch  # noqa: E402

multiply = ctypes.CDLL(None).embedded_multiply


class Probe(torch.nn.Module):
    def forward(self, x):
        multiply()
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Probe(), Probe()

    def forward(self, x):
        return self.second(self.first(x))


# Hooks come with the profiler's next tick, at most a second later.
for _ in range(200):
    if "_flopsprof_shim" in sys.modules or "EMBEDDED_NO_HOOKS" in os.environ:
        break
    time.sleep(0.05)
Net.__name__ = "Round" + os.environ["EMBEDDED_ROUND"]
Net()(1)

INSIDE = """
import ctypes, os, sys
sys.path.insert(0, os.environ["MINI_TORCH"])
import torch
class Probe(torch.nn.Module):
    def forward(self, x):
        ctypes.CDLL(None).embedded_multiply()
        return x
Probe()(1)
"""
for name in ("_xxsubinterpreters", "_interpreters"):
    try:
        interpreters = __import__(name)
    except ImportError:
        continue
    if sys.version_info[:2] == (3, 12):
        continue  # no ctypes in one; and one without isolation crashes at the end (3.12.1)
    other = interpreters.create("legacy") if name == "_interpreters" else interpreters.create()
    failure = interpreters.run_string(other, INSIDE)
    if failure is not None:
        raise RuntimeError(failure)
    interpreters.destroy(other)
    break
else:
    multiply()
