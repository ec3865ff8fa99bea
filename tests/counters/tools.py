# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Other counters: what each says of one call of a model, in its own words and units.

`TOOLS`: name -> function(model, args) -> {"macs": n, "flops": n}, with the names under which the tool
gives its numbers, whatever they are. Each is called in a process of its own: some leave functions of
PyTorch replaced, or buffers in the model.
"""

import importlib.metadata
import json
import os

PACKAGES = {"fvcore": "fvcore", "ptflops": "ptflops", "thop": "thop", "calflops": "calflops",
            "torchinfo": "torchinfo", "FlopCounterMode": "torch", "DeepSpeed": "deepspeed"}  # fmt: skip


def by_fvcore(model, args) -> dict:
    from fvcore.nn import FlopCountAnalysis

    analysis = FlopCountAnalysis(model, tuple(args))
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return {"flops": int(analysis.total())}


def by_ptflops(model, args) -> dict:
    from ptflops import get_model_complexity_info

    # It calls the model by keywords where its input is made by a function: so the model is wrapped.
    macs, _ = get_model_complexity_info(
        model, (1,), as_strings=False, print_per_layer_stat=False, backend="pytorch",
        input_constructor=lambda _: dict(zip(argument_names(model), args)))  # fmt: skip
    return {"macs": int(macs)}


def argument_names(model) -> list:
    import inspect

    return list(inspect.signature(model.forward).parameters)


def by_thop(model, args) -> dict:
    from thop import profile

    return {"macs": int(profile(model, inputs=tuple(args), verbose=False)[0])}


def by_calflops(model, args) -> dict:
    from calflops import calculate_flops

    flops, macs, _ = calculate_flops(model=model, args=list(args), output_as_string=False,
                                     print_results=False, print_detailed=False)  # fmt: skip
    return {"flops": int(flops), "macs": int(macs)}


def by_torchinfo(model, args) -> dict:
    from torchinfo import summary

    return {"mult_adds": int(summary(model, input_data=list(args), verbose=0).total_mult_adds)}


def by_torch(model, args) -> dict:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        model(*args)
    return {"flops": counter.get_total_flops()}


def by_deepspeed(model, args) -> dict:
    from deepspeed.profiling.flops_profiler import get_model_profile

    flops, macs, _ = get_model_profile(model, args=list(args), print_profile=False, as_string=False, warm_up=0)
    return {"flops": int(flops), "macs": int(macs)}


TOOLS = {"fvcore": by_fvcore, "ptflops": by_ptflops, "thop": by_thop, "calflops": by_calflops,
         "torchinfo": by_torchinfo, "FlopCounterMode": by_torch, "DeepSpeed": by_deepspeed}  # fmt: skip


def versions() -> dict:
    return {tool: importlib.metadata.version(package) for tool, package in PACKAGES.items()}


def load_all() -> None:
    """Once, and not in every child. Loading replaces nothing of PyTorch."""
    import calflops  # noqa: F401
    import deepspeed.profiling.flops_profiler  # noqa: F401
    import fvcore.nn  # noqa: F401
    import ptflops  # noqa: F401
    import thop  # noqa: F401
    import torchinfo  # noqa: F401


def in_child(work):
    """What `work()` returns in a fork of this process, through JSON; {"error": text} if it raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            null = os.open(os.devnull, os.O_WRONLY)  # tools print; nobody reads it
            os.dup2(null, 1)
            os.dup2(null, 2)
            try:
                result = work()
            except Exception as error:
                result = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
            with os.fdopen(writing, "w") as pipe:
                json.dump(result, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the process died"}
