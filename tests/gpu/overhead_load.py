# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Three loads, timed from outside the profiler: ns of wall time per step or launch.

    python overhead_load.py none|bare|torch|proton|flopsprof [quick]

`flopsprof`: the process was started by flopsprof-run; nothing is done here.
"""

import json
import sys
import time

import torch
from torch import nn


class Eager(nn.Module):
    """Launch-bound: 40 small layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(64, 64) for _ in range(40)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def eager_step():
    model = Eager().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(8, 64, device="cuda")

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(x).mean().backward()
        optimizer.step()

    return step


def graph_replay():
    model = Eager().cuda()
    x = torch.randn(8, 64, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        model(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(x)
    return graph.replay


def small_kernels():
    x = torch.zeros(16, device="cuda")

    def launch() -> None:
        x.add_(1)

    return launch


LOADS = {"eager step": (eager_step, 200), "graph replay": (graph_replay, 500),
         "small kernel": (small_kernels, 20000)}  # fmt: skip


def start(profiler: str):
    """Starts the profiler; returns what stops it."""
    if profiler == "bare":
        from cupti import Cupti

        torch.cuda.init()
        torch.zeros(1, device="cuda")
        cupti = Cupti(keep=False)
        cupti.start(with_callbacks=False)
        return cupti.stop
    if profiler == "torch":
        from torch.profiler import ProfilerActivity, profile

        kineto = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
        kineto.start()
        return kineto.stop
    if profiler == "proton":
        import tempfile

        import triton.profiler as proton

        proton.start(tempfile.mktemp())
        return proton.finalize
    return lambda: None


def main() -> None:
    profiler = sys.argv[1]
    share = 20 if "quick" in sys.argv else 1
    stop = start(profiler)
    result = {}
    for name, (make, count) in LOADS.items():
        step, count = make(), max(10, count // share)
        for _ in range(max(3, count // 20)):
            step()
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        result[name] = (time.perf_counter_ns() - begin) / count
    stop()
    print(json.dumps(result))


main()
