# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to see the sizes of an operation, and what the other way would cost all others.

    flopsprof-run -q -- python tests/bench/injector/operation_bench.py LIBRARY [--short]

LIBRARY: liboperation_stand_in.so, whose flash attention does nothing. With PyTorch's own tensors.
Prints the nanoseconds that the hook adds to such an operation, record written, and those that a
RecordFunction callback which does nothing adds to an addition of two small tensors. Blocks
alternate; medians of differences.
"""

import ctypes
import json
import statistics
import sys
import time

import torch


class Callback(ctypes.Structure):
    """at::RecordFunctionCallback: begin, end, probability, a flag for each scope, needs_*."""

    _fields_ = (
        ("begin", ctypes.c_void_p), ("end", ctypes.c_void_p), ("probability", ctypes.c_double),
        ("flags", ctypes.c_bool * 16),
    )  # fmt: skip


def addition_ns(a, count) -> float:
    begin = time.perf_counter_ns()
    for _ in range(count):
        torch.add(a, a)
    return (time.perf_counter_ns() - begin) / count


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    blocks, calls = (11, 500) if "--short" in sys.argv else (101, 2000)
    library.call_ns.restype = ctypes.c_double
    library.call_ns.argtypes = (ctypes.c_int, ctypes.c_long, ctypes.c_void_p)
    q = torch.zeros(2, 64, 8, 64, device="cuda", dtype=torch.bfloat16)
    handle = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors([q])[0]
    if not isinstance(handle, int):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        handle = get(handle, None)
    torch.nn.Identity()(q)  # the session and the scopes begin
    library.call_ns(1, calls, handle)
    hook = []
    for _ in range(blocks):
        direct = library.call_ns(0, calls, handle)
        hook.append(library.call_ns(1, calls, handle) - direct)
        time.sleep(0.005)  # the reader catches up: a full ring would measure the wrong thing

    cpu = ctypes.CDLL("libtorch_cpu.so")
    add = getattr(cpu, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE")
    add.restype, add.argtypes = ctypes.c_uint64, (Callback,)
    remove = getattr(cpu, "_ZN2at14removeCallbackEm")
    remove.restype, remove.argtypes = None, (ctypes.c_uint64,)
    callback = Callback(
        ctypes.cast(library.callback_begin, ctypes.c_void_p).value,
        ctypes.cast(library.callback_end, ctypes.c_void_p).value, 1.0,
    )  # fmt: skip
    callback.flags[0] = True  # RecordScope::FUNCTION
    callback.flags[10] = True  # needs_inputs
    a = torch.zeros(4)
    every = []
    for _ in range(blocks):
        plain = addition_ns(a, calls)
        number = add(callback)
        every.append(addition_ns(a, calls) - plain)
        remove(number)
    print(json.dumps({
        "bench": "operation without a library call (simulated GPU)",
        "hook_ns": round(statistics.median(hook)), "goal_ns": 1000,
        "others_ns": 0, "record_function_others_ns": round(statistics.median(every)),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
