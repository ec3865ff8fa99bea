# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of the real packages, beside the figures that they were printed from.

    python tests/deepspeed/run_pages.py "$(scripts/deepspeed_packages.sh)" [--write]

`flopsprof report --style` has to make the same pages of the same figures: the unit tests of
viewer/deepspeed read these files. Prints {name: page}; --write stores them.

A run folder holds no module's own text, and every list has its figures. So the packages run with
modules whose extra_repr() is empty, and with the __repr__ that nn.ModuleList had before PyTorch 2.0.
"""

import contextlib
import io
import json
import os
import re
import sys
import warnings

import torch
from torch import nn

import deepspeed.profiling.flops_profiler.profiler as newest
from old_pages import VERSIONS, Lists, linear, their_module

FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "unit", "viewer", "deepspeed", "pages"
)
PER_FUNCTION = re.compile(r"functionals = .*, functionals_duration = [^,]*")


class Clock:
    """Steps of all sizes that a latency has: microseconds, milliseconds, seconds."""

    def __init__(self):
        self.count, self.now = 0, 0.0

    def time(self) -> float:
        self.now += (3.1e-6, 0.00123, 0.0457, 2.1, 7e-7, 0.00081)[self.count % 6]
        self.count += 1
        return self.now


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.ModuleList([nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3, bias=False)])
        self.norm = nn.BatchNorm2d(8)
        self.act = nn.ReLU()

    def forward(self, x):
        for layer in self.first:
            x = self.act(layer(x))
        return self.norm(x)


class Deep(nn.Module):
    """Four depths, classes at several of them, biases and activations: flops that are no MACs."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(Branch(), nn.AdaptiveAvgPool2d(4))
        self.unused = nn.Linear(3, 999)
        self.head = nn.Linear(128, 1000)

    def forward(self, x):
        return self.head(self.trunk(x).flatten(1))


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.act, self.down = linear(9999, 20011), nn.Tanh(), linear(20011, 9999)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


MODELS = {
    "lists": (Lists, lambda: torch.arange(12).reshape(2, 6)),
    "deep": (Deep, lambda: torch.zeros(2, 3, 16, 16)),
    "large": (Large, lambda: torch.zeros(3000, 9999, device="meta")),
}


class Engine:
    """What all versions ask an engine for. `unit`: what a version takes a timer's number for."""

    has_moe_layers = False

    def __init__(self, unit, facts, timed):
        self._unit, self._facts, self._timed = unit, facts, timed
        self.world_size, self.mp_world_size = facts["world_size"], facts["mp_size"]
        self.dp_world_size = facts["dp_size"]

    def train_micro_batch_size_per_gpu(self):
        return self._facts["batch"]

    def wall_clock_breakdown(self):
        return self._timed

    def timers(self, name):
        self._name = name
        return self

    def elapsed(self, reset):
        long = {"fwd": "forward", "bwd": "backward"}.get(self._name, self._name)
        return self._facts[long] * self._unit


ENGINES = {
    "lists": dict(world_size=8, dp_size=4, mp_size=2, batch=3,
                  forward=0.0125, backward=0.02375, step=0.000125),
    "deep": dict(world_size=2, dp_size=2, mp_size=1, batch=8,
                 forward=2.5, backward=5.18e-5, step=9.9e-7),
    "large": dict(world_size=1024, dp_size=128, mp_size=8, batch=1,
                  forward=0.35, backward=1.001, step=0.0),
}  # fmt: skip


def figures(theirs, model) -> list:
    """Of each module, as the package itself has them."""

    def of(figure, module, other):
        for name in (f"get_module_{figure}", f"_get_module_{figure}"):
            if hasattr(theirs, name):
                return getattr(theirs, name)(module)
        return other(module)

    def flops(module):
        return of("flops", module, lambda m: sum(below.__flops__ for below in m.modules()))

    def row(module, name, depth) -> dict:
        return dict(
            name=name, class_name=type(module).__name__, depth=depth, flops=flops(module),
            macs=of("macs", module, flops), params=sum(p.numel() for p in module.parameters()),
            seconds=of("duration", module, lambda m: m.__duration__),
            calls=getattr(module, "__steps__", None),
        )  # fmt: skip

    def walk(module, name, depth):
        yield row(module, name, depth)
        for child, below in module.named_children():
            yield from walk(below, child, depth + 1)

    return list(walk(model, "", 0))


@contextlib.contextmanager
def without_own_texts(model):
    saved = {cls: cls.__dict__.get("extra_repr") for cls in {type(m) for m in model.modules()}}
    of_list = nn.ModuleList.__repr__
    for cls in saved:
        cls.extra_repr = lambda self: ""
    nn.ModuleList.__repr__ = nn.Module.__repr__
    try:
        yield
    finally:
        nn.ModuleList.__repr__ = of_list
        for cls, before in saved.items():
            if before is None:
                del cls.extra_repr
            else:
                cls.extra_repr = before


def profile(theirs, style, model, x, facts, options) -> dict:
    real, theirs.time = theirs.time, Clock()
    out = io.StringIO()
    unit = 1000 if style in ("deepspeed", "flops-profiler") else 1  # the others say ms and mean s
    engine = [] if style == "deepspeed-2021" else [Engine(unit, facts, options["timed"])]
    factor = [options["recompute_fwd_factor"]] if style == "deepspeed" else []
    try:
        profiler = theirs.FlopsProfiler(model, *engine, *factor)
        profiler.start_profile()
        model(x)
        shown = {k: options[k] for k in ("module_depth", "top_modules")}
        with contextlib.redirect_stdout(out), without_own_texts(model):
            if style == "deepspeed-2021":
                profiler.print_model_profile()
                profiler.print_model_aggregated_profile(**shown)
            else:
                profiler.print_model_profile(profile_step=7, detailed=options["detailed"], **shown)
        rows = figures(theirs, model)
        profiler.end_profile()
    finally:
        theirs.time = real
    text = PER_FUNCTION.sub("functionals = unknown, functionals_duration = unknown", out.getvalue())
    return dict(style=style, step=7, device=str(next(model.parameters()).device), engine=facts,
                options=options, modules=rows, page=text.split("\n"))  # fmt: skip


OPTIONS = {
    "": dict(module_depth=-1, top_modules=2, detailed=True, timed=True, recompute_fwd_factor=0.0),
    "-short": dict(module_depth=2, top_modules=1, detailed=False, timed=True,
                   recompute_fwd_factor=1.33333),
    "-forward": dict(module_depth=1, top_modules=9, detailed=False, timed=False,
                     recompute_fwd_factor=0.0),
}  # fmt: skip


def pages(folder) -> dict:
    made = {}
    for style in ("deepspeed", *VERSIONS):
        theirs = newest if style == "deepspeed" else their_module(folder, style)
        for name, (build, x) in MODELS.items():
            if name == "deep" and style.startswith("deepspeed-2021"):
                continue  # what is no product was MACs then
            for suffix, options in OPTIONS.items():
                if suffix and style == "deepspeed-2021":
                    continue  # of containers it had their own MACs alone
                torch.manual_seed(0)
                with torch.device("meta" if name == "large" else "cpu"):
                    model = build().eval()
                made[f"{style}-{name}{suffix}"] = profile(
                    theirs, style, model, x(), ENGINES[name], options
                )
    return made


def main(folder, *options) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.cuda.synchronize = lambda *_: None  # old versions do so without a look
    made = pages(folder)
    if "--write" in options:
        os.makedirs(FOLDER, exist_ok=True)
        for name, page in made.items():
            with open(os.path.join(FOLDER, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(page, file, indent=1)
                file.write("\n")
    print(json.dumps(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
