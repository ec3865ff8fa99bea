# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The package flash-attn: the functions of its extension module, which all its Python calls.

Arguments are told by type and place as all versions since 2.0 have them: tensors first, then the
longest lengths as the first whole numbers, causal as the first bool of fwd and bwd.
"""

import functools

from _flopsprof_base import replace, torch
from _flopsprof_imports import when_imported
from _flopsprof_work import TYPES, Work, attention, run

MODULE = "flash_attn_2_cuda"
ON_GPU = "lengths of the sequences are in GPU memory"


def type_of(tensor) -> int:
    return TYPES.get(str(tensor.dtype).rpartition(".")[2], 0)


def flags(args) -> tuple:
    return tuple(value for value in args if type(value) is bool)


def dense(name, first, args, kwargs) -> Work:
    """q, k, v: [batch, length, heads, size]; `first`: place of q."""
    q, k, v = args[first : first + 3]
    sizes = (q.shape[0], q.shape[2], k.shape[2], q.shape[1], k.shape[1], q.shape[3], v.shape[3])
    note = " causal" if flags(args)[:1] == (True,) else ""
    return attention(name, type_of(q), sizes, first == 1, note)


def packed(name, first, bounds, args, kwargs) -> Work:
    """q, k, v: [tokens, heads, size]; `bounds`: place of where the queries' sequences begin.

    All sequences are of the longest length exactly when there are as many tokens as that makes.
    """
    q, k, v = args[first : first + 3]
    if first == 0 and len(args) > 6 and isinstance(args[6], torch.Tensor):
        return Work(name, type_of(q), reason=ON_GPU)  # seqused_k: parts of the sequences only
    if k.dim() != 3:
        return Work(name, type_of(q), reason="keys in pages: " + ON_GPU)
    numbers = [value for value in args if type(value) is int]
    if len(numbers) < 2:
        return Work(name, type_of(q), reason="the longest lengths are not among the arguments")
    queries, keys = numbers[:2]
    batch = args[bounds].shape[0] - 1
    if batch * queries != q.shape[0] or batch * keys != k.shape[0]:
        return Work(name, type_of(q), reason=ON_GPU)
    sizes = (batch, q.shape[1], k.shape[1], queries, keys, q.shape[2], v.shape[2])
    return attention(name, type_of(q), sizes, first == 1)


def cached(name, args, kwargs) -> Work:
    return Work(name, type_of(args[0]), reason="filled part of the key cache: " + ON_GPU)


# name of the function -> what a call of it does
FUNCTIONS = {
    "fwd": functools.partial(dense, "flash_attn::fwd", 0),
    "bwd": functools.partial(dense, "flash_attn::bwd", 1),
    "varlen_fwd": functools.partial(packed, "flash_attn::varlen_fwd", 0, 4),
    "varlen_bwd": functools.partial(packed, "flash_attn::varlen_bwd", 1, 9),
    "fwd_kvcache": functools.partial(cached, "flash_attn::fwd_kvcache"),
}


def follow_flash(module) -> None:
    for name, work in FUNCTIONS.items():

        def make(original, work=work):
            def counted(*args, **kwargs):
                if type(args[0]) is not torch.Tensor if args else True:
                    return original(*args, **kwargs)
                return run(original, work, args, kwargs)

            return counted

        replace(module, name, make)


def install() -> None:
    when_imported(MODULE, follow_flash)
