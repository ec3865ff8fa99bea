# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed 0.6.0 to 0.9.x (style "deepspeed-2022")."""

from ..units import old as units
from . import engine as engines
from . import words
from .figures import model_text, share, top_modules_by_depth


def line(label, value) -> str:
    return f"{label:<60}  {value:<8}"


def rate(flops, seconds) -> str:
    return units.flops_to_string(flops / seconds if seconds else 0.0)


def _engine_lines(engine):
    yield line("world size: ", engine.world_size)
    yield line("data parallel size: ", engine.dp_world_size)
    yield line("model parallel size: ", engine.mp_world_size)
    yield line("batch size per GPU: ", engines.batch(engine))


def backward_lines(engine, flops, forward, unit="GPU"):
    backward = engines.seconds(engine, "backward", newest=False)
    step = engines.seconds(engine, "step", newest=False)
    iteration = forward + backward + step
    yield line("bwd latency: ", units.duration_to_string(backward))
    label = f"bwd FLOPS per {unit} = 2 * fwd flops per {unit} / bwd latency: "
    yield line(label, rate(2 * flops, backward))
    label = f"fwd+bwd FLOPS per {unit} = 3 * fwd flops per {unit} / (fwd+bwd latency): "
    yield line(label, rate(3 * flops, forward + backward))
    yield line("step latency: ", units.duration_to_string(step))
    yield line("iter latency: ", units.duration_to_string(iteration))
    label = f"FLOPS per {unit} = 3 * fwd flops per {unit} / iter latency: "
    yield line(label, rate(3 * flops, iteration))
    samples = engines.batch(engine) * engine.world_size
    yield f"{'samples/second: ':<60}  {share(samples, iteration):<8.2f}"


def _summary(figures, profile_step):
    total, engine = figures.total, figures.engine
    mp_size = engines.mp_size(engine)
    yield words.TITLE
    yield f"Profile Summary at step {profile_step}:"
    yield words.NOTATIONS
    if engine:
        yield from _engine_lines(engine)
    params = units.params_to_string
    yield line("params per gpu: ", params(total.params))
    yield line("params of model = params per GPU * mp_size: ", params(total.params * mp_size))
    yield line("fwd MACs per GPU: ", units.macs_to_string(total.macs))
    yield line("fwd flops per GPU: ", units.num_to_string(total.flops))
    of_model = units.num_to_string(total.flops * mp_size)
    yield line("fwd flops of model = fwd flops per GPU * mp_size: ", of_model)
    timed = engine and engines.breakdown(engine)
    forward = engines.seconds(engine, "forward", newest=False) if timed else total.duration
    yield line("fwd latency: ", units.duration_to_string(forward))
    label = "fwd FLOPS per GPU = fwd flops per GPU / fwd latency: "
    yield line(label, rate(total.flops, forward))
    if timed:
        yield from backward_lines(engine, total.flops, forward)


def aggregated(figures, module_depth, top_modules):
    return top_modules_by_depth(figures, module_depth, top_modules, units)


def module_line(figures, module, own) -> str:
    """The module's own text stands last also where it is empty."""
    stats, total = figures.of(module), figures.total
    return ", ".join([
        units.params_to_string(stats.params),
        f"{share(stats.params, total.params):.2%} Params",
        units.macs_to_string(stats.macs),
        f"{share(stats.macs, total.macs):.2%} MACs",
        units.duration_to_string(stats.duration),
        f"{share(stats.duration, total.duration):.2%} latency",
        units.flops_to_string(stats.flops / stats.duration if stats.duration else 0.0),
        own,
    ])  # fmt: skip


def page(figures, profile_step=1, module_depth=-1, top_modules=1, detailed=True):
    yield from _summary(figures, profile_step)
    yield words.AGGREGATED
    yield from aggregated(figures, module_depth, top_modules)
    if detailed:
        yield words.DETAILED
        yield words.ORDER
        yield words.NOTE
        yield model_text(figures, lambda module, own: module_line(figures, module, own))
    yield words.END
