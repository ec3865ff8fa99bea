# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A profile of BERT-base and GPT-2 on the CPU: flopsprof.deepspeed's time over DeepSpeed's.

    python tests/bench/python/deepspeed_bench.py [--short]

`profile`: get_model_profile as a whole, warm-up and report among it. `added`: what a forward takes more
while it is profiled; there the layers are 16 wide, so that the time is that of calls, and the two
profilers and the bare forward take turns. CPU time of one thread; medians.
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

MODELS = {
    "BERT-base": ("BertModel", "BertConfig", {"hidden_size": 16, "num_attention_heads": 2,
                                              "intermediate_size": 16, "vocab_size": 64}),
    "GPT-2": ("GPT2Model", "GPT2Config", {"n_embd": 16, "n_head": 2, "vocab_size": 64}),
}  # fmt: skip


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


def in_turn(functions, times) -> list:
    samples = [[function() for function in functions] for _ in range(times)]
    return [statistics.median(column) for column in zip(*samples)]


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    short = "--short" in sys.argv
    ids = torch.arange(16 if short else 128).reshape(1, -1) % 64
    row = {"bench": "a profile on the CPU, flopsprof.deepspeed over DeepSpeed"}
    for name, (_, _, narrow) in MODELS.items():
        model = build(name)
        mine, its = in_turn(
            [lambda p=p: whole(p, model, ids) for p in (ours, theirs)], 3 if short else 11)  # fmt: skip
        small = build(name, **narrow)
        bare, added, their = in_turn(
            [lambda: seconds(lambda: small(ids)), lambda: profiled(ours, small, ids),
             lambda: profiled(theirs, small, ids)], 11 if short else 101)  # fmt: skip
        row[name] = {
            "profile_ratio": round(mine / its, 3), "goal": 1.0,
            "added_ratio": round((added - bare) / (their - bare), 3), "goal_added": 0.5,
            "added_ms": round(1e3 * (added - bare), 2), "their_added_ms": round(1e3 * (their - bare), 2),
            "profile_ms": round(1e3 * mine), "their_profile_ms": round(1e3 * its),
        }  # fmt: skip
    print(json.dumps(row))


if __name__ == "__main__":
    main()
