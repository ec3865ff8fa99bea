# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Work of a Python function that launches kernels of its own."""

from _flopsprof_base import native

# c10::ScalarType + 1, 0 = not known; as torch and as Triton call them.
TYPES = {
    "int8": 2, "float16": 6, "float32": 7, "float64": 8, "bfloat16": 16, "float8_e5m2": 24,
    "float8_e4m3fn": 25, "i8": 2, "fp16": 6, "fp32": 7, "fp64": 8, "bf16": 16, "fp8e5": 24,
    "fp8e4nv": 25,
}  # fmt: skip


class Work:
    """What one call does. Without `flops` it is unknown, for `reason`."""

    def __init__(self, name, kind=0, shape="", flops=None, recompute=0, reason=""):
        self.name, self.kind, self.shape = name, kind, shape
        self.flops, self.recompute, self.reason = flops, recompute, reason


def attention(name, kind, sizes, backward, note="") -> Work:
    """Of [batch, query heads, key heads, queries, keys, head size, value head size], dense.

    Backward: QK^T again (recompute); dV = P^T dO, dP = dO V^T, dQ = dS K, dK = dS^T Q.
    """
    batch, heads, key_heads, queries, keys, size, value_size = sizes
    shape = f"batch={batch} q={heads}x{queries}x{size} kv={key_heads}x{keys}x{value_size}{note}"
    one = 2 * batch * heads * queries * keys
    if backward:
        return Work(name, kind, shape, one * (3 * size + 2 * value_size), one * size)
    return Work(name, kind, shape, one * (size + value_size))


def run(real, work, args, kwargs):
    """real(*args, **kwargs), counted as work(args, kwargs) says."""
    number = native.operation_begin()
    try:
        result = real(*args, **kwargs)
    except BaseException:
        native.operation_abandon()
        raise
    try:
        done = work(args, kwargs) if number else Work("")
    except Exception as error:
        done = Work(getattr(real, "__name__", "?"), reason=f"its sizes: {error!r}"[:200])
    try:
        flops = done.flops
        if flops is not None and not 0 <= flops < 1 << 63:
            flops, done.reason = None, f"its formula gave {flops}"
        native.operation_end(
            number, done.name, done.shape, int(flops is not None), flops or 0, done.reason,
            done.kind, done.recompute,
        )  # fmt: skip
    except Exception as error:
        native.failed(repr(error)[:200])
    return result
