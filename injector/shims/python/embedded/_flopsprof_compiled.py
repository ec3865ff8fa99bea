# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Library calls of code that Inductor made: the module whose weight is among the operands.

Inside of a compiled region no module is called. A product with a weight belongs to the weight's
module, forward and backward. The product that makes a weight's gradient has no weight: it
belongs to the module that had, in the forward, the same input, and in the same backward, the same
gradient. Memory is compared, and only while the same storage lives: where Inductor has put another
tensor into it, two modules are found, or none; then the code is asked which weight meets the same
gradient later (_flopsprof_generated). Everything else is left to the region as a whole.
"""

import functools
import gc
import sys
import time
import weakref

from _flopsprof_base import Module, compiling, native, replace, torch
from _flopsprof_generated import variables_met_later

FORWARD, BACKWARD = 1, 2  # shm::Phase
LIMIT = 65536
MOST_WAIT_SECONDS = 600  # a model may be made at any time
# Functions of torch._inductor.select_algorithm.extern_kernels that multiply -> position of the
# first of the two factors.
KERNELS = {
    "mm": 0, "bmm": 0, "convolution": 0, "_scaled_mm": 0, "addmm": 1, "bias_addmm": 1, "baddbmm": 1,
}  # fmt: skip

Tensor = getattr(torch, "Tensor", None)
Parameter = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", None)
StorageWeakRef = getattr(sys.modules.get("torch.multiprocessing.reductions"), "StorageWeakRef", None)

# Weights are found again by module and name: a weak reference to a parameter would keep the
# program from torch.utils.swap_tensors().
_weights: dict = {}  # address -> [[weak reference to the module, name, shape, scope]]
_inputs: dict = {}  # address -> [(weak reference to the storage, scope, shape of its weight)]
_gradients: dict = {}  # the same of what came from the module's output
_scanned_at = 0.0
_scan_seconds = None
_wait_seconds = 0.0
_followed = False
_told = False


def find_weights() -> bool:
    """Of all modules that there are; at most 1 % of the time. False: not now.

    Products without a weight ask at every call: the wait doubles while nothing new is found.
    """
    global _scanned_at, _scan_seconds, _wait_seconds
    now = time.monotonic()
    if _scan_seconds is not None and now - _scanned_at < _wait_seconds:
        return False
    before = {(address, id(entry[0]())) for address, entries in _weights.items()
              for entry in entries}  # fmt: skip
    _weights.clear()
    for thing in gc.get_objects():
        kind = type(thing)
        # A tied embedding looks up, it does not multiply.
        if not issubclass(kind, Module) or kind.__name__.startswith("Embedding"):
            continue
        for name, parameter in list(thing.__dict__.get("_parameters", {}).items()):
            if type(parameter) is Parameter and parameter.dim() > 1:
                entry = [weakref.ref(thing), name, tuple(parameter.shape), 0]
                _weights.setdefault(parameter.data_ptr(), []).append(entry)
    _scanned_at = time.monotonic()
    _scan_seconds = _scanned_at - now
    there = {(address, id(entry[0]())) for address, entries in _weights.items()
             for entry in entries}  # fmt: skip
    _wait_seconds = 100 * _scan_seconds if there - before else max(
        100 * _scan_seconds, min(2 * _wait_seconds, MOST_WAIT_SECONDS))  # fmt: skip
    return True


def owner(address):
    """(scope, shape) of the one module that multiplies by the weight at the address, or None."""
    found = None
    for entry in _weights.get(address, ()):
        module, name, shape, scope = entry[0](), *entry[1:]
        parameter = None if module is None else module.__dict__.get("_parameters", {}).get(name)
        if type(parameter) is not Parameter or parameter.data_ptr() != address:
            continue
        if not scope:
            scope = entry[3] = native.scope_of(module)
        if found is not None and found[0] != scope:
            return None
        found = scope, shape
    return found


def remember(memory, tensor, scope, shape) -> None:
    if len(memory) > LIMIT:
        memory.clear()
    entries = memory.setdefault(tensor.data_ptr(), [])
    if entries and entries[-1][1] == scope and not entries[-1][0].expired():
        return  # the same as in the step before
    entries[:] = [e for e in entries if e[1] != scope and not e[0].expired()][-15:]
    entries.append((StorageWeakRef(tensor.untyped_storage()), scope, shape))


def recall(memory, tensors, out) -> set:
    """Scopes with a weight of the result's shape that had one of the tensors."""
    shape = tuple(out.shape)
    return {
        scope
        for tensor in tensors
        for storage, scope, wanted in memory.get(tensor.data_ptr(), ())
        if wanted in (shape, shape[::-1]) and not storage.expired()
    }


def of_later_weights(candidates, frame) -> set:
    """Those of the candidates whose weight a later product uses with one of the same factors."""
    later = set()
    for value in variables_met_later(frame, KERNELS):
        found = owner(value.data_ptr()) if type(value) in (Tensor, Parameter) else None
        if found is not None:
            later.add(found[0])
    return candidates & later


def find_scope(factors, phase, out, frame) -> int:
    for position, tensor in enumerate(factors):
        found = owner(tensor.data_ptr())
        if found is None:
            continue
        if phase in (FORWARD, BACKWARD) and len(factors) == 2:
            memory = _inputs if phase == FORWARD else _gradients
            remember(memory, factors[1 - position], *found)
        return found[0]
    if phase != BACKWARD or type(out) is not Tensor:
        return 0
    found = recall(_inputs, factors, out)  # all that had this input: q, k and v often share it
    if len(found) > 1:
        known = found & recall(_gradients, factors, out)
        found = known if len(known) == 1 else of_later_weights(found, frame)
    return found.pop() if len(found) == 1 else 0


def scope_of_call(factors, phase, out, frame) -> int:
    """0: of no module's own. `frame` is that of Inductor's code."""
    scope = find_scope(factors, phase, out, frame)
    if scope == 0 and phase == FORWARD and find_weights():
        scope = find_scope(factors, phase, out, frame)
    return scope


def tell_rest() -> None:
    global _told
    if not _told:
        _told = True
        native.note("compiled", "some library calls belong to the compiled module as a whole")


def in_module(original, first=0, count=2):
    @functools.wraps(original)
    def call(*args, **kwargs):
        scope = phase = 0
        try:
            factors = [a for a in args[first : first + count] if type(a) in (Tensor, Parameter)]
            if factors and not compiling():
                phase = native.current_phase()
                scope = scope_of_call(factors, phase, kwargs.get("out"), sys._getframe(1))
                if scope == 0:
                    tell_rest()
        except Exception as error:
            native.failed(repr(error)[:200])
        if scope == 0:
            return original(*args, **kwargs)
        if phase == BACKWARD:
            native.push_node(scope)
            try:
                return original(*args, **kwargs)
            finally:
                native.pop_node()
        depth = native.push_scope(scope)
        try:
            return original(*args, **kwargs)
        finally:
            native.leave(depth)

    return call


def follow_kernels() -> None:
    """Generated code looks these functions up at each call."""
    global _followed
    kernels = getattr(sys.modules.get("torch._inductor.select_algorithm"), "extern_kernels", None)
    if _followed or kernels is None or StorageWeakRef is None:
        return
    _followed = True
    for name, first in KERNELS.items():
        replace(kernels, name, functools.partial(in_module, first=first))
    backward = torch.ops.aten.convolution_backward.default  # gradient, input, weight
    replace(backward, "_op", functools.partial(in_module, count=3))
    native.note("compiled", "library calls belong to modules by the weights they use")


def install() -> None:
    global _followed, _told, _scan_seconds
    _followed = _told = False
    _scan_seconds = None
    for known in (_weights, _inputs, _gradients):
        known.clear()
    wrapper = getattr(torch, "_TorchCompileInductorWrapper", None)

    def make(original):
        @functools.wraps(original)
        def __call__(self, *args, **kwargs):
            native.step_disturbed()
            compiled = original(self, *args, **kwargs)
            follow_kernels()
            return compiled

        return __call__

    if wrapper is not None:
        replace(wrapper, "__call__", make)
    follow_kernels()  # imported before us
