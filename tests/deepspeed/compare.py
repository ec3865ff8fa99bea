# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs DeepSpeed's profiler and ours on the same models; prints a JSON object for each, a line each.

    python tests/deepspeed/compare.py [--mirror FOLDER] [NAME ...]

Both read one clock, which only counts how often it is read, so that latencies are equal too:
  quirk_lines      lines of the report that differ with compat="quirks": none is right
  lines            differing lines of our own report: [theirs, ours]
  reasons          why, for the modules of these lines
  unexplained      modules whose numbers are not DeepSpeed's plus the listed differences
  layers           modules whose layers' own formulas do not count as their operators do; of recurrent
                   layers MACs alone are compared, because a CPU runs their activations one by one

With the folder of scripts/deepspeed_packages.sh, of public models and the seeds' also the stand-alone
package's report against ours of its style with compat="quirks":
  mirror_lines     lines that differ, once what `mirror_reasons` names is not counted: none is right
  mirror_reasons   what that package does not count and DeepSpeed does
  mirror_signatures  functions and methods whose arguments or defaults are not that package's
"""

import contextlib
import inspect
import io
import json
import os
import sys
import types
import warnings

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "injector", "shims", "python"))

import deepspeed.profiling.flops_profiler.profiler as theirs  # noqa: E402

import flopsprof.deepspeed as ours  # noqa: E402
import flopsprof.deepspeed.dropin.mirror as stand_alone  # noqa: E402
from flopsprof.deepspeed.counting import leaves  # noqa: E402
from flopsprof.deepspeed.modules import clock  # noqa: E402
from flopsprof.deepspeed.quirks import replaced  # noqa: E402
from models import FOR_THE_MIRROR, MODELS  # noqa: E402


class Ticks:
    """A clock whose steps are of different lengths, for ratios that are no round numbers."""

    def __init__(self):
        self.count = 0

    def time(self) -> float:
        self.count += 1
        return self.count * 0.00123 + (self.count % 7) * 0.0001


def page(profiler, run, **options) -> list:
    profiler.start_profile()
    run()
    profiler.stop_profile()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        profiler.print_model_profile(profile_step=3, top_modules=2, **options)
    return out.getvalue().split("\n")


def by_deepspeed(model, run):
    real, theirs.time = theirs.time, Ticks()
    try:
        profiler = theirs.FlopsProfiler(model)
        lines = page(profiler, run)
        numbers = {
            id(m): (theirs.get_module_flops(m), theirs.get_module_macs(m)) for m in model.modules()
        }
        profiler.end_profile()
    finally:
        theirs.time = real
    return lines, numbers


def by_us(model, run, **options):
    clock._source = Ticks().time
    profiler = ours.FlopsProfiler(model, **options)
    lines = page(profiler, run)
    stats = profiler.figures().stats
    numbers = {id(m): (stats[id(m)].flops, stats[id(m)].macs) for m in model.modules()}
    differences = profiler.differences()
    profiler.end_profile()
    return lines, numbers, differences


def unexplained(model, right, seen, differences) -> list:
    """Modules whose number less all differences in and below them is not DeepSpeed's."""
    own = {}
    for difference in differences:
        sums = own.setdefault(difference.module, [0, 0])
        sums[0] += difference.flops
        sums[1] += difference.macs
    names = {id(module): name for name, module in model.named_modules()}
    wrong = []
    for module in model.modules():
        below = [own.get(names[id(m)], (0, 0)) for m in module.modules()]
        expected = tuple(a - sum(b) for a, b in zip(right[id(module)], zip(*below)))
        if expected != seen[id(module)]:
            wrong.append([names[id(module)], right[id(module)], seen[id(module)], expected])
    return wrong


def differing(a, b) -> list:
    lines = [list(pair) for pair in zip(a, b) if pair[0] != pair[1]]
    return lines + [["", f"{len(a)} lines against {len(b)}"]] * (len(a) != len(b))


def layers_against_operators(model, run, right) -> list:
    formula_of = leaves.formula_of
    leaves.formula_of = lambda module: None
    try:
        _, by_operators, _ = by_us(model, run)
    finally:
        leaves.formula_of = formula_of
    wrong = []
    for name, module in model.named_modules():
        one, other = right[id(module)], by_operators[id(module)]
        if any(type(m) in leaves.RECURRENT for m in module.modules()):
            one, other = one[1], other[1]
        if one != other:
            wrong.append([name, one, other])
    return wrong


def mirror_of(folder):
    """The stand-alone package's module; beside DeepSpeed's it has a name of its own."""
    path = os.path.join(folder, "mirror", "flops_profiler", "profiler.py")
    with open(path, encoding="utf-8") as file:
        source = file.read()
    module = sys.modules["stand_alone_profiler"] = types.ModuleType("stand_alone_profiler")
    exec(compile(source, path, "exec"), module.__dict__)
    return module


# Younger than the stand-alone package, which does not replace it.
YOUNGER = "scaled_dot_product_attention"


@contextlib.contextmanager
def without_younger():
    places = replaced.places
    replaced.places = lambda: (place for place in places() if place[1] != YOUNGER)
    try:
        yield
    finally:
        replaced.places = places


def compare_with_mirror(mirror, model, run) -> dict:
    real, mirror.time = mirror.time, Ticks()
    try:
        profiler = mirror.FlopsProfiler(model)
        expected = page(profiler, run)
        profiler.end_profile()
    finally:
        mirror.time = real
        for module in model.modules():
            module.__dict__.pop("__cnt__", None)
    options = {"compat": "quirks", "style": "flops-profiler"}
    lines, reasons = by_us(model, run, **options)[0], []
    if differing(expected, lines):
        with without_younger():
            lines, reasons = by_us(model, run, **options)[0], [YOUNGER]
    return {"mirror_lines": differing(expected, lines), "mirror_lines_in_all": len(expected),
            "mirror_reasons": reasons}  # fmt: skip


def mirror_signatures(mirror) -> list:
    pairs = [(stand_alone.get_model_profile, mirror.get_model_profile)]
    for name, method in vars(mirror.FlopsProfiler).items():
        if inspect.isfunction(method):
            pairs.append((getattr(stand_alone.FlopsProfiler, name, None), method))
    wrong = []
    for mine, its in pairs:
        wanted, have = (
            [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()] if f else []
            for f in (its, mine)
        )
        if have[: len(wanted)] != wanted:
            wrong.append([its.__qualname__, str(wanted), str(have)])
    return wrong


def compare(name, mirror) -> dict:
    model, run = MODELS[name]()
    model.eval()
    their_lines, seen = by_deepspeed(model, run)
    quirk_lines, quirks, _ = by_us(model, run, compat="quirks")
    lines, right, _ = by_us(model, run)
    _, explained, differences = by_us(model, run, explain=True)
    with_mirror = compare_with_mirror(mirror, model, run) if mirror and name in FOR_THE_MIRROR else {}
    return {
        "name": name,
        **with_mirror,
        "lines_in_all": len(their_lines),
        "quirk_lines": differing(their_lines, quirk_lines),
        "quirk_numbers": quirks == seen,
        "lines": differing(their_lines, lines),
        "reasons": sorted({d.reason.key for d in differences}),
        "unexplained": unexplained(model, right, seen, differences) + (right != explained) * ["run"],
        "layers": layers_against_operators(model, run, right),
    }


class Engine:
    """What a report asks of an engine."""

    world_size, mp_world_size, seq_dp_world_size = 8, 2, 3

    def __init__(self, breakdown=False, dp_world_size=4, has_moe_layers=False):
        self.dp_world_size, self.has_moe_layers = dp_world_size, has_moe_layers
        self._breakdown = breakdown

    def train_micro_batch_size_per_gpu(self):
        return 3

    def wall_clock_breakdown(self):
        return self._breakdown

    def timers(self, name):
        self._name = name
        return self

    def elapsed(self, reset):
        return {"fwd": 12.5, "bwd": 23.75, "step": 0.125}[self._name]


def compare_engines() -> list:
    """Differing lines of reports of an engine: with timers, under Ulysses, with experts, recomputing."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 9), torch.nn.Linear(9, 88, bias=False))
    model[0].weight.group_name = "ep_size_4"
    wrong = []
    for engine, factor in (
        (Engine(), 0.0), (Engine(True), 0.0), (Engine(True), 1.33333), (Engine(True), 1.0),
        (Engine(dp_world_size=None), 0.0), (Engine(True, has_moe_layers=True), 0.0),
    ):  # fmt: skip
        real, theirs.time = theirs.time, Ticks()
        try:
            profiler = theirs.FlopsProfiler(model, engine, factor)
            expected = page(profiler, lambda: model(torch.zeros(4, 8)), detailed=False)
            profiler.end_profile()
        finally:
            theirs.time = real
        clock._source = Ticks().time
        profiler = ours.FlopsProfiler(model, engine, factor, compat="quirks")
        wrong += differing(expected, page(profiler, lambda: model(torch.zeros(4, 8)), detailed=False))
        profiler.end_profile()
    return wrong


def main(names) -> None:
    mirror = mirror_of(names[1]) if names[:1] == ["--mirror"] else None
    names = names[2:] if mirror else names
    if not names:
        signatures = mirror_signatures(mirror) if mirror else []
        print(json.dumps({"name": "engines", "engine_lines": compare_engines(),
                          "mirror_signatures": signatures}))  # fmt: skip
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for name in names or MODELS:
        torch.manual_seed(0)
        try:
            row = compare(name, mirror)
        except Exception as error:
            row = {"name": name, "error": repr(error)}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
