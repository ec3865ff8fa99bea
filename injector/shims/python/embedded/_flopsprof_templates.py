# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Inductor's Triton templates: products, convolutions and flex attention made by torch.compile.

The sizes are in the kernel's source, as Inductor has written it: numbers, or, with dynamic shapes,
its arguments. Each template's own object gets a run() in front of the class's; all other kernels
of Inductor stay as they are.
"""

import functools
import re
import types
import weakref

from _flopsprof_base import native, replace, undo
from _flopsprof_imports import when_imported
from _flopsprof_work import TYPES, Work, attention, run

HEURISTICS = "torch._inductor.runtime.triton_heuristics"
MOST_KNOWN = 4096  # sizes of one kernel; a number that changes at each call must not grow it
SIZE = re.compile(r"^ +([A-Z][A-Z0-9_]*)(?: *: *tl\.constexpr)? *= *([^#\n]+?) *$", re.M)


_followed: weakref.WeakSet = weakref.WeakSet()  # kernels with a run() of ours


def sizes_of(source) -> dict:
    """name -> expression, of what the kernel's first lines assign; the first one counts."""
    found: dict = {}
    for name, text in SIZE.findall(source):
        found.setdefault(name, text)
    return found


def work_of(name, source, kind, values) -> Work:
    """`values`: the kernel's arguments by name."""
    texts = sizes_of(source)

    def size(*names) -> int:
        for wanted in names:
            if wanted in texts:
                # Whole-number arithmetic on sizes, written by Inductor.
                number = eval(texts[wanted], {"__builtins__": {}}, values)
                if type(number) is not int or number < 0:
                    raise ValueError(f"{wanted} = {texts[wanted]}")
                return number
        raise KeyError(names[0])

    if "Q_LEN" in texts and "QK_HEAD_DIM" in texts:
        group = size("GQA_SHARED_HEADS")
        heads = size("HQ") if "ZQ" in texts else size("HKV") * group  # else: flex decoding
        sizes = (
            size("ZQ", "Z"), heads, heads // group, size("Q_LEN"), size("KV_LEN"),
            size("QK_HEAD_DIM"), size("V_HEAD_DIM"),
        )  # fmt: skip
        backward = "stride_doz" in source
        name = "flex_attention_backward" if backward else "flex_attention"
        return attention(name, kind, sizes, backward, " mask=in blocks, on the GPU; counted dense")
    if "OUT_C" in texts and "KERNEL_H" in texts:
        channels = (
            size("GROUP_IN_C") if texts.get("GROUP_IN_C", "").isdigit()
            else size("IN_C") // size("GROUPS")
        )  # fmt: skip
        deep = "KERNEL_D" in texts
        outer = (size("BATCH"), size("OUT_C"), *((size("OUT_D"),) if deep else ()),
                 size("OUT_H"), size("OUT_W"))  # fmt: skip
        inner = (channels, *((size("KERNEL_D"),) if deep else ()), size("KERNEL_H"),
                 size("KERNEL_W"))  # fmt: skip
        shape = f"y={'x'.join(map(str, outer))} in and kernel={'x'.join(map(str, inner))}"
        flops = functools.reduce(lambda a, b: a * b, outer + inner, 2)
        return Work("inductor::convolution", kind, shape, flops)
    if "offsets_ptr" in source or "G" in texts or not {"M", "N"} <= set(texts):
        return Work(name, kind, reason="a template of Inductor without a formula")
    if "stride_aq" in source and "BATCH" not in texts:  # bmm, as it was up to torch 2.8
        return Work(name, kind, reason="its batch is only in the launch grid")
    m, n, k = size("M"), size("N"), size("K", "K1")
    batch = size("BATCH") if "BATCH" in texts else 1
    pairs = 2 if "K1" in texts else 1  # mm_plus_mm: two products of the same sizes
    shape = f"m={m} n={n} k={k} batch={batch}" + (" twice" if pairs == 2 else "")
    return Work("inductor::mm", kind, shape, 2 * m * n * k * batch * pairs)


def type_of(autotuner) -> int:
    signature = autotuner.triton_meta.get("signature", {})
    for name in ("arg_A", "arg_Q", "arg_X", "arg_dY"):
        if name in signature:
            return TYPES.get(str(signature[name]).lstrip("*"), 0)
    return 0


def follow(autotuner) -> None:
    """Counts the calls of one kernel, if it is a template's."""
    source = getattr(autotuner.fn, "src", None)
    name = getattr(autotuner.fn, "__name__", "")
    if not isinstance(source, str) or "triton_tem" not in name or "run" in autotuner.__dict__:
        return
    names = list(autotuner.fn.arg_names)
    kind = type_of(autotuner)
    known: dict = {}  # numbers among the arguments -> work

    def work(args, kwargs):
        values = {key: arg for key, arg in zip(names, args) if type(arg) is int}
        key = tuple(values.items())
        found = known.get(key)
        if found is None:
            found = work_of(name, source, kind, values)
            if len(known) < MOST_KNOWN:
                known[key] = found
        return found

    def counted(self, *args, **kwargs):
        return run(functools.partial(type(self).run, self), work, args, kwargs)

    # A method: Inductor asks for its __self__ when it compares kernels.
    autotuner.run = types.MethodType(counted, autotuner)
    _followed.add(autotuner)


def leave() -> None:
    for autotuner in list(_followed):
        autotuner.__dict__.pop("run", None)
    _followed.clear()


def without_ours(state):
    if isinstance(state, dict) and isinstance(state.get("run"), types.MethodType):
        state = {key: value for key, value in state.items() if key != "run"}
    return state


def follow_templates(module) -> None:
    kind = module.CachingAutotuner

    def made(original):
        @functools.wraps(original)
        def method(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            try:
                follow(self)
            except Exception as error:
                native.failed(repr(error)[:200])
            return result

        return method

    def kept(original):
        @functools.wraps(original)
        def __getstate__(self):
            return without_ours(original(self))

        return __getstate__

    def tuning(original):
        @functools.wraps(original)
        def method(*args, **kwargs):
            native.step_disturbed()
            depth = native.push_range("(autotuning)")
            try:
                return original(*args, **kwargs)
            finally:
                native.leave(depth)

        return method

    replace(kind, "__init__", made)
    replace(kind, "__setstate__", made)
    replace(kind, "__getstate__", kept)
    replace(kind, "autotune_to_one_config", tuning)
    when_imported("torch._inductor.select_algorithm", functools.partial(follow_selection, tuning))


def follow_selection(tuning, module) -> None:
    """Runs of candidates have a scope of their own, below the module whose call compiles."""
    cache = module.AlgorithmSelectorCache
    method = cache.__dict__.get("benchmark_choices")
    if isinstance(method, (classmethod, staticmethod)):
        new = type(method)(tuning(method.__func__))
        cache.benchmark_choices = new
        undo.append((setattr, (cache, "benchmark_choices", method)))
    else:
        replace(cache, "benchmark_choices", tuning)


def install() -> None:
    undo.append((leave, ()))
    when_imported(HEURISTICS, follow_templates)
