# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""One process of the sweep: some models, each once forward and, where something of what it gives
has a gradient, backward; each a child of one module.

    flopsprof-run -o DIR -- python job.py OUT.json MODEL ...      # what is judged
    python job.py --count OUT.json MODEL ...                      # what the yardstick says

OUT.json: {"errors": {model: text}, "seconds": {...}} and with --count also "modules" (inclusive
counts), "params", "without_formula" by path, and "called".
"""

import contextlib
import json
import logging
import os
import sys
import time
import warnings

import torch
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from models import child_name, find  # noqa: E402
from yardstick import PHASES, Yardstick, parameters_of  # noqa: E402


def tensors_in(value, depth=0):
    """All tensors of a structure of outputs."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth < 8:
        if isinstance(value, dict):
            parts = list(value.values())
        elif isinstance(value, (list, tuple, set)):
            parts = list(value)
        elif hasattr(value, "__dict__") and not isinstance(value, nn.Module):
            parts = list(vars(value).values())
        else:
            parts = []
        for part in parts:
            yield from tensors_in(part, depth + 1)


def backward(outputs) -> None:
    """Of the sum of all that has a gradient: a loss that every model has."""
    wanted = [t for t in tensors_in(outputs) if t.requires_grad]
    if not wanted:
        return
    total = sum((t.abs() if t.is_complex() else t).float().sum() for t in wanted)
    total.backward()


def moved(value):
    if isinstance(value, (torch.Tensor, nn.Module)):
        return value.to("cuda")
    if isinstance(value, dict):
        return {key: moved(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(moved(part) for part in value)
    return value


class Sweep(nn.Module):
    def __init__(self, names) -> None:
        super().__init__()
        self.names, self.inputs, self.errors, self.seconds = names, {}, {}, {}
        for name in names:
            begin = time.monotonic()
            print("building", name, flush=True)
            try:
                torch.manual_seed(0)
                made = find(name).make()
                module, args, kwargs = made.module.cuda(), moved(made.args), moved(made.kwargs)
                self.add_module(child_name(name), module)
                self.inputs[name] = args, kwargs, made
            except Exception as error:
                self.failed(name, "building", error)
            self.seconds[name] = time.monotonic() - begin

    def failed(self, name, doing, error) -> None:
        lines = f"{type(error).__name__}: {error}".splitlines()
        self.errors[name] = f"{doing}: {' '.join(lines)[:300]}"
        if os.environ.get("SWEEP_TRACE"):
            import traceback

            traceback.print_exception(error)

    def forward(self) -> None:
        for name in self.names:
            if name not in self.inputs:
                continue
            args, kwargs, made = self.inputs[name]
            module = getattr(self, child_name(name))
            begin = time.monotonic()
            print("running", name, flush=True)
            try:
                torch.manual_seed(0)
                with made.context() if made.context else contextlib.nullcontext():
                    backward(module(*args, **kwargs))
            except Exception as error:
                self.failed(name, "running", error)
            self.seconds[name] += time.monotonic() - begin
            module.zero_grad(set_to_none=True)


def main() -> None:
    arguments = sys.argv[1:]
    counting = arguments[0] == "--count"
    out, *names = arguments[counting:]
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    sweep = Sweep(names)
    result = {"errors": sweep.errors, "seconds": sweep.seconds}
    if not counting:
        sweep()
    else:
        with Yardstick() as yardstick:
            sweep()
        counts = yardstick.by_module(sweep)
        result["modules"] = {p: [c[phase] for phase in PHASES] for p, c in counts.items()}
        result["params"] = parameters_of(sweep)
        result["without_formula"] = yardstick.places_without_formula(sweep)
        result["called"] = sorted(
            path for path, module in sweep.named_modules() if yardstick.calls[id(module)]
        )
    torch.cuda.synchronize()
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
