# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed since 0.10.1 (style "deepspeed")."""

from ..units import newest as units
from . import engine as engines
from . import words
from .figures import model_text, share, top_modules_by_depth

_PRECISION = units.DEFAULT_PRECISION


def _line(label, value) -> str:
    return f"{label:<70}  {value:<8}"


def _rate(flops, seconds) -> str:
    return units.flops_to_string(flops / seconds if seconds else 0)


def _engine_lines(figures):
    engine = figures.engine
    yield _line("world size: ", engine.world_size)
    yield _line("data parallel size: ", engines.dp_size(engine))
    yield _line("model parallel size: ", engine.mp_world_size)
    yield _line("batch size per GPU: ", engines.batch(engine))
    if engine.has_moe_layers:
        yield _line("expert tensor parallelism enabled: ", _expert_factor(figures) > 1)


def _expert_factor(figures) -> int:
    return engines.mp_size(figures.engine) if engines.experts_are_parallel(figures.model) else 1


def _params_lines(figures):
    total, engine = figures.total, figures.engine
    text = units.params_to_string
    yield _line("params per GPU: ", text(total.params))
    shared = total.shared_params * engines.mp_size(engine)
    experts = 0
    if engine and engine.has_moe_layers:
        experts = total.model_expert_params * _expert_factor(figures)
    if experts > 0:
        yield _line("params of model: ", text(shared + experts))
        yield _line("   non-expert params of model: ", text(shared))
        yield _line("   expert params of model: ", text(experts))
        return
    if not engine:
        # DeepSpeed forgets to fill it in (bug 38).
        shared = 0 if figures.as_deepspeed else total.params
    yield _line("params of model = params per GPU * mp_size: ", text(shared))


def _backward_lines(figures, forward):
    engine, flops = figures.engine, figures.total.flops
    factor = 2 + figures.recompute_fwd_factor
    backward, step = engines.seconds(engine, "backward"), engines.seconds(engine, "step")
    iteration = forward + backward + step
    seconds = units.duration_to_string
    yield _line("bwd latency: ", seconds(backward))
    label = f"bwd FLOPS per GPU = {factor:g} * fwd flops per GPU / bwd latency: "
    yield _line(label, _rate(factor * flops, backward))
    label = f"fwd+bwd FLOPS per GPU = {factor + 1:g} * fwd flops per GPU / (fwd+bwd latency): "
    yield _line(label, _rate((factor + 1) * flops, forward + backward))
    yield _line("step latency: ", seconds(step))
    yield _line("iter latency: ", seconds(iteration))
    label = f"FLOPS per GPU = {factor + 1:g} * fwd flops per GPU / iter latency: "
    yield _line(label, _rate((factor + 1) * flops, iteration))
    samples = engines.batch(engine) * engine.world_size
    yield _line("samples/second: ", round(share(samples, iteration), _PRECISION))


def summary(figures, profile_step):
    total, engine = figures.total, figures.engine
    yield words.TITLE
    yield f"Profile Summary at step {profile_step}:"
    yield words.NOTATIONS
    if engine:
        yield from _engine_lines(figures)
    yield from _params_lines(figures)
    yield _line("fwd MACs per GPU: ", units.macs_to_string(total.macs))
    yield _line("fwd flops per GPU: ", units.number_to_string(total.flops))
    of_model = units.number_to_string(total.flops * engines.mp_size(engine))
    yield _line("fwd flops of model = fwd flops per GPU * mp_size: ", of_model)
    timed = engine and engines.breakdown(engine)
    forward = engines.seconds(engine, "forward") if timed else total.duration
    yield _line("fwd latency: ", units.duration_to_string(forward))
    label = "fwd FLOPS per GPU = fwd flops per GPU / fwd latency: "
    yield _line(label, _rate(total.flops, forward))
    if timed:
        yield from _backward_lines(figures, forward)


def aggregated(figures, module_depth, top_modules):
    return top_modules_by_depth(figures, module_depth, top_modules, units)


def _percent(part, whole) -> str:
    return f"{round(100 * part / whole, _PRECISION) if whole else 0:g}%"


def module_line(figures, module, own) -> str:
    stats, total = figures.of(module), figures.total
    rate = round(stats.flops / stats.duration, _PRECISION) if stats.duration else 0
    items = [
        f"{units.params_to_string(stats.params)} = {_percent(stats.params, total.params)} Params",
        f"{units.macs_to_string(stats.macs)} = {_percent(stats.macs, total.macs)} MACs",
        f"{units.duration_to_string(stats.duration)} ="
        f" {_percent(stats.duration, total.duration)} latency",
        units.flops_to_string(rate),
    ]
    if own:
        items.append(own)
    return ", ".join(items)


def page(figures, profile_step=1, module_depth=-1, top_modules=1, detailed=True):
    yield from summary(figures, profile_step)
    yield words.AGGREGATED
    yield from aggregated(figures, module_depth, top_modules)
    if detailed:
        yield words.DETAILED
        yield words.ORDER
        yield words.NOTE
        yield model_text(figures, lambda module, own: module_line(figures, module, own))
    yield words.END
