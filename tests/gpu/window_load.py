# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""ns of a step before, in, after, and in a second window of `flopsprof ctl`, as JSON.

    flopsprof-run --paused -o RUN -- python window_load.py FLOPSPROF RUN [quick]

On the stand-in the sum of its fault script ("attached_ns") stands for the clock.
"""

import ctypes
import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

SETTLE_S = 8  # CUPTI leaves the process at a call within 5 s
MOST_S = 60


def stand_in_ns():
    """What CUPTI has cost on the stand-in so far; None on a GPU."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = sorted({line.split()[-1] for line in file if "libcudart.so" in line})
    function = getattr(ctypes.CDLL(paths[0]), "simgpu_attached_ns", None) if paths else None
    if function is not None:
        function.restype = ctypes.c_uint64
    return function


class Load:
    """40 small layers: a step waits for launches, not for the GPU."""

    def __init__(self, quick: bool) -> None:
        self.model = nn.Sequential(*(nn.Linear(64, 64) for _ in range(40))).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)
        self.x = torch.randn(8, 64, device="cuda")
        self.steps = 5 if quick else 100
        self.step()  # CUDA is up
        self.now_ns = stand_in_ns() or time.perf_counter_ns

    def step(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        self.model(self.x).mean().backward()
        self.optimizer.step()

    def step_ns(self) -> float:
        rounds = []
        for _ in range(5):
            torch.cuda.synchronize()
            begin = self.now_ns()
            for _ in range(self.steps):
                self.step()
            torch.cuda.synchronize()
            rounds.append((self.now_ns() - begin) / self.steps)
        return statistics.median(rounds)

    def run_until(self, done) -> None:
        end = time.monotonic() + MOST_S
        while not done():
            for _ in range(10):
                self.step()
            torch.cuda.synchronize()
            if time.monotonic() > end:
                raise SystemExit("flopsprof ctl did not do what was asked")


def main() -> None:
    program, run = sys.argv[1:3]
    load = Load("quick" in sys.argv)

    def state() -> str:
        done = subprocess.run([program, "ctl", run, "status", "--json"],
                              stdout=subprocess.PIPE, check=True)  # fmt: skip
        return json.loads(done.stdout)["state"]

    def window() -> float:
        subprocess.run([program, "ctl", run, "start"], stdout=subprocess.DEVNULL, check=True)
        load.run_until(lambda: state() == "recording")
        cost = load.step_ns()
        stop = subprocess.Popen([program, "ctl", run, "stop"], stdout=subprocess.DEVNULL)
        load.run_until(lambda: stop.poll() is not None)
        load.run_until(lambda: state() == "paused")
        return cost

    load.step_ns()  # warm
    result = {"before": load.step_ns(), "in": window()}
    end = time.monotonic() + SETTLE_S
    load.run_until(lambda: time.monotonic() > end)
    result["after"] = load.step_ns()
    result["in again"] = window()
    print(json.dumps(result))


main()
