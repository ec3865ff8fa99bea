# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-alone package flops-profiler 0.1.2 (style "flops-profiler")."""

from ..units import old as units
from . import engine as engines
from . import words
from .figures import depths, model_text, share, top
from .y2022 import backward_lines, line, rate

_TITLE = "\n-------------------------- Flops Profiler --------------------------"


def _device(model) -> str:
    return str(next((p.device for p in model.parameters()), "cpu"))


def _engine_lines(engine):
    yield line("world size: ", engine.world_size)
    yield line("data parallel size: ", engine.dp_world_size)
    yield line("model parallel size: ", engine.mp_world_size)
    yield line("batch size per device: ", engines.batch(engine))


def _summary(figures, profile_step):
    total, engine = figures.total, figures.engine
    mp_size = engines.mp_size(engine)
    yield _TITLE
    yield f"Profile on Device: {_device(figures.model)}"
    yield f"Profile Summary at step {profile_step}:"
    yield words.NOTATIONS
    if engine:
        yield from _engine_lines(engine)
    params = units.params_to_string
    yield line("params per device: ", params(total.params))
    yield line("params of model = params per device * mp_size: ", params(total.params * mp_size))
    yield line("fwd MACs per device: ", units.macs_to_string(total.macs))
    yield line("fwd flops per device: ", units.num_to_string(total.flops))
    of_model = units.num_to_string(total.flops * mp_size)
    yield line("fwd flops of model = fwd flops per device * mp_size: ", of_model)
    timed = engine and engines.breakdown(engine)
    forward = engines.seconds(engine, "forward", newest=False) if timed else total.duration
    if forward:
        yield line("fwd latency: ", units.duration_to_string(forward))
        label = "fwd FLOPS per device = fwd flops per device / fwd latency: "
        yield line(label, rate(total.flops, forward))
    if timed:
        yield from backward_lines(engine, total.flops, forward, "device")


def aggregated(figures, module_depth, top_modules):
    levels = depths(figures, lambda m: _of(figures.of(m)))
    depth = len(levels) - 1 if module_depth == -1 else module_depth
    yield (
        f"Top {top_modules} modules in terms of params, flops, MACs or duration"
        " at different model depths:"
    )
    for number, level in enumerate(levels[:depth]):
        yield f"depth {number}:"
        yield f"    params      - {top(level, 0, top_modules, units.params_to_string)}"
        yield f"    flops       - {top(level, 1, top_modules, units.num_to_string)}"
        yield f"    MACs        - {top(level, 2, top_modules, units.macs_to_string)}"
        yield f"    fwd latency - {top(level, 3, top_modules, units.duration_to_string)}"


def _of(stats):
    return stats.params, stats.flops, stats.macs, stats.duration


def _work(flops, macs, seconds) -> dict:
    return {
        "flops": units.num_to_string(flops),
        "macs": units.macs_to_string(macs),
        "duration": units.duration_to_string(seconds),
        "FLOPS": units.flops_to_string(flops / seconds if seconds else 0.0),
    }


def _functional(figures, row, all_functionals) -> dict:
    flops, macs, seconds = row
    total = figures.total
    shares = {
        "flops%": f"{share(flops, total.flops):.2%}",
        "macs%": f"{share(macs, total.macs):.2%}",
        "duration%/allfuncs": f"{share(seconds, all_functionals):.2%}",
        "duration%/e2e": f"{share(seconds, total.duration):.2%}",
    }
    return {**_work(flops, macs, seconds), **shares}


def module_line(figures, module, own, all_functionals) -> str:
    stats, total = figures.of(module), figures.total
    functionals = figures.functionals.get(id(module), {})
    figures_of_module = {
        "param": units.params_to_string(stats.params),
        **_work(stats.flops, stats.macs, stats.duration),
        "params%": f"{share(stats.params, total.params):.2%}",
        "flops%": f"{share(stats.flops, total.flops):.2%}",
        "macs%": f"{share(stats.macs, total.macs):.2%}",
        "duration%": f"{share(stats.duration, total.duration):.2%}",
    }
    rows = {n: _functional(figures, row, all_functionals) for n, row in functionals.items()}
    seconds = sum((row[2] for row in functionals.values()), 0.0)
    return ", ".join([
        f"module = {figures_of_module}",
        f"functionals = {rows}",
        f"functionals_duration = {units.duration_to_string(seconds)}",
        own,
    ])  # fmt: skip


def page(figures, profile_step=1, module_depth=-1, top_modules=1, detailed=True):
    yield from _summary(figures, profile_step)
    yield words.AGGREGATED.replace("per GPU", "per Device")
    yield from aggregated(figures, module_depth, top_modules)
    if detailed:
        whole = figures.functionals.get(id(figures.model), {})
        seconds = sum((row[2] for row in whole.values()), 0.0)
        yield words.DETAILED.replace("per GPU", "per Device")
        yield words.ORDER
        yield words.NOTE_OF_MIRROR
        yield model_text(figures, lambda m, own: module_line(figures, m, own, seconds))
    yield words.END
