# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The layouts of old versions and of the stand-alone package, against their own code.

    python tests/deepspeed/old_pages.py "$(scripts/deepspeed_packages.sh)"

Prints {style: {model: [differing pairs of lines]}}. The models have work that all versions count
alike (linear layers without bias, or none), so that only the layout is compared; one clock for both.
"""

import contextlib
import io
import json
import os
import re
import sys
import types
import warnings

import torch
from torch import nn

from compare import Ticks, differing  # puts ours on the path
from flopsprof.deepspeed import FlopsProfiler
from flopsprof.deepspeed.modules import clock

LABEL = re.compile(r"((?:params|fwd flops) of model = .*: |)")
VERSIONS = {
    "deepspeed-2021": "0.3.11/profiler.py",
    "deepspeed-2021-05": "0.4.0/profiler.py",
    "deepspeed-2022": "0.6.0/profiler.py",
    "flops-profiler": "mirror/flops_profiler/profiler.py",
}


def linear(a, b):
    return nn.Linear(a, b, bias=False)


class Lists(nn.Module):
    """Lists are never called; one layer is not called either."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.layers = nn.ModuleList([linear(8, 8), linear(8, 8)])
        self.unused = linear(8, 800)
        self.head = nn.Sequential(nn.Dropout(0.1), linear(8, 3000), nn.Tanh())

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


MODELS = {
    "one": (nn.Sequential(linear(8, 3)), torch.zeros(4, 8)),
    "lists": (Lists(), torch.arange(12).reshape(2, 6)),
    "large": (nn.Sequential(linear(1000, 2000), nn.Sequential(linear(2000, 1500), nn.Tanh())),
              torch.zeros(400, 1000)),
}  # fmt: skip


class Engine:
    """What a report asks of an engine, as it was before 0.9.5."""

    world_size, dp_world_size, mp_world_size = 8, 4, 2

    def __init__(self, breakdown):
        self._breakdown = breakdown

    def train_micro_batch_size_per_gpu(self):
        return 3

    def wall_clock_breakdown(self):
        return self._breakdown

    def timers(self, name):
        self._name = name
        return self

    def elapsed(self, reset):
        return {"forward": 12.5, "backward": 23.75, "step": 0.125}[self._name]


def their_module(folder, style):
    path = os.path.join(folder, VERSIONS[style])
    with open(path, encoding="utf-8") as file:
        source = file.read().replace("(*input_res)", "input_res")  # 0.3.11 is no Python there
    module = sys.modules["old_profiler"] = types.ModuleType("old_profiler")
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def page(profiler, model, x, style) -> list:
    out = io.StringIO()
    profiler.start_profile()
    model(x)
    with contextlib.redirect_stdout(out):
        if style == "deepspeed-2021":
            profiler.print_model_profile()
            profiler.print_model_aggregated_profile(module_depth=-1, top_modules=3)
        else:
            profiler.print_model_profile(profile_step=7, top_modules=2)
    profiler.end_profile()
    return out.getvalue().split("\n")


def compare(theirs, style, model, x, engine) -> list:
    real, theirs.time = theirs.time, Ticks()
    made = [] if engine is None else [engine]
    for module in model.modules():
        module.__dict__.pop("__cnt__", None)  # which makes the stand-alone package's second report fail
    try:
        their_lines = page(theirs.FlopsProfiler(model, *made), model, x, style)
    finally:
        theirs.time = real
    clock._source = Ticks().time
    ours = FlopsProfiler(model, *made, compat="quirks", style=style)
    # 0.6.0 prints 1 in two lines (bug 37), which its style does not: 0.7.2 to 0.9 have the number.
    return [
        pair
        for pair in differing(their_lines, page(ours, model, x, style))
        if not (style == "deepspeed-2022" and pair[0].split() == [*LABEL.match(pair[1])[1].split(), "1"])
    ]


def main(folder) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.cuda.synchronize = lambda *_: None  # old versions do so without a look
    result = {}
    for style in VERSIONS:
        theirs, rows = their_module(folder, style), result.setdefault(style, {})
        for name, (model, x) in MODELS.items():
            model.eval()
            rows[name] = compare(theirs, style, model, x, None)
            # In milliseconds since 0.7.1 only (bug 35), and 2021 has no engine.
            if style == "flops-profiler":
                for breakdown in (False, True):
                    rows[f"{name} {breakdown}"] = compare(theirs, style, model, x, Engine(breakdown))
            elif style != "deepspeed-2021":
                rows[f"{name} engine"] = compare(theirs, style, model, x, Engine(False))
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
