# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed 0.3.11 (style "deepspeed-2021"): the model's text and three lines, averages of a step."""

from ..units import old as units
from .figures import depths, model_text, share, top


def _tera(flops, seconds) -> str:
    return f"{(flops / seconds / 10**12 if seconds else 0.0):.2} TFLOPS"


def module_line(figures, module, own) -> str:
    stats, total, steps = figures.of(module), figures.total, figures.steps
    macs = stats.macs / steps if steps else 0
    seconds = stats.duration / steps if steps else 0
    return ", ".join([
        units.params_to_string(stats.params),
        f"{share(stats.params, total.params):.2%} Params",
        units.macs_to_string(macs),
        f"{share(stats.macs, total.macs):.2%} MACs",
        units.duration_to_string(seconds),
        f"{share(stats.duration, total.duration):.2%} time",
        _tera(2 * macs, seconds),
        str(figures.calls.get(id(module), 0)),
        own,
    ])  # fmt: skip


def aggregated(figures, module_depth=-1, top_modules=3):
    """One depth only, the innermost one."""
    levels = depths(figures, lambda m: _of(figures.of(m)))
    depth = len(levels) - 1 if module_depth == -1 else min(module_depth, len(levels) - 1)
    level, steps = levels[depth], max(1, figures.steps)
    count = min(top_modules, len(level))

    def macs(number):
        return units.macs_to_string(number / steps)

    def seconds(number):
        return units.duration_to_string(number / steps)

    where = f"at depth {depth} are"
    yield f"Top {count} modules in flops {where} {top(level, 1, count, macs)}"
    yield f"Top {count} modules in params {where} {top(level, 0, count, units.params_to_string)}"
    yield f"Top {count} modules in time {where} {top(level, 2, count, seconds)}"


def _of(stats):
    return stats.params, stats.macs, stats.duration


def page(figures, profile_step=1, module_depth=-1, top_modules=3, detailed=True):
    yield model_text(figures, lambda module, own: module_line(figures, module, own))
