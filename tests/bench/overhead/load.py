# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A training step of 40 small layers, once for each profiler, in children of one process.

    flopsprof-run -- python load.py PROBE count STEPS PROFILER ...
    flopsprof-run -- python load.py PROBE time STEPS ROUNDS PROFILER ...
    flopsprof-run -- python load.py PROBE pace STEPS

Only one client can have CUPTI, and ours does not come back once it gave it up: profilers cannot
alternate in one process. So one process imports PyTorch, and forks a child for each profiler before
CUDA starts: same address space, same heap, same imports. In the children of other profilers ours
stays dormant, as in a program without GPU.

Ours is measured once it has switched off the callbacks that it does not need.
count: under callgrind each child leaves two counts, `PROFILER loop` and `PROFILER end`: the steps,
and what the profiler does to have their records collected.
time: the children take turns of STEPS steps, ROUNDS times in changing order, so that whatever else
the machine does meets all of them alike. A JSON line a turn: CPU time of the child, and of the
agent (our parent) meanwhile and until it has read the turn's records.
pace: ours alone, with a pause after each step, so that an agent under callgrind keeps up.
"""

import ctypes
import gc
import json
import os
import random
import sys
import tempfile
import time
import warnings

import nvidia
import torch
from torch import nn

LAYERS = 40
WARM_STEPS = 3
AGENT_READS_S = 0.05  # it looks every 20 ms at the latest
PROFILERS = ("bare", "null", "ours", "proton", "torch")
LIBRARIES = os.path.join(list(nvidia.__path__)[0], "cu13", "lib")
CUPTI = os.path.join(LIBRARIES, "libcupti.so.13")
CUDART = os.path.join(LIBRARIES, "libcudart.so.13")


def make_step():
    torch.set_num_threads(1)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(LAYERS)])
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.ones(8, 32, device="cuda")

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        model(x).sum().backward()
        optimizer.step()
        torch.cuda.synchronize()

    return step


class Nothing:
    """No profiler, or ours, which started with the process."""

    def __init__(self, probe, flush: bool, pause_s: float) -> None:
        self.probe, self.flush, self.pause_s = probe, flush, pause_s

    def collect(self) -> None:
        # Ours does so once a second; a block is shorter, and valgrind's seconds are.
        if self.flush:
            self.probe.null_subscriber_flush(CUPTI.encode())
        time.sleep(self.pause_s)

    collect_again = collect


class NullSubscriber:
    def __init__(self, probe) -> None:
        self.probe = probe
        if probe.null_subscriber_begin(CUPTI.encode()) != 0:
            raise RuntimeError("CUPTI refused the null subscriber")

    def collect(self) -> None:
        self.probe.null_subscriber_flush(CUPTI.encode())

    collect_again = collect


class Proton:
    """With its defaults: no scopes, a tree of kernels. It flushes CUPTI when it is deactivated."""

    def __init__(self, probe) -> None:
        import triton.profiler as proton

        folder = tempfile.mkdtemp()
        os.symlink(CUPTI, os.path.join(folder, "libcupti.so"))
        os.environ["TRITON_CUPTI_LIB_PATH"] = folder
        os.environ.pop("NVTX_INJECTION64_PATH", None)
        self.proton = proton
        self.session = proton.start(os.path.join(folder, "profile"))

    def collect(self) -> None:
        self.proton.deactivate(self.session, flushing=True)
        self.proton.activate(self.session)

    def collect_again(self) -> None:
        self.proton.deactivate(self.session, flushing=True)


class TorchProfiler:
    """CPU and CUDA activities, with shapes and modules. Its result exists once it has stopped."""

    def __init__(self, probe) -> None:
        self.start()

    def start(self) -> None:
        from torch.profiler import ProfilerActivity, profile

        warnings.simplefilter("ignore")
        self.profile = profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
            record_shapes=True, with_modules=True,
        )  # fmt: skip
        self.profile.start()

    def collect(self) -> None:
        self.profile.stop()
        self.start()

    def collect_again(self) -> None:
        self.profile.stop()


def start(profiler: str, probe, pause_s: float):
    if profiler in ("bare", "ours"):
        return Nothing(probe, profiler == "ours", pause_s)
    return {"null": NullSubscriber, "proton": Proton, "torch": TorchProfiler}[profiler](probe)


def settle(profiler: str, step) -> int:
    """Steps until ours has switched off the callbacks that it does not need: for a trial, and for
    good. The stand-in tells, by domain (1: runtime) and id."""
    is_on = ctypes.CDLL(CUDART).simgpu_callback_on
    steps = 0
    for wanted in (0, 1, 0) if profiler == "ours" else ():
        until = time.monotonic() + 60
        while any(is_on(1, launch) != wanted for launch in (430, 505)):
            step()
            steps += 1
            if time.monotonic() > until:
                raise RuntimeError("callbacks that are not needed stay on")
    return steps


def begin(profiler: str, probe, warm_steps: int, pause_s: float):
    """(a step, the running profiler)"""
    if profiler != "ours":  # before CUDA starts: ours stays dormant
        os.environ.pop("FLOPSPROF_SOCKET", None)
    step = make_step()
    step()
    running = start(profiler, probe, pause_s)
    for _ in range(warm_steps):
        step()
    return step, running


def count(profiler: str, probe, steps: int) -> None:
    step, running = begin(profiler, probe, WARM_STEPS, 1.2)
    settled = settle(profiler, step)
    if profiler == "ours":
        print(json.dumps({"steps": 1 + WARM_STEPS + settled + steps}), flush=True)
    running.collect()
    gc.collect()
    gc.disable()  # its passes come when they come
    probe.count_begin()
    for _ in range(steps):
        step()
    probe.count_end(f"{profiler} loop".encode())
    probe.count_begin()
    running.collect_again()
    probe.count_end(f"{profiler} end".encode())


def take_turns(profiler: str, probe, steps: int, asked: int, told: int) -> None:
    step, running = begin(profiler, probe, 40, 0)
    settle(profiler, step)
    running.collect()
    gc.collect()
    gc.disable()
    os.write(told, b".")
    while os.read(asked, 1):
        step()  # the caches are another profiler's
        before = time.process_time_ns()  # of all threads: what else the machine does is not in it
        for _ in range(steps):
            step()
        between = time.process_time_ns()
        running.collect()
        after = time.process_time_ns()
        turn = {"step_ns": (between - before) / steps, "end_ns": (after - between) / steps}
        os.write(told, json.dumps(turn).encode())


def cpu_ns(pid: int) -> int:
    """Of all threads of a process."""
    sum_ns = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            sum_ns += int(file.read().split()[0])
    return sum_ns


def fork(work, *arguments) -> int:
    pid = os.fork()
    if pid != 0:
        return pid
    status = 1
    try:
        work(*arguments)
        status = 0
    except BaseException as error:
        print(f"{arguments[0]}: {error!r}", file=sys.stderr, flush=True)
    os._exit(status)


def count_all(probe, steps: int, profilers: list) -> int:
    failed = running = 0
    for profiler in profilers:
        if running == 2:  # counts are the same, whatever else runs
            failed |= os.wait()[1]
            running -= 1
        running += 1
        fork(count, profiler, probe, steps)
    while running > 0:
        failed |= os.wait()[1]
        running -= 1
    return failed


def time_all(probe, steps: int, rounds: int, profilers: list) -> int:
    children = []
    for place, profiler in enumerate(profilers):
        asked, ask = os.pipe()
        tell, told = os.pipe()

        def work(profiler=profiler, asked=asked, told=told, ask=ask) -> None:
            os.close(ask)
            for _, other, _ in children:
                os.close(other)
            take_turns(profiler, probe, steps, asked, told)

        fork(lambda _, work=work: work(), profiler)
        os.close(told)
        children.append((place, ask, tell))
    if not all(os.read(tell, 1) for _, _, tell in children):
        return 1
    chance = random.Random(1)
    for number in range(rounds):
        for place, ask, tell in chance.sample(children, len(children)):
            before = cpu_ns(os.getppid())
            os.write(ask, b".")
            answer = os.read(tell, 1000)
            if not answer:
                return 1
            time.sleep(AGENT_READS_S)
            agent_ns = (cpu_ns(os.getppid()) - before) / (steps + 1)
            turn = {"round": number, "place": place, **json.loads(answer), "agent_ns": agent_ns}
            print(json.dumps(turn), flush=True)
    for _, ask, _ in children:
        os.close(ask)
    return sum(os.wait()[1] for _ in children)


def pace(probe, steps: int) -> int:
    step, running = begin("ours", probe, WARM_STEPS, 0)
    for number in range(steps):
        step()
        time.sleep(0.05)
        if number % 8 == 7:
            running.collect()
            time.sleep(0.3)
    running.collect()
    return 0


def main() -> int:
    probe, mode, steps = ctypes.CDLL(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    if mode == "pace":
        return pace(probe, steps)
    if mode == "time":
        return 1 if time_all(probe, steps, int(sys.argv[4]), sys.argv[5:]) else 0
    return 1 if count_all(probe, steps, sys.argv[4:]) else 0


if __name__ == "__main__":
    sys.exit(main())
