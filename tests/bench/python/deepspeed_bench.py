# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A profile of BERT-base and GPT-2 on the CPU: flopsprof.deepspeed's time over DeepSpeed's.

    python tests/bench/python/deepspeed_bench.py [--short]

`profile`: get_model_profile as a whole, warm-up and report among it. `added`: what a forward takes more
while it is profiled; there the layers are 16 wide, so that the time is that of calls, and the two
profilers and the bare forward take turns. CPU time of one thread; medians, of `added` the quartiles too, and
those of the bare forward against itself (`null_ms`). Times are printed and not judged.

Judged is what no load changes: how many instructions of Python a profiled forward runs more, ours and DeepSpeed's, and
how many operators go through our mode of PyTorch. Where more than BOUNDS, the bench ends with 1.
"""

import contextlib
import io
import json
import os
import statistics
import sys
import time
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "injector", "shims", "python"))
os.environ["SIM_DEVICES"] = "0"

import deepspeed.profiling.flops_profiler as theirs  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

import flopsprof.deepspeed as ours  # noqa: E402
from flopsprof.deepspeed.counting.mode import OperatorMode  # noqa: E402

MODELS = {
    "BERT-base": ("BertModel", "BertConfig", {"hidden_size": 16, "num_attention_heads": 2,
                                              "intermediate_size": 16, "vocab_size": 64}),
    "GPT-2": ("GPT2Model", "GPT2Config", {"n_embd": 16, "n_head": 2, "vocab_size": 64}),
}  # fmt: skip


# Added instructions of Python, ours over DeepSpeed's; operators that our mode sees. Measured with PyTorch 2.14.1 and
# the transformers of that environment: 0.438 and 164, 0.588 and 243.
BOUNDS = {"BERT-base": (0.47, 172), "GPT-2": (0.63, 255)}


def seconds(function) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def build(name, **options):
    model, config, _ = MODELS[name]
    return getattr(transformers, model)(getattr(transformers, config)(**options)).eval()


def whole(package, model, ids) -> float:
    with contextlib.redirect_stdout(io.StringIO()):
        return seconds(lambda: package.get_model_profile(model, args=[ids]))


def profiled(package, model, ids) -> float:
    profiler = package.FlopsProfiler(model)
    profiler.start_profile()
    took = seconds(lambda: model(ids))
    profiler.stop_profile()
    profiler.end_profile()
    return took


def samples(functions, times) -> list:
    return list(zip(*[[function() for function in functions] for _ in range(times)]))


def quartiles(values) -> list:
    return [round(1e3 * value, 2) for value in statistics.quantiles(values, n=4)]


def instructions(function) -> int:
    """Of Python, that the function runs."""
    number = 0

    def trace(frame, event, _):
        nonlocal number
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        number += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(None)
    return number


def instructions_profiled(package, model, ids) -> int:
    profiler = package.FlopsProfiler(model)
    profiler.start_profile()
    number = instructions(lambda: model(ids))
    profiler.stop_profile()
    profiler.end_profile()
    return number


def operators_seen(model, ids) -> int:
    seen, own = [], OperatorMode.__torch_dispatch__

    def watched(self, func, types, args=(), kwargs=None):
        seen.append(func)
        return own(self, func, types, args, kwargs)

    OperatorMode.__torch_dispatch__ = watched
    try:
        profiled(ours, model, ids)
    finally:
        OperatorMode.__torch_dispatch__ = own
    return len(seen)


def whole_profile(model, ids, times) -> dict:
    columns = samples([lambda p=p: whole(p, model, ids) for p in (ours, theirs)], times)
    mine, its = map(statistics.median, columns)
    return {"profile_ratio": round(mine / its, 3), "goal": 1.0, "profile_ms": round(1e3 * mine),
            "their_profile_ms": round(1e3 * its)}  # fmt: skip


def added(model, ids, times) -> dict:
    """Each against the mean of the bare forwards of its round."""
    bare, mine, its, again = samples(
        [lambda: seconds(lambda: model(ids)), lambda: profiled(ours, model, ids),
         lambda: profiled(theirs, model, ids), lambda: seconds(lambda: model(ids))], times)  # fmt: skip
    base = [(first + last) / 2 for first, last in zip(bare, again)]
    more = [[one - none for one, none in zip(column, base)] for column in (mine, its)]
    ratio = statistics.median(more[0]) / statistics.median(more[1])
    return {"added_ratio": round(ratio, 3), "goal_added": 0.5, "added_ms": quartiles(more[0]),
            "their_added_ms": quartiles(more[1]),
            "null_ms": quartiles([b - a for a, b in zip(bare, again)])}  # fmt: skip


def unloaded(model, ids) -> dict:
    for package in (ours, theirs):
        profiled(package, model, ids)
    bare = instructions(lambda: model(ids))
    mine, its = (instructions_profiled(package, model, ids) - bare for package in (ours, theirs))
    return {"instructions_ratio": round(mine / its, 3), "added_instructions": mine, "their_added_instructions": its,
            "operators_seen": operators_seen(model, ids)}  # fmt: skip


def main() -> int:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    short = "--short" in sys.argv
    ids = torch.arange(16 if short else 128).reshape(1, -1) % 64
    row, too_many = {"bench": "a profile on the CPU, flopsprof.deepspeed over DeepSpeed"}, []
    for name, (_, _, narrow) in MODELS.items():
        small = build(name, **narrow)
        found = row[name] = {
            **unloaded(small, ids), "bounds": BOUNDS[name], **whole_profile(build(name), ids, 3 if short else 11),
            **added(small, ids, 11 if short else 101)}  # fmt: skip
        if found["instructions_ratio"] > BOUNDS[name][0] or found["operators_seen"] > BOUNDS[name][1]:
            too_many.append(name)
    print(json.dumps(row))
    if too_many:
        print(f"more instructions or operators than bounds allow: {', '.join(too_many)}", file=sys.stderr)
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
