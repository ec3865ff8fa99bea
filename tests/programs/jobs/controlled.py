# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains, and asks `flopsprof ctl` for windows of its own steps.

    controlled.py WAY FLOPSPROF RUN [N]

WAY: `steps` (N whole steps in the middle), `twice` (N steps, then N more), `stop` (until a stop),
`marks` (N steps, with marks and a flush), `never` (no start), `replay` (a graph captured before the
start, N replays after it), `captured` (captured after the start, N replays), `profiler` (N steps,
torch.profiler, N steps), `ranks` (N steps, asked for by rank 0 of a job of several).
"""

import json
import os
import subprocess
import sys
import time

import small_net
import torch

WARM_UP = 5
MOST_STEPS = 20000  # instead of no end


class Control:
    def __init__(self, program: str, run: str) -> None:
        self.command = [program, "ctl", run]

    def __call__(self, *words: str) -> str:
        done = subprocess.run([*self.command, *words], stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def status(self) -> dict:
        return json.loads(self("status", "--json"))

    def is_paused(self) -> bool:
        return self.status()["state"] == "paused"


def train_until(trainer: small_net.Trainer, done) -> int:
    """Steps until `done`, which is asked now and then; returns how many there were."""
    for count in range(1, MOST_STEPS):
        trainer.step()
        if count % 50 == 0:
            torch.cuda.synchronize()
            if done():
                return count
    raise SystemExit("the steps were not recorded")


def record_steps(trainer, ctl, steps: int) -> None:
    ctl("start", "--steps", str(steps))
    train_until(trainer, ctl.is_paused)


def stopped(trainer, ctl) -> None:
    ctl("start")
    trainer.train(30)
    stop = subprocess.Popen([*ctl.command, "stop"], stdout=subprocess.DEVNULL)
    train_until(trainer, lambda: stop.poll() is not None)
    if stop.returncode != 0:
        raise SystemExit("stop failed")


def marked(trainer, ctl, steps: int) -> None:
    ctl("mark", "before")
    record_steps(trainer, ctl, steps)
    ctl("mark", "after, \x1b[31mred")
    ctl("flush")
    rows = subprocess.run(
        [ctl.command[0], "query", ctl.command[2], "select count(*) from steps"],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    print("flushed:", rows.stdout.split()[-1])


def graphed(trainer, ctl, replays: int, before: bool) -> None:
    def step() -> None:
        trainer.optimizer.zero_grad(set_to_none=False)
        trainer.model(trainer.inputs).square().mean().backward()
        trainer.optimizer.step()

    def capture() -> torch.cuda.CUDAGraph:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        return graph

    graph = capture() if before else None
    ctl("start")
    # The first replay that begins a step of the window is the first that is recorded.
    if before:
        while ctl.status()["state"] == "waiting":
            graph.replay()
    else:
        train_until(trainer, lambda: ctl.status()["state"] == "recording")
        graph = capture()
    for _ in range(replays):
        graph.replay()
    torch.cuda.synchronize()


def with_profiler(trainer, ctl, steps: int) -> None:
    record_steps(trainer, ctl, steps)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        trainer.train(3)
    kernels = sum(event.count for event in profile.key_averages())
    print("kernels:", kernels)
    record_steps(trainer, ctl, steps)


def ranks(trainer, ctl, steps: int) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo")
    first = dist.get_rank() == 0
    if first:
        ctl("start", "--steps", str(steps))
    over = torch.zeros(1)
    for count in range(1, MOST_STEPS):
        trainer.step()
        dist.barrier()  # gloo, on the CPU: keeps the ranks together
        if count % 50 == 0:
            over[0] = float(first and ctl.is_paused())
            dist.broadcast(over, 0)
            if over[0] > 0:
                break
    dist.destroy_process_group()
    print("steps:", count)


def main() -> None:
    way, program, run, number = sys.argv[1], sys.argv[2], sys.argv[3], int((sys.argv[4:] or ["0"])[0])
    ctl = Control(program, run)
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    trainer = small_net.Trainer()
    if way not in ("replay", "captured"):
        trainer.train(WARM_UP)
    if way in ("steps", "twice"):
        for _ in range(1 if way == "steps" else 2):
            record_steps(trainer, ctl, number)
    elif way == "stop":
        stopped(trainer, ctl)
    elif way == "marks":
        marked(trainer, ctl, number)
    elif way in ("replay", "captured"):
        graphed(trainer, ctl, number, before=way == "replay")
    elif way == "profiler":
        with_profiler(trainer, ctl, number)
    elif way == "ranks":
        ranks(trainer, ctl, number)
    time.sleep(0.1)
    print("trained", trainer.model.first.weight.sum().isfinite().item())


main()
