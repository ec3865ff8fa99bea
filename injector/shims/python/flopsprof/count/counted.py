# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What one call of a model does: whole numbers of the model, each module, each operator."""

from torch import nn

from ..deepspeed.api.profiler import FlopsProfiler
from ..deepspeed.api.roots import as_module
from ..deepspeed.counting import leaves


class ModuleCount:
    """With all below it. `path` is "" for the model; a shared module has the path that comes first."""

    __slots__ = ("path", "kind", "calls", "params", "flops", "macs")

    def __init__(self, path, kind, calls, stats):
        self.path, self.kind, self.calls = path, kind, calls
        self.params, self.flops, self.macs = stats.params, stats.flops, stats.macs


class Count:
    """`operators`: name -> (flops, MACs). `uncounted`: operators whose work is unknown and in no
    number, name -> (calls, why). `never_called`: paths of modules that the call did not reach."""

    def __init__(self, modules, operators, uncounted, inputs, never_called):
        self.modules = modules
        self.operators = operators
        self.uncounted = uncounted
        self.inputs = inputs
        self.never_called = never_called
        whole = modules[0]
        self.model, self.flops, self.macs, self.params = (
            whole.kind, whole.flops, whole.macs, whole.params)  # fmt: skip

    def module(self, path) -> ModuleCount:
        found = [module for module in self.modules if module.path == path]
        if not found:
            raise KeyError(f"no module {path!r} in {self.model}")
        return found[0]

    def __repr__(self):
        unknown = f", {len(self.uncounted)} operators unknown" if self.uncounted else ""
        return f"<Count of {self.model}: {self.flops} flops, {self.macs} MACs, {self.params} params{unknown}>"


def count(model, *args, **kwargs) -> Count:
    """Calls the model once, in the mode that it is in, and counts. A method or a function will do too.

    Calls on other threads are not counted.
    """
    return count_call(model, args, kwargs, quietly=False)


def count_call(model, args, kwargs, quietly, call=None) -> Count:
    """`call` runs the model where its own __call__ would come here again."""
    module, method = as_module(model)
    if call is None:
        call = module if method == "forward" else getattr(module, method)
    profiler = FlopsProfiler(module, operators=True, only_this_thread=True)
    right = profiler.compat == "right"
    profiler.start_profile()
    try:
        call(*args, **kwargs)
        profiler.stop_profile()
        figures = profiler.figures()
        modules = [ModuleCount(path, type(part).__name__, figures.calls.get(id(part), 0), figures.of(part))
                   for path, part in module.named_modules()]  # fmt: skip
        operators = profiler.work_by_operator() if right else {}
        return Count(modules, operators, profiler.uncounted_operators(), _texts(args, kwargs),
                     _never_called(module, figures.calls))  # fmt: skip
    finally:
        if not quietly:
            profiler.end_profile()
        else:  # the caller prints what is unknown
            profiler.stop_profile()


def _never_called(model, calls) -> list:
    """Containers have no forward. A layer that is one call, and attention, use the weights of what lies in them."""
    inside = {id(part) for module in model.modules()
              if leaves.formula_of(module) is not None or isinstance(module, nn.MultiheadAttention)
              for part in module.modules() if part is not module}  # fmt: skip
    return [path for path, part in model.named_modules()
            if path and not calls.get(id(part)) and id(part) not in inside
            and type(part).forward is not nn.Module.forward]  # fmt: skip


def _texts(args, kwargs) -> list:
    named = [("", value) for value in args] + [(name + "=", value) for name, value in kwargs.items()]
    return [name + _text(value) for name, value in named]


def _text(value) -> str:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        sizes = "x".join(map(str, value.shape)) or "scalar"
        return f"{sizes}:{str(value.dtype).replace('torch.', '')}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_text(one)}' for key, one in value.items())}}}"
    return str(value) if isinstance(value, (int, float, bool, type(None))) else type(value).__name__
