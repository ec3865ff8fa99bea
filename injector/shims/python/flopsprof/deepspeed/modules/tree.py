# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a module holds with everything below it: each module object once, as DeepSpeed adds it up."""


class Stats:
    """Inclusive figures of one module."""

    __slots__ = ("params", "expert_params", "model_expert_params", "flops", "macs", "duration")


def children(module):
    seen = set()
    for child in module._modules.values():
        if child is not None and id(child) not in seen:
            seen.add(id(child))
            yield child


def is_tree(model) -> bool:
    """No module has two parents."""
    seen, stack = set(), [model]
    while stack:
        module = stack.pop()
        if id(module) in seen:
            return False
        seen.add(id(module))
        stack.extend(children(module))
    return True


def inclusive(model, own) -> dict:
    """id(module) -> sums of `own(module)` (a tuple of numbers) over the module and all below it."""
    if is_tree(model):
        result = {}
        _add_up(model, own, result)
        return result
    return {
        id(module): tuple(map(sum, zip(*(own(below) for below in module.modules()))))
        for module in model.modules()
    }


def _add_up(module, own, result) -> tuple:
    sums = list(own(module))
    for child in children(module):
        for index, number in enumerate(_add_up(child, own, result)):
            sums[index] += number
    result[id(module)] = tuple(sums)
    return result[id(module)]


def duration_of(module, durations, whole=True):
    """A module that was never called (a list of layers) takes as long as its children do.

    Before DeepSpeed 0.12.4 only the next level was looked at (`whole` false).
    """
    duration = durations.get(id(module), 0)
    if duration == 0:
        for child in children(module):
            duration += duration_of(child, durations) if whole else durations.get(id(child), 0)
    return duration
