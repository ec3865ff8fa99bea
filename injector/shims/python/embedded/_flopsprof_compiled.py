# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Library calls of code that Inductor made: the module whose weight is among the operands.

Inside of a compiled region no module is called. A product with a weight belongs to the weight's
module, forward and backward. The product that makes a weight's gradient has no weight: it
belongs to the module that had, in the forward, the same input, and in the same backward, the same
gradient. Memory is compared, and only while it is still the same tensor's. Everything else is left
to the region as a whole.
"""

import functools
import gc
import sys
import time
import weakref

from _flopsprof_base import Module, compiling, native, replace, torch

FORWARD, BACKWARD = 1, 2  # shm::Phase
LIMIT = 65536
# Functions of torch._inductor.select_algorithm.extern_kernels that multiply -> position of the
# first of the two factors.
KERNELS = {
    "mm": 0, "bmm": 0, "convolution": 0, "_scaled_mm": 0, "addmm": 1, "bias_addmm": 1, "baddbmm": 1,
}  # fmt: skip

Tensor = getattr(torch, "Tensor", None)
Parameter = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", None)
StorageWeakRef = getattr(sys.modules.get("torch.multiprocessing.reductions"), "StorageWeakRef", None)

_weights: dict = {}  # address -> [(weak reference to the parameter, to its module)]
_inputs: dict = {}  # address -> [(weak reference to the storage, module, shape of its weight)]
_gradients: dict = {}  # the same of what came from the module's output
_scanned_at = 0.0
_scan_seconds = None
_followed = False
_told = False


def find_weights() -> None:
    """Of all modules that there are; at most 1 % of the time."""
    global _scanned_at, _scan_seconds
    now = time.monotonic()
    if _scan_seconds is not None and now - _scanned_at < 100 * _scan_seconds:
        return
    _weights.clear()
    for thing in gc.get_objects():
        if not issubclass(type(thing), Module):
            continue
        for parameter in list(thing.__dict__.get("_parameters", {}).values()):
            if type(parameter) is Parameter and parameter.dim() > 1:
                entry = weakref.ref(parameter), weakref.ref(thing)
                _weights.setdefault(parameter.data_ptr(), []).append(entry)
    _scanned_at = time.monotonic()
    _scan_seconds = _scanned_at - now


def owner(address):
    """(module, shape) of the one module that multiplies by the weight at the address, or None."""
    found = {}
    for parameter_reference, module_reference in _weights.get(address, ()):
        parameter, module = parameter_reference(), module_reference()
        if parameter is None or module is None or parameter.data_ptr() != address:
            continue
        if not type(module).__name__.startswith("Embedding"):  # tied: looks up, does not multiply
            found[id(module)] = module, tuple(parameter.shape)
    return found.popitem()[1] if len(found) == 1 else None


def remember(memory, tensor, module, shape) -> None:
    if len(memory) > LIMIT:
        memory.clear()
    storage = StorageWeakRef(tensor.untyped_storage())
    entries = [e for e in memory.get(tensor.data_ptr(), ()) if not e[0].expired()]
    entries = [e for e in entries if e[1]() is not module][-15:]
    memory[tensor.data_ptr()] = [*entries, (storage, weakref.ref(module), shape)]


def recall(memory, tensors, out) -> dict:
    """Modules with a weight of the result's shape that had one of the tensors."""
    found = {}
    shape = tuple(out.shape)
    for tensor in tensors:
        for storage, module_reference, wanted in memory.get(tensor.data_ptr(), ()):
            module = module_reference()
            if module is None or storage.expired() or wanted not in (shape, shape[::-1]):
                continue
            found[id(module)] = module
    return found


def module_of(factors, phase, out):
    for position, tensor in enumerate(factors):
        found = owner(tensor.data_ptr())
        if found is None:
            continue
        if phase in (FORWARD, BACKWARD) and len(factors) == 2:
            memory = _inputs if phase == FORWARD else _gradients
            remember(memory, factors[1 - position], *found)
        return found[0]
    if phase != BACKWARD or type(out) is not Tensor:
        return None
    found = recall(_inputs, factors, out)  # all that had this input: q, k and v often share it
    if len(found) > 1:
        same = recall(_gradients, factors, out)
        found = {key: module for key, module in found.items() if key in same}
    return found.popitem()[1] if len(found) == 1 else None


def scope_of_call(factors, out) -> int:
    """0: of no module's own."""
    phase = native.current_phase()
    module = module_of(factors, phase, out)
    if module is None and phase == FORWARD:
        find_weights()
        module = module_of(factors, phase, out)
    return 0 if module is None else native.scope_of(module)


def tell_rest() -> None:
    global _told
    if not _told:
        _told = True
        native.note("compiled", "some library calls belong to the compiled module as a whole")


def in_module(original, first=0, count=2):
    @functools.wraps(original)
    def call(*args, **kwargs):
        scope = 0
        try:
            factors = [a for a in args[first : first + count] if type(a) in (Tensor, Parameter)]
            if factors and not compiling():
                scope = scope_of_call(factors, kwargs.get("out"))
                if scope == 0:
                    tell_rest()
        except Exception as error:
            native.failed(repr(error)[:200])
        if scope == 0:
            return original(*args, **kwargs)
        if native.current_phase() == BACKWARD:
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
    global _followed, _told
    _followed = _told = False
    wrapper = getattr(torch, "_TorchCompileInductorWrapper", None)

    def make(original):
        @functools.wraps(original)
        def __call__(self, *args, **kwargs):
            compiled = original(self, *args, **kwargs)
            follow_kernels()
            return compiled

        return __call__

    if wrapper is not None:
        replace(wrapper, "__call__", make)
    follow_kernels()  # imported before us
