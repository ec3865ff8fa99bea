# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What other counters say about the cases, as JSON: {case: {tool: {"forward": n, ...}}}.

    python count_peers.py OUT.json cpu|cuda [FAMILY]

`cpu`: torch.utils.flop_counter, DeepSpeed's profiler and fvcore, in a process of its own for
every case, since patched functions and counters of one case stay for the next. `cuda`: torch's
counter on the stand-in GPU, where other kernels are chosen. A tool that fails has the text of its
error in the place of the number.
"""

import json
import logging
import os
import sys
import warnings

import torch
from torch.utils.flop_counter import FlopCounterMode

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import all_cases  # noqa: E402

TIME_LIMIT_S = 120


def prepare(case, device):
    module = case.module(device)
    module.train(not case.facts.get("eval", False))
    return module, case.inputs(device)


def grad_mode(case):
    return torch.enable_grad() if case.backward is not None else torch.no_grad()


def by_torch(case, device) -> dict:
    module, inputs = prepare(case, device)
    with FlopCounterMode(display=False) as counter:
        with grad_mode(case):
            out = module(*inputs)
        counts = {"forward": counter.get_total_flops()}
        if case.backward is not None:
            out.backward(torch.ones_like(out))
            counts["backward"] = counter.get_total_flops() - counts["forward"]
    return counts


def by_deepspeed(case, device) -> dict:
    from deepspeed.profiling.flops_profiler import FlopsProfiler

    module, inputs = prepare(case, device)
    profiler = FlopsProfiler(module)
    profiler.start_profile()
    with grad_mode(case):
        module(*inputs)
    return {"forward": profiler.get_total_flops()}


def by_fvcore(case, device) -> dict:
    from fvcore.nn import FlopCountAnalysis

    module, inputs = prepare(case, device)
    with grad_mode(case):
        analysis = FlopCountAnalysis(module, inputs)
        analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
        # It counts multiply-adds and calls them flops.
        return {"forward": 2 * int(analysis.total())}


def attempt(tool, case, device) -> dict:
    try:
        return tool(case, device)
    except Exception as error:
        lines = f"{type(error).__name__}: {error}".splitlines()
        return {"error": lines[0][:200]}


def in_child(tools, case, device) -> dict:
    """Runs the tools in a fork of this process, so that nothing of them stays."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            # Tools print; what they print is nobody's.
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            results = {name: attempt(tool, case, device) for name, tool in tools.items()}
            with os.fdopen(writing, "w") as pipe:
                json.dump(results, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {name: {"error": "process died"} for name in tools}


def main() -> None:
    out, device = sys.argv[1:3]
    family = sys.argv[3] if len(sys.argv) > 3 else ""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    cases = [case for case in all_cases() if not family or case.family == family]
    results = {}
    if device == "cpu":
        import deepspeed.profiling.flops_profiler  # noqa: F401  once, not in every child
        import fvcore.nn  # noqa: F401

        torch.set_num_threads(1)  # threads of a pool would not survive the fork
        # DeepSpeed last: where it fails, its patches stay.
        tools = {"torch": by_torch, "fvcore": by_fvcore, "deepspeed": by_deepspeed}
        for tool in (by_torch, by_fvcore):  # what they import late, once; they patch nothing
            attempt(tool, cases[0], device)
        for case in cases:
            results[case.id] = in_child(tools, case, device)
    else:
        for case in cases:
            results[case.id] = {"torch_gpu": attempt(by_torch, case, device)}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(results, file)
    # Without Python's end, which PyTorch's engine can lose a race with (tests/programs/exit_race).
    os._exit(0)


if __name__ == "__main__":
    main()
