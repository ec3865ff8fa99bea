# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The program's own formulas: flopsprof.formula() and Triton's launch_metadata."""

import functools
import gc
import sys
import threading

from _flopsprof_base import native, replace, torch, undo
from _flopsprof_imports import when_imported

_local = threading.local()  # .kernel: number of the Triton launch that has begun


Tensor = getattr(torch, "Tensor", None)
Parameter = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", None)
_formulas: dict = {}  # name of an operation -> the program's function
_absent: set = set()  # those whose operation does not exist yet


def add_formula(name, function) -> None:
    """flopsprof.formula(name): what `function` says of the shapes is the operation's work."""
    followed = name in _formulas and name not in _absent
    _formulas[name] = function
    if followed:
        native.forget_formula(name)
    else:
        follow_operation(name)


def follow_operation(name) -> None:
    """Stands in front of what torch.ops calls for the operation, and for nothing else."""
    _absent.add(name)
    namespace, _, rest = name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), rest, None)
    if packet is None:
        return
    for holder in (packet, *(getattr(packet, overload) for overload in packet.overloads())):
        replace(holder, "_op", functools.partial(native.counted, name))
    _absent.discard(name)


def follow_absent() -> None:
    for name in list(_absent):
        follow_operation(name)


def outer_product(a, b, *_):
    return 2 * a[0] * a[1] * a[2] * b[2]


def follow_native_kernels() -> None:
    """PyTorch's own Triton kernel for a batched product whose inner dimension is 1."""
    graphs = getattr(sys.modules.get("torch._native.registry"), "_graphs", None) or {}
    for node in graphs.get(("bmm", "CUDA"), ()):
        if getattr(node.impl_fn, "__name__", "") == "_bmm_outer_product_impl":
            add_formula(f"_native::{node.node_id}", outer_product)


def shape(value):
    """The formula's argument in the place of an operation's."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if type(value) in (list, tuple):
        return type(value)(map(shape, value))
    return value


def text_of(arguments) -> str:
    texts = []
    for index, value in enumerate(arguments):
        if isinstance(value, Tensor):
            texts.append(f"in{index}=[{','.join(map(str, value.shape))}]")
        elif type(value) is int:
            texts.append(f"arg{index}={value}")
    return " ".join(texts)


def evaluate(name, args, kwargs) -> tuple:
    """(shapes as text, flops or None, why not). Asked by the native side, which remembers it."""
    text, number, reason = "", None, ""
    try:
        text = text_of(args)
        named = {key: shape(value) for key, value in (kwargs or {}).items()}
        number = _formulas[name](*map(shape, args), **named)
        if type(number) is not int or not 0 <= number < 1 << 63:
            number, reason = None, f"the formula returned {number!r}, not a count"[:200]
    except Exception as error:
        number, reason = None, f"the formula raised {error!r}"[:200]
    return text, number, reason


def take_formulas() -> None:
    """Those that the program had named before we came."""
    for name, function in getattr(sys.modules.get("flopsprof"), "_formulas", {}).items():
        add_formula(name, function)


# ---------------------------------------------------------------------------- Triton kernels

# Scalar type + 1 by the width in Proton's keys; 16 bits: fp16 and bf16 have the same peaks.
TRITON_FLOPS = {"flops": 0, "flops8": 25, "flops16": 6, "flops32": 7, "flops64": 8}
_triton = False  # our launch hooks are in


def follow_jit(module) -> None:
    """Triton's launch hooks, as soon as a kernel has launch_metadata.

    Not before: with any hook there, Inductor's kernels take a slower way (tried: torch 2.14).
    """
    kind = module.JITFunction

    def make(original):
        @functools.wraps(original)
        def __init__(self, *args, **kwargs):
            original(self, *args, **kwargs)
            look_at(self)

        return __init__

    replace(kind, "__init__", make)
    if not getattr(sys.modules["triton"].__spec__, "_initializing", False):
        for thing in gc.get_objects():  # made before we came
            if type(thing) is kind:
                look_at(thing)


def look_at(kernel) -> None:
    if not _triton and getattr(kernel, "launch_metadata", None) is not None:
        follow_launches()


def follow_launches() -> None:
    """Triton calls the hooks with what a kernel's launch_metadata says."""
    global _triton
    runtime = getattr(sys.modules.get("triton.knobs"), "runtime", None)
    enter = getattr(runtime, "launch_enter_hook", None)
    leave = getattr(runtime, "launch_exit_hook", None)
    if not (hasattr(enter, "add") and hasattr(leave, "add")):
        return
    _triton = True
    enter.add(before_kernel)
    leave.add(after_kernel)
    undo.append((enter.remove, (before_kernel,)))
    undo.append((leave.remove, (after_kernel,)))


def before_kernel(metadata) -> None:
    if not getattr(metadata, "extras", None):
        return  # no launch_metadata: nothing to be known
    try:
        if getattr(_local, "kernel", None) is not None:
            native.operation_abandon()  # its launch failed
        _local.kernel = native.operation_begin()
    except Exception as error:
        native.failed(repr(error)[:200])


def after_kernel(metadata) -> None:
    number = getattr(_local, "kernel", None)
    if number is None:
        return
    _local.kernel = None
    name, flops, kind, reason = "(Triton kernel)", 0, 0, ""
    try:
        # Here the program's own function runs.
        said = metadata.get()
        name = str(said.get("name", name))
        counts = {key: said[key] for key in TRITON_FLOPS if key in said}
        flops = sum(int(count) for count in counts.values())
        kind = TRITON_FLOPS[next(iter(counts))] if len(counts) == 1 else 0
        if not counts:
            reason = "its launch_metadata gives no flops"
        elif not 0 <= flops < 1 << 63:
            flops, reason = 0, f"its launch_metadata gives {flops} flops"[:200]
    except Exception as error:
        reason = f"its launch_metadata raised {error!r}"[:200]
    try:
        native.operation_end(number, name, "", int(not reason), flops, reason, kind, 0)
    except Exception as error:
        native.failed(repr(error)[:200])


def install() -> None:
    global _triton
    _triton = False
    native.tensor_types(Tensor, Parameter, getattr(torch, "dtype", None))
    take_formulas()
    follow_native_kernels()
    when_imported("triton.runtime.jit", follow_jit)
