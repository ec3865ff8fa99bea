# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed 0.4.0 to 0.5.8 (style "deepspeed-2021-05"): flops are twice the MACs."""

from ..units import old as units
from . import engine as engines
from . import words
from .figures import model_text, share
from .y2022 import aggregated, backward_lines, line, rate

_NOTATIONS = words.NOTATIONS.replace("model parallel size(", "model paralel size(").replace(
    "number of floating-point operations (flops), floating-point",
    # The source says "\number": a line break, and "umber".
    "umber of floating point operations (flops), floating point",
)


def _engine_lines(engine):
    yield line("world size: ", engine.world_size)
    yield line("data parallel size: ", engine.dp_world_size)
    yield line("model paralel size: ", engine.mp_world_size)
    yield line("batch size per GPU: ", engines.batch(engine))


def _summary(figures, profile_step):
    total, engine = figures.total, figures.engine
    mp_size, flops = engines.mp_size(engine), 2 * total.macs
    yield words.TITLE
    yield f"Profile Summary at step {profile_step}:"
    yield _NOTATIONS
    if engine:
        yield from _engine_lines(engine)
    params, slip = units.params_to_string, figures.as_deepspeed and not engine
    yield line("params per gpu: ", params(total.params))
    # Without an engine DeepSpeed printed 1 here: "x * size if engine else 1" (bug 37).
    of_model = params(1 if slip else total.params * mp_size)
    yield line("params of model = params per GPU * mp_size: ", of_model)
    yield line("fwd MACs per GPU: ", units.num_to_string(total.macs))
    yield line("fwd flops per GPU = 2 * fwd MACs per GPU: ", units.num_to_string(flops))
    of_model = units.num_to_string(1 if slip else flops * mp_size)
    yield line("fwd flops of model = fwd flops per GPU * mp_size: ", of_model)
    timed = engine and engines.breakdown(engine)
    forward = engines.seconds(engine, "forward", newest=False) if timed else total.duration
    yield line("fwd latency: ", units.duration_to_string(forward))
    yield line("fwd FLOPS per GPU = fwd flops per GPU / fwd latency: ", rate(flops, forward))
    if timed:
        yield from backward_lines(engine, flops, forward)


def module_line(figures, module, own) -> str:
    stats, total = figures.of(module), figures.total
    rate_of_module = 2 * stats.macs / stats.duration if stats.duration else 0.0
    return ", ".join([
        units.params_to_string(stats.params),
        f"{share(stats.params, total.params):.2%} Params",
        units.macs_to_string(stats.macs),
        f"{share(stats.macs, total.macs):.2%} MACs",
        units.duration_to_string(stats.duration),
        f"{share(stats.duration, total.duration):.2%} latency",
        units.flops_to_string(rate_of_module),
        own,
    ])  # fmt: skip


def page(figures, profile_step=1, module_depth=-1, top_modules=1, detailed=True):
    yield from _summary(figures, profile_step)
    yield words.AGGREGATED
    yield from aggregated(figures, module_depth, top_modules)
    if detailed:
        yield words.DETAILED
        yield words.ORDER
        yield words.NOTE_OF_2021
        yield model_text(figures, lambda module, own: module_line(figures, module, own))
    yield words.END
