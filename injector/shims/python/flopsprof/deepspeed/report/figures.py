# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a report is made of: the figures of each module, read once, and of the whole model."""

from ..modules import tree


class Stats:
    """Of one module with all below it."""

    __slots__ = ("params", "model_expert_params", "shared_params", "flops", "macs", "duration")


class Figures:
    """`stats` has one entry for each module of `model`, by id. `as_deepspeed` keeps its slips of layout."""

    def __init__(self, model, stats, engine=None, recompute_fwd_factor=0.0, as_deepspeed=False):
        self.model = model
        self.stats = stats
        self.engine = engine
        self.recompute_fwd_factor = recompute_fwd_factor
        self.as_deepspeed = as_deepspeed
        self.steps = 1  # forwards that were profiled; deepspeed-2021 prints averages
        self.calls = {}  # id -> calls of the module
        self.functionals = {}  # id -> {name: [flops, MACs, seconds]}, with what is below
        self.total = stats[id(model)]

    def of(self, module) -> Stats:
        return self.stats[id(module)]


def depths(figures, values) -> list:
    """For each depth: class name -> sums of `values(module)`; a shared module once for each parent."""
    levels = []

    def walk(module, depth):
        if depth == len(levels):
            levels.append({})
        sums = levels[depth].setdefault(type(module).__name__, None)
        own = values(module)
        levels[depth][type(module).__name__] = (
            list(own) if sums is None else [a + b for a, b in zip(sums, own)]
        )
        for child in tree.children(module):
            walk(child, depth + 1)

    walk(figures.model, 0)
    return levels


def top(level, index, count, text) -> dict:
    ranked = sorted(level.items(), key=lambda item: item[1][index], reverse=True)
    return {name: text(values[index]) for name, values in ranked[: max(0, count)]}


class annotated:
    """While it is entered, each module's extra_repr() gives `line(module, its own)` instead.

    print(model) then is the detailed profile: a module with a __repr__ of its own has no figures in
    it, nor has a ModuleList since PyTorch 2.0. Nothing but the instances' dicts is touched.
    """

    def __init__(self, model, line):
        self._modules = list(model.modules())
        self._line = line
        self._before = []

    def __enter__(self):
        for module in self._modules:
            self._before.append((module, module.__dict__.get("extra_repr")))
            module.__dict__["extra_repr"] = self._maker(module, module.extra_repr)
        return self

    def _maker(self, module, original):
        return lambda: self._line(module, original())

    def __exit__(self, *exception):
        for module, before in self._before:
            if before is None:
                module.__dict__.pop("extra_repr", None)
            else:
                module.__dict__["extra_repr"] = before
        return False


def model_text(figures, line) -> str:
    with annotated(figures.model, line):
        return str(figures.model)


def share(part, whole):
    return part / whole if whole else 0


def top_modules_by_depth(figures, module_depth, top_modules, units):
    """The top modules of each depth, as since 0.4.0."""
    levels = depths(figures, lambda m: _of(figures.of(m)))
    depth = len(levels) - 1 if module_depth == -1 else module_depth
    yield f"Top {top_modules} modules in terms of params, MACs or fwd latency at different model depths:"
    for number, level in enumerate(levels[:depth]):
        yield f"depth {number}:"
        yield f"    params      - {top(level, 0, top_modules, units.params_to_string)}"
        yield f"    MACs        - {top(level, 1, top_modules, units.macs_to_string)}"
        yield f"    fwd latency - {top(level, 2, top_modules, units.duration_to_string)}"


def _of(stats):
    return stats.params, stats.macs, stats.duration
