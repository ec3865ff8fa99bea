# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A training step of 40 small layers, once for each profiler, in children of one process.

    flopsprof-run -- python load.py PROBE count|time STEPS PROFILER ...

Only one client can have CUPTI, and ours does not come back once it gave it up: profilers cannot
alternate in one process. So one process imports PyTorch, and forks a child for each block before
CUDA starts: same address space, same heap, same imports, no start-up of Python in between. In the
children of other profilers ours stays dormant, as in a program without GPU.

Prints one JSON line a child. Under callgrind (count) each child leaves two counts, `PROFILER loop`
and `PROFILER end`: the steps, and what the profiler does to have their records collected.
"""

import ctypes
import gc
import json
import os
import sys
import tempfile
import time
import warnings

import nvidia
import torch
from torch import nn

LAYERS = 40
WARM_STEPS = 3
PROFILERS = ("bare", "null", "ours", "proton", "torch")
CUPTI = os.path.join(list(nvidia.__path__)[0], "cu13", "lib", "libcupti.so.13")


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


def child(profiler: str, probe, count: bool, steps: int) -> None:
    if profiler != "ours":  # before CUDA starts: ours stays dormant
        os.environ.pop("FLOPSPROF_SOCKET", None)
    step = make_step()
    step()
    running = start(profiler, probe, 1.2 if count else 0)
    for _ in range(WARM_STEPS if count else 20):
        step()
    running.collect()
    gc.collect()
    gc.disable()  # its passes come when they come
    if count:
        probe.count_begin()
    begin = time.process_time_ns()  # of all threads: what else the machine does is not in it
    for _ in range(steps):
        step()
    step_ns = (time.process_time_ns() - begin) / steps
    if count:
        probe.count_end(f"{profiler} loop".encode())
        probe.count_begin()
    begin = time.process_time_ns()
    running.collect_again()
    end_ns = (time.process_time_ns() - begin) / steps
    if count:
        probe.count_end(f"{profiler} end".encode())
    print(json.dumps({"profiler": profiler, "step_ns": step_ns, "end_ns": end_ns}), flush=True)


def main() -> int:
    probe, count = ctypes.CDLL(sys.argv[1]), sys.argv[2] == "count"
    failed = running = 0
    for profiler in sys.argv[4:]:
        if running == (2 if count else 1):  # counts are the same, whatever else runs
            failed |= os.wait()[1]
            running -= 1
        running += 1
        if os.fork() == 0:
            status = 1
            try:
                child(profiler, probe, count, int(sys.argv[3]))
                status = 0
            except BaseException as error:
                print(f"{profiler}: {error!r}", file=sys.stderr, flush=True)
            os._exit(status)
    while running > 0:
        failed |= os.wait()[1]
        running -= 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
