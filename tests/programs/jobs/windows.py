# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains, asks `flopsprof ctl` for windows of five steps, and prints what CUPTI costs the steps before,
in and after them, by the stand-in's own sum (fault script "attached_ns").

    windows.py WAY FLOPSPROF RUN [READY DONE]

WAY: `plain` (two windows), `captures` (a stream is captured after the first), `profiler`
(torch.profiler between them), `idle` (no CUDA call for a while after the first), `stays` (two
windows, whatever steps cost between and after them); `orphan` and
`paused`: READY is made, in a window or without one, and DONE when steps cost nothing (again) and no
thread of the profiler is left, whatever became of the profiler.
"""

import contextlib
import ctypes
import glob
import json
import subprocess
import sys
import time

import small_net
import torch

attached_ns = ctypes.CDLL("libcudart.so.13").simgpu_attached_ns
attached_ns.restype = ctypes.c_uint64
MOST_TURNS = 600  # of 0.05 s: instead of no end


class Job:
    def __init__(self, program: str, run: str) -> None:
        self.command = [program, "ctl", run]
        self.trainer = small_net.Trainer()
        self.trainer.train(3)

    def ctl(self, *words: str) -> str:
        return subprocess.run(
            [*self.command, *words], stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def is_paused(self) -> bool:
        return json.loads(self.ctl("status", "--json"))["state"] == "paused"

    def cost(self) -> int:
        before = attached_ns()
        self.trainer.train(5)
        return attached_ns() - before

    def is_rid_of_it(self) -> bool:
        cost = self.cost()
        names = set()
        for path in glob.glob("/proc/self/task/*/comm"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                names.add(open(path).read())
        return cost == 0 and "flopsprof\n" not in names

    def say(self, name: str, ns: int) -> None:
        print(f"{name}: {'some' if ns else 0}", flush=True)

    def window(self) -> None:
        self.ctl("start", "--steps", "5")
        costs = 0
        for _ in range(MOST_TURNS):
            costs += self.cost()
            if self.is_paused():
                return self.say("in", costs)
        raise SystemExit("the steps were not recorded")

    def after(self) -> None:
        for _ in range(MOST_TURNS):
            if self.cost() == 0:
                break
            time.sleep(0.05)
        self.say("after", self.cost())

    def capture(self) -> None:
        x = torch.zeros(16, device="cuda")
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            for _ in range(60):
                x.add_(1)
                time.sleep(0.02)

    def profile(self) -> None:
        activities = [torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities) as profile:
            self.trainer.train(3)
        self.say("kernels", sum(event.count for event in profile.key_averages()))


def main() -> None:
    way = sys.argv[1]
    job = Job(*sys.argv[2:4])
    job.say("before", job.cost())
    if way in ("orphan", "paused"):
        if way == "orphan":
            job.ctl("start")
        while way == "orphan" and not job.cost():
            time.sleep(0.05)
        open(sys.argv[4], "w").close()
        for _ in range(MOST_TURNS):
            time.sleep(0.05)
            if job.is_rid_of_it():
                open(sys.argv[5], "w").close()
                return
        return
    job.window()
    if way == "stays":
        return job.window()
    if way == "idle":
        time.sleep(7)
        job.say("idle", job.cost())
    else:
        if way == "captures":
            job.capture()
        job.after()
    if way == "profiler":
        job.profile()
        job.after()  # with TEARDOWN_CUPTI it calls cuptiFinalize at a call of ours
    job.window()
    job.after()


main()
